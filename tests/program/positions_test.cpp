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

TEST_CASE("learned positions are saved with the model and predict the bits of their training",
          "[program][positions]") {
  for (const std::string options :
       {"--positions learned", "--positions laplacian:4,learned:6 --score gatv2",
        "--positions learned --block pre-norm --hidden 8 --heads 2",
        "--positions learned:3,random_walk:2 --block gps --hidden 8 --heads 2 --layers 1"}) {
    INFO(options);
    const TemporaryFolder folder;
    const ProgramResult trained = gat("train karate --epochs 3 -t 2 --out run " + options, folder.path());
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    CHECK_THAT(trained.err, Contains("positions: learned_positions, "));
    const ProgramResult predicted = gat("predict run karate -t 1", folder.path());
    CHECK(predicted.code == 0);
    CHECK(rows_without(predicted.out, {}) == rows_without(read_text(folder / "run/predictions.csv"), {2, 4}));
    REQUIRE(gat("train -c run/config.toml --out again -t 3", folder.path()).code == 0);
    CHECK(read_text(folder / "again/predictions.csv") == read_text(folder / "run/predictions.csv"));
  }
}

TEST_CASE("learned positions have a row per node, added or as columns", "[program][positions]") {
  const auto layers = [](const std::string& options) {
    return gat("train karate --dry-run --positions " + options, "/").err;
  };
  CHECK_THAT(layers("learned"), Contains("positions: learned_positions, 34 -> 34, 1156 parameters"));
  CHECK_THAT(layers("learned:5"), Contains("positions: learned_positions, 34 -> 39, 170 parameters"));
  CHECK_THAT(layers("learned:5"), Contains("layers.0: gat, 39 -> 64"));
  CHECK_THAT(layers("learned --block pre-norm --hidden 8 --heads 2"),
             Contains("positions: learned_positions, 8 -> 8, 272 parameters"));
  CHECK_THAT(layers("learned:5 --block pre-norm --hidden 8 --heads 2"), Contains("input: linear, 39 -> 8"));
}

TEST_CASE("data with more nodes than a model learned positions for are refused", "[program][positions]") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, int nodes) {
    std::filesystem::create_directory(folder / name);
    std::ofstream edges(folder / name / "edges.csv"), features(folder / name / "features.csv"),
        labels(folder / name / "labels.csv");
    features << "id,f0,f1\n";
    labels << "id,label\n";
    for (int i = 0; i < nodes; ++i) {
      edges << i << ',' << (i + 1) % nodes << '\n';
      features << i << ',' << i % 3 << ',' << i % 5 << '\n';
      labels << i << ',' << i % 2 << '\n';
    }
  };
  write("small", 20);
  write("large", 23);
  const ProgramResult trained = gat("train small --epochs 2 --positions learned --out run", folder.path());
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  const ProgramResult refused = gat("predict run large", folder.path());
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("learned_positions layer: the graph has 23 nodes, the layer has 20"));
}

TEST_CASE("a wrong position encoding is an error of usage", "[program][positions]") {
  const TemporaryFolder folder;
  const ProgramResult unknown = gat("train karate --positions laplace:4", folder.path());
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--positions: unknown position encoding \"laplace:4\"") ||
                              Contains("--positions: unknown position encoding \"laplace\""));
  CHECK(gat("train karate --positions laplacian:0", folder.path()).code == 2);
  CHECK_THAT(gat("train karate --positions lerned", folder.path()).err,
             Contains("did you mean \"learned\"?"));
  for (const char* wrong : {"learned:0", "learned:", "learned,learned:3", "learned,", ",laplacian:4"})
    CHECK(gat("train karate --positions " + std::string(wrong), folder.path()).code == 2);
}
