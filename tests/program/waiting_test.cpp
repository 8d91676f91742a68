// How the threads of the program wait for each other; seen in what GCC's OpenMP runtime says when asked.
#include "catch.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;

namespace {

std::string runtime_settings(std::map<std::string, std::string> environment) {
  environment["OMP_DISPLAY_ENV"] = "VERBOSE";
  ProgramCall call;
  call.words = {"version"};
  call.environment = std::move(environment);
  call.folder = "/";
  const ProgramResult result = run_program(call);
  CHECK(result.code == 0);
  return result.err;
}

}  // namespace

TEST_CASE("threads spin shortly unless the environment says how they wait", "[program][threads]") {
  const std::string settings = runtime_settings({});
  if (settings.find("GOMP_SPINCOUNT") == std::string::npos) return;  // another runtime
  CHECK_THAT(settings, Contains("GOMP_SPINCOUNT = '10000'"));
  CHECK_THAT(runtime_settings({{"GOMP_SPINCOUNT", "77"}}), Contains("GOMP_SPINCOUNT = '77'"));
  CHECK_THAT(runtime_settings({{"OMP_WAIT_POLICY", "active"}}), !Contains("GOMP_SPINCOUNT = '10000'"));
}
