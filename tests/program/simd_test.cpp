// --simd: which instructions the kernels use, in every verb that computes.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

// What the program says that this machine supports, lowest first.
std::vector<std::string> supported() {
  return Json::parse(gat("version --json", "/").out).at("supported_simd");
}

const std::string kTraining = "train synthetic-cora --epochs 2 -t 1 -q --simd baseline --out ";

}  // namespace

TEST_CASE("version names the instructions that are used and those that could be", "[program][simd]") {
  const Json json = Json::parse(gat("version --json", "/").out);
  const std::vector<std::string> levels = supported();
  const std::vector<std::string> known{"baseline", "avx2", "avx512"};
  REQUIRE((levels.size() >= 1 && levels.size() <= 3));
  CHECK(std::equal(levels.begin(), levels.end(), known.begin()));
  CHECK(json.at("simd") == levels.back());
  CHECK_THAT(gat("version", "/").out, Contains("\ninstructions " + levels.back() + " (supported: baseline"));
}

TEST_CASE("the lowest level trains, predicts and is recorded", "[program][simd]") {
  const TemporaryFolder folder;
  const ProgramResult result =
      gat("train karate --epochs 300 -t 1 --simd baseline --out run --json", folder.path());
  INFO(result.err);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.err, Contains("threads: 1; instructions: baseline"));
  const Json json = Json::parse(result.out);
  CHECK(json.at("simd") == "baseline");
  CHECK(json.at("settings").at("training").at("simd") == "baseline");
  CHECK(json.at("runs")[0].at("test").at("accuracy") > 0.5);
  CHECK(Json::parse(read_text(folder / "run/env.json")).at("simd") == "baseline");
  CHECK_THAT(read_text(folder / "run/config.toml"), Contains("simd = \"baseline\""));
  const std::string predicted = gat("predict run karate --simd baseline", folder.path()).out;
  CHECK(rows_without(read_text(folder / "run/predictions.csv"), {2, 4}) == rows_without(predicted, {}));
}

TEST_CASE("one level gives the same bits twice, and may differ from another", "[program][simd]") {
  const TemporaryFolder folder;
  REQUIRE(gat(kTraining + "a", folder.path()).code == 0);
  REQUIRE(gat(kTraining + "b", folder.path()).code == 0);
  CHECK(read_text(folder / "a/model.safetensors") == read_text(folder / "b/model.safetensors"));
  CHECK(read_text(folder / "a/predictions.csv") == read_text(folder / "b/predictions.csv"));
  if (supported().size() == 1) return;
  // Fused multiply-adds round once where the lowest level rounds twice.
  REQUIRE(gat("train -c a/config.toml --simd auto -t 1 -q --out c", folder.path()).code == 0);
  CHECK(read_text(folder / "a/predictions.csv") != read_text(folder / "c/predictions.csv"));
}

TEST_CASE("every verb that computes takes a level", "[program][simd]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 2 -t 1 --out run", folder.path()).code == 0);
  for (const std::string verb : {"evaluate", "predict", "attention", "embed"}) {
    const ProgramResult result = gat(verb + " run karate --simd baseline", folder.path());
    INFO(verb << ": " << result.err);
    CHECK(result.code == 0);
  }
  const Json bench = Json::parse(gat("bench karate --rounds 1 -t 1 --simd baseline --json -q", "/").out);
  CHECK(bench.at("simd") == "baseline");
}

TEST_CASE("a level that is unknown or that the machine lacks is refused", "[program][simd]") {
  const TemporaryFolder folder;
  const ProgramResult unknown = gat("train karate --simd avx3 --out run", folder.path());
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--simd: unknown value \"avx3\"") && Contains("did you mean \"avx2\""));
  std::ofstream(folder / "c.toml") << "[training]\nsimd = \"fast\"\n";
  const ProgramResult in_file = gat("train karate -c c.toml", folder.path());
  CHECK(in_file.code == 2);
  CHECK_THAT(in_file.err, Contains("c.toml:2:1: training.simd: ") && Contains("baseline, avx2, avx512"));
  const std::vector<std::string> levels = supported();
  for (const std::string name : {"avx2", "avx512"}) {
    if (std::find(levels.begin(), levels.end(), name) != levels.end()) continue;
    const ProgramResult lacking = gat("predict run karate --simd " + name, folder.path());
    CHECK(lacking.code == 2);
    CHECK_THAT(lacking.err, Contains("no " + name + " kernels"));
  }
}
