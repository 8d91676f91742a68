#include "run/environment_file.hpp"

#include <sys/utsname.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "system/threads.hpp"

namespace gat::app {

namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

Json build_information() {
  Json levels = Json::array();
  for (const SimdLevel level : supported_simd_levels()) levels.push_back(name_of(level));
  return {{"version", GAT_VERSION},
          {"compiler", compiler()},
          {"precision", sizeof(Real) == 4 ? "float" : "double"},
          {"openmp", _OPENMP},
          {"usable_processors", usable_processors()},
          {"simd", name_of(best_simd_level())},
          {"supported_simd", levels}};
}

Json run_environment(const Plan& plan, const std::vector<std::string>& command) {
  struct utsname system = {};
  ::uname(&system);
  Json json = build_information();
  json["system"] = std::string(system.sysname) + " " + system.release + " " + system.machine;
  json["processor"] = processor_name();
  json["threads"] = plan.execution.num_threads;
  json["simd"] = name_of(plan.execution.simd);
  json["started"] = utc_now();
  json["folder"] = std::filesystem::current_path().string();
  json["command"] = command;
  json["data"] = {{"name", plan.dataset.name},
                  {"format", plan.dataset.format},
                  {"source", plan.dataset.source},
                  {"fingerprint", plan.fingerprint}};
  return json;
}

}  // namespace gat::app
