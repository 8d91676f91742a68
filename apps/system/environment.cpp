#include "system/environment.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace gat::app {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::vector<std::filesystem::path> data_folders(const std::string& data_dir) {
  std::vector<std::filesystem::path> folders;
  if (!data_dir.empty()) folders.emplace_back(data_dir);
  if (const auto folder = environment("GAT_DATA_DIR")) folders.emplace_back(*folder);
  const auto home = environment("HOME");
  if (const auto cache = environment("XDG_CACHE_HOME")) {
    folders.push_back(std::filesystem::path(*cache) / "gat" / "datasets");
  } else if (home) {
    folders.push_back(std::filesystem::path(*home) / ".cache" / "gat" / "datasets");
  }
  folders.emplace_back("datasets");
  return folders;
}

Index resident_bytes() {
  std::ifstream file("/proc/self/statm");
  Index total = 0;
  Index resident = 0;
  if (!(file >> total >> resident)) return 0;
  return resident * static_cast<Index>(::sysconf(_SC_PAGESIZE));
}

Index peak_resident_bytes() {
  struct rusage usage = {};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

std::string memory_text(Index bytes) {
  const auto size = static_cast<double>(bytes);
  if (size >= 0x1p30) return fmt::format("{:.1f} GiB", size / 0x1p30);
  if (size >= 0x1p20) return fmt::format("{:.0f} MiB", size / 0x1p20);
  return fmt::format("{:.0f} KiB", size / 0x1p10);
}

}  // namespace gat::app
