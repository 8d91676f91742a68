// --precision: how the rows that edges gather are stored, in every verb that computes.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

TEST_CASE("a run on rows of bf16 trains, is recorded and starts again from its configuration",
          "[program][precision]") {
  const TemporaryFolder folder;
  const ProgramResult result =
      gat("train karate --epochs 300 -t 1 --precision bf16 --out run --json", folder.path());
  INFO(result.err);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.err, Contains("; gathered rows: bf16"));
  const Json json = Json::parse(result.out);
  CHECK(json.at("settings").at("training").at("precision") == "bf16");
  CHECK(json.at("runs")[0].at("test").at("accuracy") > 0.5);
  CHECK_THAT(read_text(folder / "run/config.toml"), Contains("precision = \"bf16\""));
  REQUIRE(gat("train -c run/config.toml -t 2 -q --out again", folder.path()).code == 0);
  CHECK(read_text(folder / "run/predictions.csv") == read_text(folder / "again/predictions.csv"));
  // Weights are floats: the model serves at either precision, and only the same one gives the same digits.
  const std::string saved = rows_without(read_text(folder / "run/predictions.csv"), {2, 4});
  CHECK(saved == rows_without(gat("predict run karate --precision bf16", folder.path()).out, {}));
  const ProgramResult in_floats = gat("predict run karate", folder.path());
  REQUIRE(in_floats.code == 0);
  CHECK(saved != rows_without(in_floats.out, {}));
}

TEST_CASE("every verb that computes takes a precision", "[program][precision]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 2 -t 1 -q --out run", folder.path()).code == 0);
  for (const std::string verb : {"evaluate", "predict", "attention", "embed"}) {
    const ProgramResult result = gat(verb + " run karate --precision bf16", folder.path());
    INFO(verb << ": " << result.err);
    CHECK(result.code == 0);
  }
  const Json bench = Json::parse(gat("bench karate --rounds 1 -t 1 --precision bf16 --json -q", "/").out);
  CHECK(bench.at("settings").at("training").at("precision") == "bf16");
}

TEST_CASE("networks of gat layers take a precision in every verb, whatever block they are built from",
          "[program][precision]") {
  const TemporaryFolder folder;
  for (const std::string block : {"residual", "gat-sep", "classic --norm graph-layer"}) {
    INFO(block);
    const std::string options = " --hidden 16 --heads 2 --block " + block;
    const ProgramResult trained =
        gat("train karate --epochs 2 -t 1 --precision bf16 --force --out run" + options, folder.path());
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    const std::string saved = rows_without(read_text(folder / "run/predictions.csv"), {2, 4});
    CHECK(saved == rows_without(gat("predict run karate --precision bf16", folder.path()).out, {}));
    CHECK(saved != rows_without(gat("predict run karate", folder.path()).out, {}));
    CHECK(gat("evaluate run karate --precision bf16", folder.path()).code == 0);
    CHECK(gat("bench karate --rounds 1 -t 1 --precision bf16 --json -q" + options, "/").code == 0);
  }
}

TEST_CASE("networks with another attention refuse bf16 alike in every verb", "[program][precision]") {
  const TemporaryFolder folder;
  struct Refused {
    const char *options, *layer;
  };
  for (const Refused& refused : {Refused{"--score gatv2", "layers.0 is of kind attention"},
                                 Refused{"--block residual --select top:2", "blocks.0.attention is of kind"},
                                 Refused{"--block gps", "blocks.0.global_attention is of kind attention"}}) {
    INFO(refused.options);
    const std::string train = std::string("train karate --epochs 1 -t 1 -q --force --out run ");
    REQUIRE(gat(train + refused.options, folder.path()).code == 0);
    for (const std::string& call : {train + refused.options, std::string("bench karate ") + refused.options,
                                    std::string("evaluate run karate"), std::string("predict run karate"),
                                    std::string("attention run karate"), std::string("embed run karate")}) {
      const ProgramResult result = gat(call + " --precision bf16", folder.path());
      INFO(call);
      CHECK(result.code == 2);
      CHECK_THAT(result.err, Contains("--precision bf16: ") && Contains(refused.layer) &&
                                 Contains("use --precision float, or"));
    }
  }
}

TEST_CASE("a precision that is unknown, or that a block or a suite has not, is refused",
          "[program][precision]") {
  const TemporaryFolder folder;
  const ProgramResult unknown = gat("train karate --precision bf61 --out run", folder.path());
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--precision: ") && Contains("did you mean \"bf16\""));
  const ProgramResult block = gat("train karate --score gatv2 --precision bf16 --out run", folder.path());
  CHECK(block.code == 2);
  CHECK_THAT(block.err, Contains("--precision bf16: ") && Contains("--block gat") && Contains("attention"));
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
  const ProgramResult suite = gat("bench --suite cora --precision bf16", "/");
  CHECK(suite.code == 2);
  CHECK_THAT(suite.err, Contains("--precision bf16: ") && Contains("DATA"));
}
