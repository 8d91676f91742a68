// --profile: where a run's time and memory went, as a table and as JSON.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

TEST_CASE("a profile is a table of phases and layers on standard output", "[program][profile]") {
  const TemporaryFolder folder;
  const ProgramResult result = gat("train karate --epochs 5 -t 1 -q --profile --out run", folder.path());
  INFO(result.err);
  REQUIRE(result.code == 0);
  for (const char* line : {"\nforward ", "\n  layers.0 ", "\n  layers.1 ", "\nloss ", "\nbackward ",
                           "\nupdate ", "\nvalidation ", "\nall ", "\npeak memory "})
    CHECK_THAT(result.out, Contains(line));
  const ProgramResult plain = gat("train karate --epochs 5 -t 1 -q --out plain", folder.path());
  CHECK_THAT(plain.out, !Contains("forward"));
  // Times are no part of a model.
  CHECK(read_text(folder / "run/model.safetensors") == read_text(folder / "plain/model.safetensors"));
}

TEST_CASE("a profile is part of the JSON report and of the summary", "[program][profile]") {
  const TemporaryFolder folder;
  const Json json =
      Json::parse(gat("train karate --epochs 5 -t 1 --profile --json --out run", folder.path()).out);
  const Json profile = json.at("runs")[0].at("profile");
  CHECK(profile.at("forward_seconds") > 0);
  CHECK(profile.at("backward_seconds") > 0);
  CHECK(profile.at("validation_seconds") == 0);
  CHECK(profile.at("peak_memory_bytes") > 1000000);
  REQUIRE(profile.at("steps").size() == 2);
  CHECK(profile.at("steps")[0].at("name") == "layers.0");
  CHECK(profile.at("steps")[0].at("forward_seconds") > 0);
  CHECK(Json::parse(read_text(folder / "run/summary.json")).at("profile") == profile);
}
