// Verbs, options, help, configuration: what the program says to words it knows and to words it does not.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// One line on standard error, nothing on standard output.
void check_refused(const ProgramResult& result, int code, const std::string& what) {
  INFO(result.err);
  CHECK(result.code == code);
  CHECK(result.out.empty());
  CHECK(lines_of(result.err).size() == 1);
  CHECK_THAT(result.err, StartsWith("error: "));
  CHECK_THAT(result.err, Contains(what));
}

}  // namespace

TEST_CASE("bare gat shows twelve lines and three examples and exits with 2", "[program]") {
  const ProgramResult result = gat("", "/");
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(lines_of(result.err).size() == 12);
  CHECK_THAT(result.err, Contains("gat train karate"));
}

TEST_CASE("help names every value that an option knows", "[program][docs]") {
  const auto [call, option] = GENERATE(table<std::string, std::string>({{"bench", "--suite"},
                                                                        {"train karate", "--score"},
                                                                        {"train karate", "--norm"},
                                                                        {"train karate", "--activation"},
                                                                        {"train karate", "--block"},
                                                                        {"train karate", "--positions"},
                                                                        {"train karate", "--loop-fill"}}));
  INFO(call << " " << option);
  const std::string refusal = gat(call + " " + option + " no-such-value", "/").err;
  const std::size_t known = refusal.find("known: ");
  REQUIRE(known != std::string::npos);
  const std::string help = gat(call + " --help-all", "/").out;
  const std::size_t begin = help.find("      " + option + " ");
  REQUIRE(begin != std::string::npos);
  // Whole words: a name may be a part of another.
  const std::string text = help.substr(begin, help.find("\n      --", begin) - begin);
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') words.back() += c;
    else if (!words.back().empty()) words.emplace_back();
  }
  std::istringstream names(refusal.substr(known + 7));
  for (std::string name; std::getline(names, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(" \n") + 1);
    INFO(name << " in " << text);
    CHECK(std::count(words.begin(), words.end(), name) > 0);
  }
}

TEST_CASE("help of a verb is the same by both spellings", "[program]") {
  for (const char* verb :
       {"train", "evaluate", "predict", "attention", "embed", "info", "bench", "recipe", "version"}) {
    const ProgramResult help = gat(std::string("help ") + verb, "/");
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    CHECK(help.out == gat(std::string(verb) + " --help", "/").out);
    CHECK_THAT(help.out, Contains("examples:"));
  }
}

TEST_CASE("help shows defaults, and all options only when asked", "[program]") {
  const std::string few = gat("train --help", "/").out;
  const std::string all = gat("train --help-all", "/").out;
  CHECK_THAT(few, Contains("--learning-rate X"));
  CHECK_THAT(few, Contains("(default 0.005)"));
  CHECK_THAT(few, !Contains("--epsilon-variant"));
  CHECK_THAT(all, Contains("--epsilon-variant"));
  CHECK_THAT(all, Contains("[training.learning_rate]"));
}

TEST_CASE("misspelt words are refused with the nearest known one", "[program]") {
  check_refused(gat("trian karate", "/"), 2, "did you mean \"train\"");
  check_refused(gat("train karate --lerning-rate 1", "/"), 2, "did you mean \"--learning-rate\"");
  check_refused(gat("train kerate", "/"), 2, "did you mean \"karate\"");
  check_refused(gat("train karate --recipe gat-coar", "/"), 2, "did you mean \"gat-cora\"");
  check_refused(gat("train karate --stop papr", "/"), 2, "did you mean \"paper\"");
  check_refused(gat("train karate --set model.haeds=2", "/"), 2, "did you mean \"model.heads\"");
  check_refused(gat("recipe shwo", "/"), 2, "did you mean \"show\"");
}

TEST_CASE("incomplete and contradicting words are refused", "[program]") {
  check_refused(gat("train", "/"), 2, "DATA is missing");
  check_refused(gat("train karate --seed", "/"), 2, "--seed: a value is missing");
  check_refused(gat("train karate --seed 1 --seed 2", "/"), 2, "given twice");
  check_refused(gat("train karate --seed 1 --seeds 0-2", "/"), 2, "exclude each other");
  check_refused(gat("train karate more", "/"), 2, "unexpected argument \"more\"");
  check_refused(gat("train karate --epochs 0", "/"), 2, "out of range");
  check_refused(gat("train karate --epochs 1e3", "/"), 2, "expected a whole number");
  check_refused(gat("train karate --feature-dropout 1", "/"), 2, "[0, 1)");
  check_refused(gat("train karate --learning-rate 0,005", "/"), 2, "expected a number");
  check_refused(gat("train karate --threads 1025", "/"), 2, "--threads: 1025 is out of range");
  check_refused(gat("train karate --direction up", "/"), 2, "auto, as-given, symmetrize");
}

