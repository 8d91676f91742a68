// Verbs that read a trained model, on files in a temporary folder.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"
#include "test_data.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Json = nlohmann::json;

namespace {

// Twelve nodes with names, in a ring of two halves; classes "b" and "a".
void write_ring(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream edges(folder / "edges.csv");
  std::ofstream features(folder / "features.csv");
  std::ofstream labels(folder / "labels.csv");
  edges << "source,target\n";
  features << "id,f0,f1\n";
  labels << "id,label\n";
  for (int i = 0; i < 12; ++i) {
    edges << "n" << i << ",n" << (i + 1) % 12 << "\n";
    features << "n" << i << (i < 6 ? ",0.5,1.25e-1\n" : ",0.25,1\n");
    labels << "n" << i << (i < 6 ? ",b\n" : ",a\n");
  }
}

struct TrainedRing {
  TemporaryFolder folder;
  TrainedRing() {
    write_ring(folder / "ring");
    const ProgramResult result = gat(
        "train ring --epochs 40 --hidden 2 --heads 3 --feature-dropout 0 --value-dropout 0 -t 1 --out run",
        folder.path());
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK_THAT(result.err, Contains("60/20/20"));
  }
};

}  // namespace

TEST_CASE_METHOD(TrainedRing, "evaluate rebuilds the split of training", "[program]") {
  const ProgramResult text = gat("evaluate run ring", folder.path());
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("split fraction:0.6/0.2/0.2") && Contains("confusion"));
  const Json json = Json::parse(gat("evaluate run ring --json", folder.path()).out);
  const Json trained = Json::parse(read_text(folder / "run/summary.json"));
  CHECK(json.at("same_data") == true);
  CHECK(json.at("parts").at("test") == trained.at("test"));
  CHECK(json.at("parts").at("validation") == trained.at("validation"));
  CHECK(json.at("classes").size() == 2);
}

TEST_CASE_METHOD(TrainedRing, "a missed threshold exits with 7 after the report", "[program]") {
  const ProgramResult missed = gat("evaluate run ring --fail-under accuracy=1.5 --json", folder.path());
  CHECK(missed.code == 7);
  CHECK(Json::parse(missed.out).contains("parts"));
  CHECK_THAT(missed.err, Contains("accuracy"));
  CHECK(gat("evaluate run ring --fail-under macro_f1=0", folder.path()).code == 0);
  CHECK(gat("evaluate run ring --fail-under acuracy=0", folder.path()).code == 2);
}

TEST_CASE_METHOD(TrainedRing, "evaluate says when the data is another", "[program]") {
  std::ofstream(folder / "ring/edges.csv", std::ios::app) << "n0,n6\n";
  const ProgramResult result = gat("evaluate run ring", folder.path());
  CHECK(result.code == 0);
  CHECK_THAT(result.err, Contains("not the data that the model was trained on"));
}

TEST_CASE_METHOD(TrainedRing, "predict answers ids from a list, a file and standard input", "[program]") {
  const std::string all = gat("predict run ring", folder.path()).out;
  CHECK_THAT(all, StartsWith("node,id,predicted,probability_"));
  std::ofstream(folder / "ids.txt") << "n7\r\n\nn2";
  const std::string from_file = gat("predict run ring ids.txt", folder.path()).out;
  CHECK(from_file == gat("predict run ring n7,n2", folder.path()).out);
  CHECK(from_file == gat("predict run ring -", folder.path(), "n7\nn2\n").out);
  CHECK_THAT(all, Contains(lines_of(from_file).at(1)));
}

TEST_CASE_METHOD(TrainedRing, "ids before an unknown one are answered", "[program]") {
  const std::string known = gat("predict run ring n7,n2", folder.path()).out;
  const ProgramResult unknown = gat("predict run ring -", folder.path(), "n7\nn2\nn99\nn3\n");
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.err, Contains("standard input:3: \"n99\""));
  CHECK(unknown.out == known);
  CHECK(gat("predict run ring - --json", folder.path(), "n7\nn99\n").out.empty());
  const std::string attention = gat("attention run ring n7", folder.path()).out;
  CHECK(gat("attention run ring -", folder.path(), "n7\nn99\n").out == attention);
}

TEST_CASE_METHOD(TrainedRing, "NODES are ids first, then a file, and never nothing", "[program]") {
  const std::string n2 = gat("predict run ring n2", folder.path()).out;
  std::ofstream(folder / "n2") << "n7\n";
  CHECK(gat("predict run ring n2", folder.path()).out == n2);
  std::filesystem::create_directory(folder / "n99");
  const ProgramResult directory = gat("predict run ring n99", folder.path());
  CHECK(directory.code == 3);
  CHECK_THAT(directory.err, Contains("neither the id of a node"));
  CHECK(gat("predict run ring ,", folder.path()).code == 2);
  const ProgramResult empty = run_program({{"predict", "run", "ring", ""}, "", {}, folder.path(), false, {}});
  CHECK(empty.code == 2);
  CHECK(empty.out.empty());
  CHECK_THAT(empty.err, Contains("is an empty text"));
}

TEST_CASE("data without labels is bad data for train", "[program]") {
  const TemporaryFolder folder;
  write_ring(folder / "ring");
  std::filesystem::remove(folder / "ring/labels.csv");
  const ProgramResult result = gat("train ring --out run", folder.path());
  CHECK(result.code == 3);
  CHECK_THAT(result.err, Contains("ring") && Contains("add labels.csv (id,label)"));
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
}

