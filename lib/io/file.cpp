#include "gat/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "gat/core/error.hpp"
#include "io/descriptor.hpp"

namespace gat::inline GAT_PRECISION {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kStep = std::size_t{1} << 20;

std::string advice(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "; check the path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; check the permissions or choose another place";
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another place";
    case EISDIR:
      return "; name a file, not a folder";
    default:
      return "";
  }
}

[[noreturn]] void throw_file_error(const fs::path& path, const char* action, int error_number) {
  throw FileError("cannot " + std::string(action) + " " + path.string() + ": " +
                  std::generic_category().message(error_number) + advice(error_number));
}

// Flushes the folder, so that the new name survives a loss of power. Some file systems cannot.
int flush_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) return errno;
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) return errno;
  return 0;
}

}  // namespace

Descriptor open_for_reading(const fs::path& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) throw_file_error(path, "open", errno);
  struct stat status = {};
  if (::fstat(descriptor.get(), &status) != 0) throw_file_error(path, "open", errno);
  if (S_ISDIR(status.st_mode)) throw_file_error(path, "read", EISDIR);
  return descriptor;
}

std::uint64_t size_of(const Descriptor& descriptor, const fs::path& path) {
  struct stat status = {};
  if (::fstat(descriptor.get(), &status) != 0) throw_file_error(path, "read", errno);
  return S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::size_t read_at(int descriptor, std::uint64_t offset, char* to, std::size_t count, const fs::path& path) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(descriptor, to + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path, "read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string read_file(const fs::path& path, Index byte_limit) {
  const Descriptor descriptor = open_for_reading(path);
  const auto limit = static_cast<std::uint64_t>(byte_limit);
  const auto too_large = [&] {
    return LimitError(path.string() + " holds more than the limit of " + std::to_string(limit) + " bytes");
  };
  const std::uint64_t expected = size_of(descriptor, path);
  if (expected > limit) throw too_large();
  // The size is only a hint: pipes have none, and a file may grow or shrink while it is read. One byte
  // more than expected makes the end of the file visible without a second allocation.
  std::string bytes(static_cast<std::size_t>(expected) + 1, '\0');
  std::size_t done = 0;
  for (;;) {
    if (done == bytes.size()) bytes.resize(done + std::max(kStep, done / 2));
    const ssize_t got = ::read(descriptor.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path, "read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    if (done > limit) throw too_large();
  }
  bytes.resize(done);
  return bytes;
}

FileWriter::FileWriter(const fs::path& path) : path_(path), target_(path) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) {
    const fs::path resolved = fs::weakly_canonical(path, ignored);
    if (!ignored) target_ = resolved;
  }
  struct stat old = {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) throw_file_error(path_, "write", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    throw FileError("cannot write " + path_.string() + ": it is a device or a pipe; name a file");
  }
  // A name of its own, not one made from the target's: that one may already be as long as allowed.
  const std::string stem = ".gat-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = target_.parent_path() / (stem + std::to_string(attempt) + ".tmp");
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) {
      const int error_number = errno;
      temporary_.clear();
      fail("write", error_number);
    }
  }
  if (exists) static_cast<void>(::fchmod(descriptor_, old.st_mode & 07777));
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::fail(const char* action, int error_number) const {
  throw_file_error(path_, action, error_number);
}

void FileWriter::write(std::string_view bytes) {
  if (descriptor_ < 0) throw UsageError("FileWriter: " + path_.string() + " is already committed");
  buffer_.append(bytes);
  if (buffer_.size() >= kStep) flush();
}

void FileWriter::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t written = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    done += static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void FileWriter::commit() {
  if (descriptor_ < 0) throw UsageError("FileWriter: " + path_.string() + " is already committed");
  flush();
  if (::fsync(descriptor_) != 0) fail("flush", errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  // After EINTR the descriptor is closed all the same, and its data are on the disk already.
  if (::close(descriptor) != 0 && errno != EINTR) fail("close", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("name", errno);
  temporary_.clear();
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (const int error_number = flush_folder(folder)) fail("flush the folder of", error_number);
}

void write_file(const fs::path& path, std::string_view bytes) {
  FileWriter writer(path);
  writer.write(bytes);
  writer.commit();
}

}  // namespace gat::inline GAT_PRECISION
