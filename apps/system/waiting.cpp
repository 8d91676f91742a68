#include "system/waiting.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "system/environment.hpp"

namespace gat::app {

namespace {

// Some 0.1 ms to 0.5 ms: longer than threads that have a processor each wait for each other in small
// networks, much shorter than a slice of the scheduler.
constexpr const char* kSpins = "10000";

}  // namespace

void limit_spinning(char* const* words) {
  if (environment("GOMP_SPINCOUNT") || environment("OMP_WAIT_POLICY")) return;
  // By its real name, which is what process lists show.
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || ::setenv("GOMP_SPINCOUNT", kSpins, 1) != 0) return;
  ::execv(program.c_str(), words);
}

}  // namespace gat::app
