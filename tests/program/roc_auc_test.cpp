// ROC-AUC and calibration through the program.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

// A ring of 40 nodes; one feature says the class, with noise.
void write_two_classes(const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder);
  std::ofstream edges(folder / "edges.csv");
  std::ofstream features(folder / "features.csv");
  std::ofstream labels(folder / "labels.csv");
  edges << "source,target\n";
  features << "id,f0,f1\n";
  labels << "id,label\n";
  for (int i = 0; i < 40; ++i) {
    edges << i << "," << (i + 1) % 40 << "\n";
    features << i << "," << (i < 20 ? 1 : 2) + i * 7 % 10 * 0.15 << "," << 1 + i * 3 % 4 << "\n";
    labels << i << (i < 20 ? ",no\n" : ",yes\n");
  }
}

}  // namespace

TEST_CASE("a task of two classes reports ROC-AUC everywhere and can stop by it", "[program][roc_auc]") {
  const TemporaryFolder folder;
  write_two_classes(folder / "pair");
  const ProgramResult trained =
      gat("train pair --epochs 30 --split fraction:0.3/0.4/0.3 --stop roc_auc --seeds 0-1 -t 1 --out run",
          folder.path());
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.out, Contains("test ROC-AUC ") && Contains("over 2 seeds"));
  CHECK_THAT(trained.err, Contains("ROC-AUC"));
  const Json summary = Json::parse(read_text(folder / "run/summary.json"));
  CHECK(summary.at("test_roc_auc").at("count") == 2);
  double best = 0;
  int best_epoch = 0;
  for (const std::string& line : lines_of(read_text(folder / "run/seed-0/metrics.jsonl"))) {
    const Json epoch = Json::parse(line);
    if (epoch.at("validation_roc_auc") < best) continue;
    best = epoch.at("validation_roc_auc");
    best_epoch = epoch.at("epoch");
  }
  CHECK(summary.at("runs")[0].at("best_epoch") == best_epoch);
  CHECK(summary.at("runs")[0].at("validation").at("roc_auc") == best);
  const ProgramResult evaluated = gat("evaluate run/seed-0 pair", folder.path());
  CHECK_THAT(evaluated.out, Contains("ROC-AUC") && Contains("ECE"));
  const Json scores = Json::parse(gat("evaluate run/seed-0 pair --json", folder.path()).out);
  CHECK(scores.at("parts").at("test") == summary.at("runs")[0].at("test"));
  CHECK(scores.at("parts").at("test").at("calibration_error").is_number());
  CHECK(gat("evaluate run/seed-0 pair --fail-under roc_auc=1.5", folder.path()).code == 7);
}

TEST_CASE("more than two classes have a calibration error and no ROC-AUC", "[program][roc_auc]") {
  const TemporaryFolder folder;
  const ProgramResult refused =
      gat("train synthetic-cora --epochs 1 --stop roc_auc --out bad", folder.path());
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--stop roc_auc: needs two classes"));
  const ProgramResult trained = gat("train synthetic-cora --epochs 1 -t 1 --json --out run", folder.path());
  REQUIRE(trained.code == 0);
  const Json test = Json::parse(trained.out).at("runs")[0].at("test");
  CHECK(test.at("roc_auc").is_null());
  CHECK(test.at("calibration_error").is_number());
  CHECK_THAT(gat("evaluate run synthetic-cora", folder.path()).out, Contains("ECE") && !Contains("ROC-AUC"));
  CHECK(gat("evaluate run synthetic-cora --fail-under roc_auc=0", folder.path()).code == 2);
}
