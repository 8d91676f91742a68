// Every score and block through the program: trained, saved, loaded, and what is refused.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

// Trains two epochs on the karate club and predicts by the saved model, on another number of threads.
void check_saved_model(const std::string& options) {
  INFO(options);
  const TemporaryFolder folder;
  const ProgramResult trained =
      gat("train karate --epochs 2 -t 2 --out run --hidden 8 --heads 2 " + options, folder.path());
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  const ProgramResult predicted = gat("predict run karate -t 1", folder.path());
  INFO(predicted.err);
  REQUIRE(predicted.code == 0);
  CHECK(rows_without(predicted.out, {}) == rows_without(read_text(folder / "run/predictions.csv"), {2, 4}));
}

void check_refused(const std::string& options, const std::string& message) {
  INFO(options);
  const ProgramResult refused = gat("train karate --dry-run " + options, "/");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains(message));
}

// The scores that the program knows, as it lists them when asked for one that it does not.
std::vector<std::string> known_scores() {
  const std::string message = gat("train karate --dry-run --score 00000000", "/").err;
  const std::string start = "; known: ";
  const std::size_t at = message.find(start);
  REQUIRE(at != std::string::npos);
  std::istringstream words(message.substr(at + start.size()));
  std::vector<std::string> names;
  for (std::string name; words >> name;) {
    if (name.back() == ',') name.pop_back();
    if (name != "auto") names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("a saved model of every score predicts the bits of its training", "[program][blocks]") {
  const std::vector<std::string> scores = known_scores();
  REQUIRE(scores.size() >= 11);
  for (const std::string& score : scores) check_saved_model("--block attention --score " + score);
}

TEST_CASE("the help of training lists every score", "[program][blocks]") {
  std::string help;
  for (const std::string& line : lines_of(gat("train --help", "/").out)) help += line + " ";
  const std::size_t start = help.find("--score NAME");
  REQUIRE(start != std::string::npos);
  const std::string listed = help.substr(start, help.find(" (default", start) - start) + ",";
  for (const std::string& score : known_scores()) CHECK_THAT(listed, Contains(" " + score + ","));
}

TEST_CASE("a saved model of every block predicts the bits of its training", "[program][blocks]") {
  for (const char* block :
       {"transformer-conv --gate", "pre-norm", "post-norm --norm batch", "residual --score gatv2",
        "gat-sep --jumping concat", "classic --jumping max --norm none", "residual --jumping lstm",
        "gps --window monotonic:4", "classic --norm graph-layer", "gat-sep --norm graph-layer",
        "gps --norm graph-layer"})
    check_saved_model(std::string("--block ") + block);
}

TEST_CASE("a model with norms over the whole graph predicts chosen nodes as it predicts all",
          "[program][blocks]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 2 -t 2 -q --out run --block classic --norm graph-layer", folder.path())
              .code == 0);
  const std::vector<std::string> all = lines_of(gat("predict run karate", folder.path()).out);
  const std::vector<std::string> chosen = lines_of(gat("predict run karate 30,4", folder.path()).out);
  REQUIRE(chosen.size() == 3);
  for (const std::string& line : chosen) CHECK(std::find(all.begin(), all.end(), line) != all.end());
}

TEST_CASE("a saved model with selections, windows and residuals predicts the bits of its training",
          "[program][blocks]") {
  for (const char* options :
       {"--score gatv2 --share-weights --residual auto --gate", "--select top:2", "--select argmax",
        "--select sampled", "--select sampled --sample-gradient score-function", "--window monotonic:4",
        "--window predictive:4", "--window monotonic:4,multiplied", "--window predictive:4,cut",
        "--score dot --window monotonic:4,cut,multiplied"})
    check_saved_model(options);
}

TEST_CASE("a general layer starts from its own defaults, the original's network from none of them",
          "[program][blocks]") {
  const auto settings = [](const std::string& options) {
    return Json::parse(gat("train karate --dry-run --json " + options, "/").out).at("settings").at("model");
  };
  const Json plain = settings("");
  CHECK(plain.at("block") == "gat");
  CHECK(plain.at("value_dropout") == 0.6);
  const Json gatv2 = settings("--score gatv2");
  CHECK(gatv2.at("block") == "attention");
  CHECK(gatv2.at("value_dropout") == 0.0);
  const Json separate = settings("--block gat-sep --feature-dropout 0.1");
  CHECK(separate.at("activation") == "gelu");
  CHECK(separate.at("feature_dropout") == 0.1);
  CHECK(settings("--block pre-norm").at("score") == "scaled_dot");
}

