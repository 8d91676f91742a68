// Training by the built program: run folder, exactness, seeds, interrupts.
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

// Sends a signal once the run has finished its first epochs.
std::function<void(int)> signal_after_start(const std::filesystem::path& run, int signal) {
  return [run, signal](int process) {
    for (int tries = 0; tries < 600 && read_text(run / "metrics.jsonl").empty(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ::kill(process, signal);
  };
}

}  // namespace

TEST_CASE("training leaves a complete run folder", "[program]") {
  const TemporaryFolder folder;
  const ProgramResult result = gat("train karate --epochs 30 -t 1", folder.path());
  INFO(result.err);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out, Contains("seed 0: test accuracy 0.") && Contains("saved in runs/karate-gat-001"));
  CHECK_THAT(result.err, Contains("train 4 (by class: 1 1 1 1), validation 0, test 30"));
  CHECK_THAT(result.err, Contains("learning_rate=0.005") && Contains("seed: 0; threads: 1"));
  CHECK_THAT(result.err, Contains("no validation nodes"));
  CHECK_THAT(result.err, Contains("data: karate (embedded), 34 nodes"));
  CHECK_THAT(result.err, Contains("epoch 20/30 ") && Contains("epoch 30/30 "));
  CHECK(result.err.find('\r') == std::string::npos);
  const auto run = folder / "runs/karate-gat-001";
  for (const char* name :
       {"config.toml", "env.json", "metrics.jsonl", "predictions.csv", "model.safetensors", "log.txt"}) {
    CHECK(std::filesystem::file_size(run / name) > 0);
  }
  const auto epochs = lines_of(read_text(run / "metrics.jsonl"));
  REQUIRE(epochs.size() == 30);
  CHECK(Json::parse(epochs.back()).at("epoch") == 30);
  CHECK(lines_of(read_text(run / "predictions.csv")).size() == 35);
  CHECK(Json::parse(read_text(run / "env.json")).at("data").at("name") == "karate");
  CHECK_THAT(gat("train karate --epochs 1", folder.path()).out, Contains("runs/karate-gat-002"));
}

TEST_CASE("a saved model predicts the bits that training reported", "[program]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train synthetic-cora --epochs 3 --out run", folder.path()).code == 0);
  const std::string reported = read_text(folder / "run/predictions.csv");
  const std::string predicted = gat("predict run synthetic-cora", folder.path()).out;
  CHECK(rows_without(reported, {2, 4}) == rows_without(predicted, {}));
  // A few nodes are computed from their neighbourhood alone; the bits are the same.
  const auto all = lines_of(predicted);
  const auto chosen = lines_of(gat("predict run synthetic-cora 1500,3,3", folder.path()).out);
  REQUIRE(chosen.size() == 4);
  CHECK(chosen[1] == all[1501]);
  CHECK(chosen[2] == all[4]);
  CHECK(chosen[3] == all[4]);
}

TEST_CASE("the saved configuration starts the same run again, whatever the threads and the locale",
          "[program]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train synthetic-cora --epochs 3 --seed 5 --hidden 4 --heads 3,1 --out a -t 2", folder.path())
              .code == 0);
  ProgramCall call{{"train", "-c", "../a/config.toml", "--out", "../b", "-t", "1"},
                   "",
                   {{"LC_ALL", "de_DE.UTF-8"}},
                   folder / "b0",
                   false,
                   {}};
  std::filesystem::create_directory(folder / "b0");
  REQUIRE(run_program(call).code == 0);
  CHECK(read_text(folder / "a/predictions.csv") == read_text(folder / "b/predictions.csv"));
  CHECK(read_text(folder / "a/model.safetensors") == read_text(folder / "b/model.safetensors"));
  REQUIRE(gat("train -c b/config.toml --threads 2 --out again", folder.path()).code == 0);
  CHECK(read_text(folder / "a/config.toml") == read_text(folder / "again/config.toml"));
  REQUIRE(gat("train -c a/config.toml --seed 6 --out c", folder.path()).code == 0);
  CHECK(read_text(folder / "a/predictions.csv") != read_text(folder / "c/predictions.csv"));
}

TEST_CASE("json is one document, and everything else goes to standard error", "[program]") {
  const TemporaryFolder folder;
  const ProgramResult result = gat("train karate --epochs 5 --seeds 3,1 -t 1 --json", folder.path());
  REQUIRE(result.code == 0);
  const Json json = Json::parse(result.out);
  CHECK(json.at("runs").size() == 2);
  CHECK(json.at("runs")[0].at("seed") == 3);
  CHECK(json.at("test_accuracy").at("count") == 2);
  CHECK(json.at("settings").at("model").at("negative_slope") == 0.2);
  CHECK_THAT(gat("train karate --epochs 5 --stop paper --json", folder.path()).err,
             Contains("needs validation nodes"));
  CHECK(gat("train karate --epochs 5 --stop paper --json", folder.path()).out.empty());
}

TEST_CASE("several seeds give each run, mean and standard deviation", "[program]") {
  const TemporaryFolder folder;
  const ProgramResult result = gat("train karate --epochs 20 --seeds 0-2 -t 1 --out many -q", folder.path());
  REQUIRE(result.code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Contains("seed 0: ") && Contains("seed 1: ") && Contains("seed 2: ") &&
                             Contains("over 3 seeds"));
  const Json summary = Json::parse(read_text(folder / "many/summary.json"));
  double mean = 0;
  for (const Json& run : summary.at("runs")) mean += run.at("test").at("accuracy").get<double>() / 3;
  CHECK(summary.at("test_accuracy").at("mean").get<double>() == Approx(mean));
  CHECK(summary.at("test_accuracy").at("standard_deviation").is_number());
  CHECK(gat("evaluate many/seed-2 karate", folder.path()).code == 0);
  const ProgramResult whole = gat("evaluate many karate", folder.path());
  CHECK(whole.code == 2);
  CHECK_THAT(whole.err, Contains("several seeds") && Contains("many/seed-0"));
  REQUIRE(gat("train karate --epochs 20 --seed 2 -t 1 --out one -q", folder.path()).code == 0);
  CHECK(read_text(folder / "one/predictions.csv") == read_text(folder / "many/seed-2/predictions.csv"));
}

