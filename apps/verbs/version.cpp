// gat version: what this program is and how it was built.
#include <fmt/format.h>

#include "exit_code.hpp"
#include "output/sink.hpp"
#include "run/environment_file.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

int run_version(const Call& call) {
  const Json json = build_information();
  if (call.settings.json) {
    print(json_document(json));
    return kDone;
  }
  std::string levels;
  for (const SimdLevel level : supported_simd_levels())
    levels += (levels.empty() ? "" : ", ") + std::string(name_of(level));
  print(
      fmt::format("gat {}\ncompiler {}\nprecision {}\nOpenMP {}\nusable processors {}\n"
                  "instructions {} (supported: {})\n",
                  json["version"].get<std::string>(), json["compiler"].get<std::string>(),
                  json["precision"].get<std::string>(), json["openmp"].get<int>(),
                  json["usable_processors"].get<int>(), name_of(best_simd_level()), levels));
  return kDone;
}

}  // namespace gat::app
