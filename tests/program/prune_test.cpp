// --no-prune: training on every row gives what training on the rows that the loss reaches gives.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

TEST_CASE("training without pruning has the same history, and the report says which it was", "[program]") {
  const TemporaryFolder folder;
  const std::string train = "train synthetic-cora --epochs 6 -t 1 --hidden 4 --json --out ";
  const ProgramResult pruned = gat(train + "pruned", folder.path());
  const ProgramResult whole = gat(train + "whole --no-prune", folder.path());
  REQUIRE(pruned.code == 0);
  REQUIRE(whole.code == 0);
  CHECK(Json::parse(pruned.out).at("runs")[0].at("training_rows") == "pruned");
  CHECK(Json::parse(whole.out).at("runs")[0].at("training_rows") == "whole");
  CHECK(Json::parse(whole.out).at("runs")[0].at("validation_rows") == "whole");
  CHECK_THAT(pruned.err, Contains("computed: for training the rows it reaches"));
  CHECK_THAT(whole.err, Contains("computed: for training the whole graph, for validation the whole graph"));
  const auto a = lines_of(read_text(folder / "pruned/metrics.jsonl"));
  const auto b = lines_of(read_text(folder / "whole/metrics.jsonl"));
  REQUIRE(a.size() == 6);
  REQUIRE(b.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) {
    for (const char* number : {"train_loss", "validation_loss"}) {
      INFO(number << " of epoch " << k + 1);
      CHECK(Json::parse(a[k]).at(number).get<double>() ==
            Approx(Json::parse(b[k]).at(number).get<double>()).epsilon(1e-4));
    }
    const double accuracy = Json::parse(b[k]).at("validation_accuracy");
    CHECK(Json::parse(a[k]).at("validation_accuracy").get<double>() == Approx(accuracy).margin(0.005));
  }
}

TEST_CASE("pruning is a key of the configuration", "[program]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 1 -t 1 --no-prune --out run", folder.path()).code == 0);
  CHECK_THAT(read_text(folder / "run/config.toml"), Contains("prune = false"));
  const Json json =
      Json::parse(gat("train -c run/config.toml --epochs 1 -t 1 --json --out again", folder.path()).out);
  CHECK(json.at("settings").at("training").at("prune") == false);
  CHECK(json.at("runs")[0].at("training_rows") == "whole");
  CHECK(json.at("runs")[0].at("validation_rows").is_null());
}
