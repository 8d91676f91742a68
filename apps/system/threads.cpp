#include "system/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "gat/core/error.hpp"
#include "options/option_value.hpp"
#include "system/environment.hpp"

namespace gat::app {

namespace fs = std::filesystem;

namespace {

constexpr double kNoQuota = std::numeric_limits<double>::infinity();

int affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<double> number_in(const std::string& text) {
  try {
    return parse_number(text);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

// cgroup v2: "max 100000" or "50000 100000".
double quota_of_cpu_max(const fs::path& folder) {
  const auto line = first_line(folder / "cpu.max");
  if (!line) return kNoQuota;
  const std::vector<std::string> parts = cut(*line, ' ');
  if (parts.size() != 2) return kNoQuota;
  const auto quota = number_in(parts[0]);
  const auto period = number_in(parts[1]);
  return quota && period && *quota > 0 && *period > 0 ? *quota / *period : kNoQuota;
}

// cgroup v1: two files, quota −1 = none.
double quota_of_cfs(const fs::path& folder) {
  const auto quota_line = first_line(folder / "cpu.cfs_quota_us");
  const auto period_line = first_line(folder / "cpu.cfs_period_us");
  if (!quota_line || !period_line) return kNoQuota;
  const auto quota = number_in(*quota_line);
  const auto period = number_in(*period_line);
  return quota && period && *quota > 0 && *period > 0 ? *quota / *period : kNoQuota;
}

// A group is bound by the quotas of all groups above it too.
template <class Quota>
double smallest_quota(const fs::path& root, const std::string& group, Quota quota) {
  double smallest = quota(root);
  fs::path folder = root;
  for (const fs::path& part : fs::path(group).relative_path()) {
    folder /= part;
    smallest = std::min(smallest, quota(folder));
  }
  return smallest;
}

double cgroup_quota() {
  std::ifstream file("/proc/self/cgroup");
  double smallest = kNoQuota;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      smallest = std::min(smallest, smallest_quota("/sys/fs/cgroup", group, quota_of_cpu_max));
    }
    for (const std::string& controller : cut(controllers, ',')) {
      if (controller != "cpu") continue;
      smallest = std::min(smallest, smallest_quota("/sys/fs/cgroup/cpu", group, quota_of_cfs));
    }
  }
  return smallest;
}

}  // namespace

int usable_processors() {
  const int processors = affinity_count();
  const double quota = cgroup_quota();
  if (!(quota < processors)) return processors;
  return std::max(1, static_cast<int>(std::ceil(quota)));
}

int thread_count(long asked, bool on_command_line) {
  if (asked > 0) return static_cast<int>(std::min<long>(asked, kMostThreads));
  if (!on_command_line) {
    // Nested teams are listed with commas; the outermost one is ours.
    const auto text = environment("OMP_NUM_THREADS");
    const auto wanted = text ? number_in(cut(*text, ',').front()) : std::nullopt;
    if (wanted && *wanted >= 1) return static_cast<int>(std::min(*wanted, static_cast<double>(kMostThreads)));
  }
  return usable_processors();
}

}  // namespace gat::app