TEST_CASE_METHOD(TrainedRing, "predictions come as csv, tsv, JSON lines and JSON", "[program]") {
  const Json line = Json::parse(gat("predict run ring n3 --format jsonl --top 1", folder.path()).out);
  CHECK(line.at("id") == "n3");
  CHECK(line.at("class_1") == line.at("predicted"));
  const Json array = Json::parse(gat("predict run ring n3,n4 --json --top 1", folder.path()).out);
  REQUIRE(array.size() == 2);
  CHECK(array[0] == line);
  CHECK_THAT(gat("predict run ring n3 --format tsv", folder.path()).out, StartsWith("node\tid\tpredicted"));
  REQUIRE(gat("predict run ring -o p.csv", folder.path()).out.empty());
  CHECK(read_text(folder / "p.csv") == gat("predict run ring", folder.path()).out);
}

TEST_CASE_METHOD(TrainedRing, "attention of a node sums to one per layer and head", "[program]") {
  const Json rows = Json::parse(gat("attention run ring n5 --json", folder.path()).out);
  REQUIRE(rows.size() % 4 == 0);
  std::map<std::pair<int, int>, double> sums;
  for (const Json& row : rows) {
    CHECK(row.at("destination") == "n5");
    CHECK(row.at("self_loop") == (row.at("source") == "n5"));
    if (row.at("self_loop") == true) CHECK(row.at("edge") == -1);
    sums[{row.at("layer"), row.at("head")}] += row.at("coefficient").get<double>();
  }
  CHECK(sums.size() == 4);
  for (const auto& [place, sum] : sums) CHECK(sum == Approx(1));
}

TEST_CASE_METHOD(TrainedRing, "embed gives the rows of the last hidden layer", "[program]") {
  const auto lines = lines_of(gat("embed run ring", folder.path()).out);
  REQUIRE(lines.size() == 13);
  CHECK(lines.front() == "node,id,h0,h1,h2,h3,h4,h5");
  CHECK(gat("embed run ring --layer 2", folder.path()).code == 2);
}

TEST_CASE_METHOD(TrainedRing, "info tells about data and models", "[program]") {
  const Json data = Json::parse(gat("info ring --json", folder.path()).out);
  CHECK(data.at("nodes") == 12);
  CHECK(data.at("edges").at("stored") == 12);
  CHECK(data.at("weak_components").at("count") == 1);
  CHECK(data.at("training").at("memory_bytes") > 0);
  const Json model = Json::parse(gat("info run --json", folder.path()).out);
  CHECK(model.at("parameters").at("layers.0.weight") == "[6,2]");
  CHECK(model.at("origin").at("gat.split") == "fraction:0.6/0.2/0.2");
  CHECK(Json::parse(gat("info ring run karate --json", folder.path()).out).size() == 3);
}

TEST_CASE_METHOD(TrainedRing, "a damaged model and wrong data are bad data", "[program]") {
  std::string bytes = read_text(folder / "run/model.safetensors");
  std::ofstream(folder / "short.safetensors", std::ios::binary) << bytes.substr(0, bytes.size() - 5);
  const ProgramResult damaged = gat("predict short.safetensors ring", folder.path());
  CHECK(damaged.code == 3);
  CHECK_THAT(damaged.err, Contains("short.safetensors"));
  bytes.replace(bytes.find("layers.1.bias"), 13, "layers.1.boas");
  std::ofstream(folder / "renamed.safetensors", std::ios::binary) << bytes;
  CHECK_THAT(gat("predict renamed.safetensors ring", folder.path()).err, Contains("layers.1.bias"));
  const ProgramResult other = gat("predict run karate", folder.path());
  CHECK(other.code == 3);
  CHECK_THAT(other.err, Contains("2 node features"));
  std::ofstream(folder / "ring/features.csv", std::ios::app) << "n3,nan,0\n";
  CHECK(gat("train ring", folder.path()).code == 3);
}

TEST_CASE_METHOD(TrainedRing, "a reader that has gone ends the program quietly with 141", "[program]") {
  ProgramCall call{{"predict", "run", "ring"}, "", {}, folder.path(), true, {}};
  const ProgramResult result = run_program(call);
  CHECK(result.code == 141);
  CHECK(result.err.empty());
}

TEST_CASE("the public split of Cora is printed with its class counts", "[program][cases]") {
  const auto cora = find_test_data("planetoid/cora");
  if (!cora) return;
  const TemporaryFolder folder;
  const ProgramResult result = gat("train " + cora->string() + " --epochs 1", folder.path());
  CHECK_THAT(
      result.err,
      Contains(
          "split: public (stored:0), train 140 (by class: 20 20 20 20 20 20 20), validation 500, test 1000"));
}

TEST_CASE("training on Pubmed stays below 200 MB", "[program][cases]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  WARN("skipped: a sanitizer takes memory of its own");
#else
  const auto pubmed = find_test_data("planetoid/pubmed");
  if (!pubmed) return;
  const TemporaryFolder folder;
  const ProgramResult result =
      gat("train " + pubmed->string() + " --recipe gat-pubmed --epochs 2 -t 2 --json", folder.path());
  INFO(result.err);
  REQUIRE(result.code == 0);
  CHECK(Json::parse(result.out).at("peak_memory_bytes").get<double>() < 200e6);
#endif
}