TEST_CASE("one seed has no standard deviation", "[program]") {
  const TemporaryFolder folder;
  const Json json = Json::parse(gat("train karate --epochs 3 --seeds 4 -t 1 --json", folder.path()).out);
  CHECK(json.at("test_accuracy").at("standard_deviation").is_null());
  CHECK(json.at("test_accuracy").at("count") == 1);
}

TEST_CASE("an unfinished seed does not count in the mean", "[program]") {
  const TemporaryFolder folder;
  ProgramCall call{{"train", "karate", "--epochs", "100000000", "--seeds", "7,8", "-t", "1", "--out", "run"},
                   "",
                   {},
                   folder.path(),
                   false,
                   signal_after_start(folder / "run/seed-7", SIGINT)};
  const ProgramResult result = run_program(call);
  CHECK(result.code == 130);
  CHECK_THAT(result.out, Contains("seed 7 (unfinished): ") && !Contains("over "));
  CHECK_THAT(result.err, Contains("seed 7 is unfinished and does not count"));
  const Json summary = Json::parse(read_text(folder / "run/summary.json"));
  REQUIRE(summary.at("runs").size() == 1);
  CHECK(summary.at("runs")[0].at("interrupted") == true);
  CHECK_FALSE(summary.contains("test_accuracy"));
}

TEST_CASE("a finished run is saved when nobody reads standard output", "[program]") {
  const TemporaryFolder folder;
  for (const char* json : {"--json", "--no-json"}) {
    REQUIRE(gat("train karate --epochs 2 -t 1 --out run --force", folder.path()).code == 0);
    const ProgramResult result = run_program(
        {{"train", "karate", "--epochs", "5", "--seeds", "0-2", "-t", "1", "--out", "run", "--force", json},
         "",
         {},
         folder.path(),
         true,
         {}});
    CHECK(result.code == 141);
    CHECK_THAT(result.err, Contains("find them in run"));
    CHECK(Json::parse(read_text(folder / "run/summary.json")).at("runs").size() == 3);
    CHECK(gat("evaluate run/seed-2 karate", folder.path()).code == 0);
  }
}

TEST_CASE("a run folder is replaced only by force, and never one with other files", "[program]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 3 -t 1 --out run", folder.path()).code == 0);
  const std::string first = read_text(folder / "run/predictions.csv");
  CHECK(gat("train karate --epochs 6 -t 1 --out run", folder.path()).code == 4);
  CHECK(gat("train karate --epochs 6 -t 1 --out run --force --stop paper", folder.path()).code == 2);
  CHECK(read_text(folder / "run/predictions.csv") == first);
  CHECK(gat("train karate --epochs 6 -t 1 --out run --force", folder.path()).code == 0);
  CHECK(read_text(folder / "run/predictions.csv") != first);
  std::ofstream(folder / "run/thesis.txt") << "mine";
  CHECK(gat("train karate --epochs 6 -t 1 --out run --force", folder.path()).code == 4);
  CHECK(std::filesystem::exists(folder / "run/thesis.txt"));
  // Nothing is left over.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()),
                      std::filesystem::directory_iterator()) == 1);
}

TEST_CASE("a run that fails before its first epoch leaves no folder", "[program]") {
  const TemporaryFolder folder;
  CHECK(gat("train karate --class-weights 1,2 --out run", folder.path()).code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
}

TEST_CASE("an interrupt finishes the epoch, saves and says so", "[program]") {
  const TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string name = "run" + std::to_string(signal);
    ProgramCall call{{"train", "karate", "--epochs", "100000000", "-t", "1", "--out", name},
                     "",
                     {},
                     folder.path(),
                     false,
                     signal_after_start(folder / name, signal)};
    const ProgramResult result = run_program(call);
    CHECK(result.code == 128 + signal);
    CHECK_THAT(result.err, Contains("the report are saved in " + name));
    CHECK(gat("evaluate " + name + " karate", folder.path()).code == 0);
  }
}

TEST_CASE("numbers that leave the finite range end the run with 6", "[program]") {
  const TemporaryFolder folder;
  const ProgramResult result =
      gat("train karate --learning-rate 1e30 --epochs 50 -t 1 --out run", folder.path());
  INFO(result.err);
  CHECK(result.code == 6);
  CHECK_THAT(read_text(folder / "run/log.txt"), Contains("error: "));
}

TEST_CASE("OMP_NUM_THREADS counts only without the option", "[program]") {
  const TemporaryFolder folder;
  const auto threads = [&](std::vector<std::string> more) {
    ProgramCall call{
        {"train", "karate", "--dry-run"}, "", {{"OMP_NUM_THREADS", "7"}}, folder.path(), false, {}};
    call.words.insert(call.words.end(), more.begin(), more.end());
    return run_program(call).err;
  };
  CHECK_THAT(threads({}), Contains("threads: 7"));
  CHECK_THAT(threads({"--threads", "3"}), Contains("threads: 3"));
}
