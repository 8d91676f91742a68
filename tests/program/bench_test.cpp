// gat bench: the steps of a network on a data set, suites with yardsticks, comparison with an earlier run.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;

namespace {

nlohmann::json json_of(const ProgramResult& result) {
  INFO(result.err);
  REQUIRE(result.code == 0);
  return nlohmann::json::parse(result.out);
}

void check_refused(const ProgramResult& result, int code, const std::string& what) {
  INFO(result.err);
  CHECK(result.code == code);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains(what));
}

}  // namespace

TEST_CASE("bench of a data set times training steps and evaluation", "[program]") {
  const nlohmann::json json =
      json_of(gat("bench synthetic-cora --rounds 2 --threads 1 --heads 2 --json -q", "/"));
  std::vector<std::string> names;
  for (const auto& step : json["steps"]) {
    names.push_back(step["name"]);
    CHECK(step["rounds"].size() == 2);
    CHECK(step["seconds_min"] > 0);
    CHECK(step["seconds_median"] >= step["seconds_min"]);
    CHECK(step["threads"] == 1);
  }
  CHECK(names == std::vector<std::string>{"training step", "training step, pruned", "evaluation"});
  CHECK(json["peak_memory_bytes"] > 1000000);
  CHECK(json["settings"]["model"]["heads"] == nlohmann::json::array({2}));
}

TEST_CASE("bench times no pruned step where the training nodes reach most of the graph", "[program]") {
  const nlohmann::json steps = json_of(gat("bench karate --rounds 1 --threads 1 --json -q", "/"))["steps"];
  REQUIRE(steps.size() == 2);
  CHECK(steps[1]["name"] == "evaluation");
}

TEST_CASE("bench of a suite states yardsticks, limits and ratios of every round", "[program]") {
  const nlohmann::json json = json_of(gat("bench --suite cora --rounds 1 --threads 1 --json -q", "/"));
  CHECK(json["yardsticks"].size() == 5);
  for (const auto& yardstick : json["yardsticks"]) CHECK(yardstick["median"] > 0);
  const auto& step = json["cases"].at(0);
  CHECK(step["suite"] == "cora");
  CHECK(step["name"] == "training step");
  CHECK(step["ratios"].size() == 1);
  const double ratio = step["ratio_median"];
  const double limit = step["limit_seconds_median"];
  CHECK(ratio == Approx(limit / step["seconds_median"].get<double>()));
  CHECK(json["case_ratios"].at(0)["name"] == "training step, pruned / whole, 1 thread");
}

TEST_CASE("bench compares with an earlier output of its own", "[program]") {
  const TemporaryFolder folder;
  const std::string bench = "bench karate --rounds 1 --threads 1 -q";
  const ProgramResult earlier = gat(bench + " --json", "/");
  std::ofstream(folder / "old.json") << earlier.out;
  const std::string compared = bench + " --compare " + (folder / "old.json").string();
  CHECK_THAT(gat(compared, "/").out, Contains("comparison"));
  const nlohmann::json rows = json_of(gat(compared + " --json", "/"))["comparison"];
  REQUIRE(rows.size() == 2);
  const double old_seconds = rows[0]["old_seconds"];
  CHECK(old_seconds == nlohmann::json::parse(earlier.out)["steps"][0]["seconds_median"]);
  CHECK(rows[0]["old_over_new"] == Approx(old_seconds / rows[0]["new_seconds"].get<double>()));
}

TEST_CASE("bench refuses files that it did not write, before it measures", "[program]") {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> files[] = {
      {"{", "this is not JSON"},
      {"[1]", "not a JSON object"},
      {"{}", "neither cases nor steps"},
      {R"({"steps": 1})", "\"steps\" is not a list"},
      {R"({"steps": [{}]})", "without name"},
      {R"({"cases": [{"name": "x", "threads": 1, "seconds_median": 0}]})", "not above 0"}};
  for (const auto& [text, what] : files) {
    std::ofstream(folder / "bad.json") << text;
    check_refused(gat("bench karate --compare " + (folder / "bad.json").string(), "/"), 3, what);
  }
  check_refused(gat("bench karate --compare /missing.json", "/"), 4, "/missing.json");
}

TEST_CASE("bench refuses words that make no sense", "[program]") {
  check_refused(gat("bench --suite kernelz", "/"), 2, "did you mean \"kernels\"");
  check_refused(gat("bench --rounds 0", "/"), 2, "--rounds: 0 is out of range");
  check_refused(gat("bench karate --suite cora", "/"), 2, "exclude each other");
  check_refused(gat("bench karate --epochs 3", "/"), 2, "no such option");
  check_refused(gat("bench kerate", "/"), 2, "did you mean \"karate\"");
}
