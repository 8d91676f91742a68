// --positions: encodings beside the features, in training and in everything that uses the model.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

struct TrainedWithPositions {
  TemporaryFolder folder;
  ProgramResult training =
      gat("train karate --epochs 5 --positions laplacian:4,random_walk:8,sinusoidal:3 -t 2 --out run",
          folder.path());
  TrainedWithPositions() {
    INFO(training.err);
    REQUIRE(training.code == 0);
  }
};

}  // namespace

TEST_CASE_METHOD(TrainedWithPositions, "predictions of a model with positions are those of its training",
                 "[program][positions]") {
  CHECK_THAT(training.err, Contains("positions: laplacian:4,random_walk:8,sinusoidal:3, 15 columns"));
  const std::string wanted = rows_without(read_text(folder / "run/predictions.csv"), {2, 4});
  for (const std::string threads : {"1", "3"}) {
    const ProgramResult predicted = gat("predict run karate -t " + threads, folder.path());
    CHECK(predicted.code == 0);
    CHECK(rows_without(predicted.out, {}) == wanted);
  }
  const Json evaluated = Json::parse(gat("evaluate run karate --json", folder.path()).out);
  CHECK(evaluated.at("parts").at("test") == Json::parse(read_text(folder / "run/summary.json")).at("test"));
}

TEST_CASE_METHOD(TrainedWithPositions, "positions are in the configuration, the model and its description",
                 "[program][positions]") {
  CHECK_THAT(read_text(folder / "run/config.toml"),
             Contains("positions = \"laplacian:4,random_walk:8,sinusoidal:3\""));
  const Json info = Json::parse(gat("info run --json", folder.path()).out);
  CHECK(info.at("positions") == "laplacian:4,random_walk:8,sinusoidal:3");
  CHECK(info.at("node_features") == 34 + 15);
  REQUIRE(gat("train -c run/config.toml --out again -t 1", folder.path()).code == 0);
  CHECK(read_text(folder / "again/predictions.csv") == read_text(folder / "run/predictions.csv"));
}

TEST_CASE("a wrong position encoding is an error of usage", "[program][positions]") {
  const TemporaryFolder folder;
  const ProgramResult unknown = gat("train karate --positions laplace:4", folder.path());
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--positions: unknown position encoding \"laplace:4\"") ||
                              Contains("--positions: unknown position encoding \"laplace\""));
  CHECK(gat("train karate --positions laplacian:0", folder.path()).code == 2);
}
