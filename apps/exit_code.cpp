#include "exit_code.hpp"

#include <algorithm>
#include <filesystem>
#include <new>

#include "gat/core/error.hpp"

namespace gat::app {

namespace {

// Names of files may hold line breaks; a message is one line.
Failure failure(int code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return {code, std::move(message)};
}

}  // namespace

Failure describe_current_exception() {
  try {
    throw;
  } catch (const BrokenPipe&) {
    return {kBrokenPipe, ""};
  } catch (const UsageError& error) {
    return failure(kUsage, error.what());
  } catch (const InputError& error) {
    return failure(kBadData, error.what());
  } catch (const ShapeError& error) {
    return failure(kBadData, error.what());
  } catch (const FileError& error) {
    return failure(kFileSystem, error.what());
  } catch (const LimitError& error) {
    return failure(kOverLimit, error.what());
  } catch (const NumericError& error) {
    return failure(kNumericFailure, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return failure(kFileSystem, error.what());
  } catch (const std::bad_alloc&) {
    return failure(kOverLimit, "out of memory; use a smaller model or a machine with more memory");
  } catch (const std::exception& error) {
    return failure(kInternalError, std::string("internal error (please report it): ") + error.what());
  } catch (...) {
    return failure(kInternalError, "internal error (please report it): unknown exception");
  }
}

}  // namespace gat::app