TEST_CASE("settings that do not fit the data are refused before the plan, by the option's name",
          "[program]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& options, const char* what) {
    check_refused(gat("train karate --out run " + options, folder.path()), 2, what);
    CHECK_FALSE(std::filesystem::exists(folder / "run"));
  };
  refused("--heads 8,8,1", "--heads: 3 numbers for 1 hidden layer;");
  refused("--heads 8,1 --output-heads 2", "--output-heads is 2");
  refused("--residual identity --hidden 7", "--residual identity: no layer");
  refused("--stop paper", "--stop paper: needs validation nodes");
  refused("--class-weights 1", "--class-weights: 1 number for 4 classes");
  refused("--loss sigmoid", "--loss sigmoid: needs several labels per node");
  refused("--positive-weights 1,1,1,1", "--positive-weights: ");
}

TEST_CASE("absent files are errors of the file system", "[program]") {
  const TemporaryFolder folder;
  check_refused(gat("train cora", folder.path()), 4, "ind.cora.");
  check_refused(gat("train ./nothing", folder.path()), 4, "nothing");
  check_refused(gat("train karate -c nothing.toml", folder.path()), 4, "nothing.toml");
  check_refused(gat("evaluate nothing karate", folder.path()), 4, "nothing");
}

TEST_CASE("a configuration file with a mistake is refused at its place", "[program]") {
  const TemporaryFolder folder;
  const auto refused = [&](const char* toml, const char* what) {
    std::ofstream(folder / "c.toml") << toml;
    check_refused(gat("train karate -c c.toml", folder.path()), 2, what);
  };
  refused("[model]\nheads = 4\nhaeds = 3\n",
          "c.toml:3:1: unknown key \"model.haeds\"; did you mean \"heads\"");
  refused("[modl]\nheads = 4\n", "c.toml:1:2: unknown table \"modl\"; did you mean \"model\"");
  refused("[model]\nheads = \"4\"\n", "c.toml:2:1: model.heads: expected a whole number, found a text");
  refused("[model]\nlayers = 2.5\n", "c.toml:2:1: model.layers: expected a whole number");
  refused("[model]\nheads = 4\nheads = 3\n", "c.toml:3:");
  refused("[training]\nstop = \"papr\"\n", "c.toml:2:1: training.stop: unknown stopping rule");
  refused("[training]\nl2 = -1\n", "c.toml:2:1: training.l2: -1 is out of range");
  refused("[training\n", "c.toml:1:");
}

TEST_CASE("defaults give way to a recipe, that to configuration files, those to options", "[program]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.toml") << "[training]\nl2 = 0.25\nlearning_rate = 0.5\n[model]\nheads = [3]\n";
  std::ofstream(folder / "b.toml") << "[training]\nlearning_rate = 0.75\n";
  const std::string out =
      gat("train karate --recipe gat-pubmed -c a.toml -c b.toml --heads 5 --dry-run --json", folder.path())
          .out;
  CHECK_THAT(out, Contains("\"output_heads\": 8"));
  CHECK_THAT(out, Contains("\"l2\": 0.25"));
  CHECK_THAT(out, Contains("\"learning_rate\": 0.75"));
  CHECK_THAT(out,
             Contains("\"name\": \"layers.0.a_src\",\n      \"shape\": [\n        5,\n        8\n      ]"));
}

TEST_CASE("the defaults are those of gat-cora with at most 1000 epochs", "[program]") {
  const TemporaryFolder folder;
  CHECK(gat("train synthetic-cora --dry-run --json", folder.path()).out ==
        gat("train synthetic-cora --recipe gat-cora --epochs 1000 --dry-run --json", folder.path()).out);
}

TEST_CASE("recipes are listed and shown with what they reach", "[program]") {
  const ProgramResult list = gat("recipe list", "/");
  for (const char* name : {"gat-cora", "gat-citeseer", "gat-pubmed", "gatv2-cora", "transformer-cora",
                           "gat-sep-minesweeper", "gat-sep-tolokers"}) {
    CHECK_THAT(list.out, Contains(name));
    CHECK_THAT(gat(std::string("recipe show ") + name, "/").out, StartsWith("# ") && Contains("Reaches:"));
  }
}

TEST_CASE("recipes have no open places", "[program]") {
  for (const char* name : {"gat-cora", "gat-citeseer", "gat-pubmed", "gatv2-cora", "transformer-cora",
                           "gat-sep-minesweeper", "gat-sep-tolokers"}) {
    const std::string text = gat(std::string("recipe show ") + name, "/").out;
    CHECK_THAT(text, !Contains("…") && !Contains("@"));
  }
}

TEST_CASE("a shown recipe is a configuration file", "[program]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "mine.toml") << gat("recipe show gat-citeseer", "/").out;
  // The karate club has no validation nodes, and in a configuration file the rule counts as asked for.
  CHECK(gat("train karate -c mine.toml --stop none --dry-run --json", folder.path()).out ==
        gat("train karate --recipe gat-citeseer --stop none --dry-run --json", folder.path()).out);
}

TEST_CASE("version says how the program was built", "[program]") {
  CHECK_THAT(gat("version", "/").out, StartsWith("gat "));
  CHECK(gat("--version", "/").out == gat("version", "/").out);
  CHECK_THAT(gat("version --json", "/").out, StartsWith("{") && Contains("\"precision\": \"float\""));
}