TEST_CASE("an edge loss trains the scores that have one", "[program][blocks]") {
  for (const char* const score : {"supergat_mx", "supergat_sd"})
    check_saved_model("--edge-loss 4 --score " + std::string(score));
  check_refused("--edge-loss 4", "--score supergat_mx");
  check_refused("--edge-loss 4 --score gatv2", "--score supergat_mx");
  check_refused("--edge-loss -1 --score supergat_mx", "--edge-loss");
}

TEST_CASE("unknown scores, blocks and rules name the nearest known one", "[program][blocks]") {
  check_refused("--score gatv3", "--score: unknown score \"gatv3\"; did you mean \"gatv2\"?");
  check_refused("--score custom", "--score: unknown score \"custom\"");
  check_refused("--block prenorm", "--block: unknown block \"prenorm\"; did you mean \"pre-norm\"?");
  check_refused("--select top:0", "--select: 0 is out of range");
  check_refused("--select some", "--select: unknown value \"some\"");
  check_refused("--window monotonic", "needs a width, for example monotonic:10");
  check_refused("--window monotonic:4,cuts", "--window: unknown value \"cuts\"; did you mean \"cut\"?");
  check_refused("--window monotonic:4,", "known: multiplied, cut");
  check_refused("--window none,cut", "name one, for example monotonic:10,cut");
  check_refused("--window monotonic:4,cut,cut", "\"cut\" is named twice; leave one");
  check_refused("--norm layers", "did you mean \"layer\"? Known: none, layer, graph-layer, batch");
}

TEST_CASE("choices that do not go together say what to change", "[program][blocks]") {
  check_refused("--block gat --score gatv2", "use --block attention");
  check_refused("--norm layer", "use --block classic");
  check_refused("--jumping concat", "use --block classic");
  check_refused("--score gatv2 --gate", "add --residual learned or auto");
  check_refused("--score gatv2 --value-dropout 0.5", "add --value-dropout 0");
  check_refused("--block gat-sep --residual learned", "leave --residual out");
  check_refused("--block gat-sep --hidden 10 --heads 4", "take a multiple");
  check_refused("--block gps --heads 2,1", "give --heads one number");
  check_refused("--select all --sample-gradient score-function", "add --select sampled");
  check_refused("--edge-use both", "there are no edge features to use");
}

TEST_CASE("a window is renormalised or multiplied, and cuts off edges where it is asked to",
          "[program][blocks]") {
  const TemporaryFolder folder;
  const std::string train = "train karate --epochs 1 -t 1 -q --score constant --layers 1 --window ";
  // Whether edges further than 4 have no part, and whether the softmax is without the window.
  struct Kind {
    const char* rule;
    bool is_cut, is_behind;
  };
  for (const Kind& kind :
       {Kind{"monotonic:4", false, false}, Kind{"monotonic:4,multiplied", false, true},
        Kind{"monotonic:4,cut", true, false}, Kind{"monotonic:4,cut,multiplied", true, true}}) {
    INFO(kind.rule);
    REQUIRE(gat(train + kind.rule + " --force --out run", folder.path()).code == 0);
    // Node 2 of the club has the neighbours 0, 1, 3, 7, 8, 9, 13, 27, 28 and 32.
    const Json rows = Json::parse(gat("attention run karate --json 2", folder.path()).out);
    double own = 0, next = 0, distant = 0, sum = 0;
    for (const Json& row : rows) {
      const double coefficient = row.at("coefficient");
      const int away = std::abs(std::stoi(row.at("source").get<std::string>()) - 2);
      sum += coefficient;
      if (away == 0) own = coefficient;
      if (away == 1) next = coefficient;
      if (away > 4) distant = std::max(distant, coefficient);
    }
    CHECK(sum == Approx(1));
    CHECK((distant == 0) == kind.is_cut);
    CHECK((own == next) == kind.is_behind);
  }
}

TEST_CASE("attention over all pairs of nodes is not listed as edges", "[program][blocks]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 1 --block gps --layers 1 --out run", folder.path()).code == 0);
  const ProgramResult all = gat("attention run karate --json", folder.path());
  REQUIRE(all.code == 0);
  REQUIRE(!Json::parse(all.out).empty());
  const ProgramResult refused = gat("attention run karate --layer 0", folder.path());
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("no attention over edges; those that have: 1"));
}
