#include "gat/data/split.hpp"

#include <numeric>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/generate.hpp"
#include "gat/data/karate.hpp"
#include "gat/data/statistics.hpp"
#include "io/temporary_folder.hpp"

namespace {

using Kind = gat::SplitOptions::Kind;

/// 300 nodes in 3 classes of 150, 100 and 50.
gat::Dataset three_classes() {
  gat::CitationOptions options;
  options.num_nodes = 300;
  options.num_classes = 3;
  options.class_sizes = {150, 100, 50};
  options.num_words = 30;
  return gat::generate_citations(options);
}

gat::Split split(const gat::Dataset& dataset, const std::string& text, std::uint64_t seed = 0) {
  return gat::make_split(dataset, gat::parse_split(text), seed);
}

std::string refused(const gat::Dataset& dataset, const std::string& text) {
  return message_of([&] { split(dataset, text); });
}

bool equal(const gat::Split& a, const gat::Split& b) {
  return a.train == b.train && a.validation == b.validation && a.test == b.test;
}

}  // namespace

TEST_CASE("split texts are read", "[data][split]") {
  CHECK(gat::parse_split("auto").kind == Kind::automatic);
  CHECK(gat::parse_split("public").kind == Kind::stored);
  CHECK(gat::parse_split("stored:3").index == 3);
  CHECK(gat::parse_split("index:4").index == 4);
  CHECK(gat::parse_split("random").per_class == 20);
  CHECK(gat::parse_split("random:5/10/15").validation == 10);
  CHECK(gat::parse_split("random:5/10/rest").test == gat::SplitOptions::kRest);
  CHECK(gat::parse_split("0.5/0.25/0.25").train_fraction == 0.5);
  CHECK(gat::parse_split("fraction:0.5/0.3/0.1").test_fraction == 0.1);
  CHECK(gat::parse_split("parts.csv").path == "parts.csv");
  CHECK(gat::parse_split("file:auto").path == "auto");
}

TEST_CASE("a split's canonical text reads back as the same split", "[data][split]") {
  for (const char* text : {"auto", "auto:2", "stored:0", "stored:7", "random:20/500/1000", "random:5/30/rest",
                           "fraction:0.6/0.2/0.2", "fraction:0.1/0.3/0.35", "file:a/b.csv"}) {
    CHECK(gat::describe(gat::parse_split(text)) == text);
  }
  CHECK(gat::describe(gat::parse_split("public")) == "stored:0");
}

TEST_CASE("split texts that make no sense are refused with the known forms", "[data][split]") {
  for (const char* text :
       {"", "randm", "stored:x", "stored:-1", "random:1/2", "random:0/1/1", "random:1/-2/3", "fraction:0.5",
        "0.9/0.9/0.9", "0/0.5/0.5", "nan/0/0", "public:1", "file:"}) {
    INFO(text);
    CHECK_THROWS_AS(gat::parse_split(text), gat::UsageError);
  }
  CHECK(lacking(message_of([] { gat::parse_split("randm"); }),
                {"did you mean \"random\"", "fraction:0.6/0.2/0.2"}) == "");
}

TEST_CASE("automatic takes the stored split, else fractions", "[data][split]") {
  gat::Dataset data = gat::karate_club();
  CHECK(equal(split(data, "auto", 5), data.splits[0]));
  CHECK_FALSE(gat::parse_split("auto").drawn(data));
  data.splits.clear();
  CHECK(gat::parse_split("auto").drawn(data));
  CHECK(equal(split(data, "auto", 5), split(data, "0.6/0.2/0.2", 5)));
}

TEST_CASE("a stored split that is not there is refused with what is", "[data][split]") {
  gat::Dataset data = gat::karate_club();
  CHECK(lacking(refused(data, "stored:1"), {"no stored split 1", "one, number 0"}) == "");
  data.splits.clear();
  CHECK(lacking(refused(data, "public"), {"hold no split", "random:20/500/1000"}) == "");
}

TEST_CASE("random draws as many per class as asked, then the rest without overlap", "[data][split]") {
  const gat::Dataset data = three_classes();
  const gat::Split drawn = split(data, "random:10/50/rest", 1);
  CHECK(gat::class_counts(data, drawn.train) == std::vector<gat::Index>{10, 10, 10});
  CHECK(drawn.validation.size() == 50);
  CHECK(drawn.test.size() == 300 - 30 - 50);
  std::vector<gat::NodeId> all = drawn.train;
  all.insert(all.end(), drawn.validation.begin(), drawn.validation.end());
  all.insert(all.end(), drawn.test.begin(), drawn.test.end());
  std::sort(all.begin(), all.end());
  std::vector<gat::NodeId> every(300);
  std::iota(every.begin(), every.end(), 0);
  CHECK(all == every);
}

TEST_CASE("random with too few nodes says which class or how many are left", "[data][split]") {
  const gat::Dataset data = three_classes();
  CHECK(lacking(refused(data, "random:51/1/1"), {"class \"2\" has 50 labelled nodes", "51"}) == "");
  CHECK(lacking(refused(data, "random:20/200/41"), {"240 labelled nodes left", "200 + 41"}) == "");
}

TEST_CASE("fractions are stratified by class and disjoint", "[data][split]") {
  const gat::Dataset data = three_classes();
  const gat::Split drawn = split(data, "0.6/0.2/0.2", 3);
  CHECK(gat::class_counts(data, drawn.train) == std::vector<gat::Index>{90, 60, 30});
  CHECK(gat::class_counts(data, drawn.validation) == std::vector<gat::Index>{30, 20, 10});
  CHECK(gat::class_counts(data, drawn.test) == std::vector<gat::Index>{30, 20, 10});
  CHECK(std::is_sorted(drawn.train.begin(), drawn.train.end()));
}

TEST_CASE("a class of one node trains", "[data][split]") {
  gat::Dataset data = gat::karate_club();
  data.labels.classes.assign(34, 0);
  data.labels.classes[7] = 3;
  const gat::Split drawn = split(data, "0.3/0.3/0.4", 0);
  CHECK(std::find(drawn.train.begin(), drawn.train.end(), 7) != drawn.train.end());
}

TEST_CASE("the seed decides a drawn split, on every platform the same", "[data][split]") {
  const gat::Dataset data = gat::karate_club();
  CHECK(equal(split(data, "0.5/0.25/0.25", 1), split(data, "0.5/0.25/0.25", 1)));
  CHECK_FALSE(equal(split(data, "0.5/0.25/0.25", 1), split(data, "0.5/0.25/0.25", 2)));
  CHECK_FALSE(equal(split(data, "random:2/10/10", 1), split(data, "random:2/10/10", 2)));
  CHECK(split(data, "random:1/4/4", 7).train == std::vector<gat::NodeId>{4, 19, 28, 32});
  CHECK(split(data, "random:1/4/4", 7).test == std::vector<gat::NodeId>{9, 21, 23, 33});
}

TEST_CASE("unlabelled nodes are in no part", "[data][split]") {
  gat::Dataset data = gat::karate_club();
  for (const std::size_t node : {0U, 5U, 33U}) data.labels.classes[node] = gat::kNoLabel;
  for (const char* text : {"stored:0", "0.6/0.2/0.2", "random:2/10/rest"}) {
    const gat::Split drawn = split(data, text);
    for (const auto* part : {&drawn.train, &drawn.validation, &drawn.test}) {
      for (const gat::NodeId node : {0, 5, 33})
        CHECK(std::find(part->begin(), part->end(), node) == part->end());
    }
  }
}

TEST_CASE("nodes with several labels are split by fractions, not per class", "[data][split]") {
  gat::Dataset data = gat::karate_club();
  data.labels.classes.clear();
  data.labels.targets.resize(34, 4);
  CHECK(split(data, "0.5/0.25/0.25").train.size() == 17);
  CHECK(lacking(refused(data, "random:1/1/1"), {"one class per node"}) == "");
}

TEST_CASE("a data set without labels cannot be split, and the message says what to add", "[data][split]") {
  gat::Dataset data = gat::karate_club();
  data.labels.classes.clear();
  CHECK(lacking(refused(data, "auto"), {"no labels", "labels.csv"}) == "");
  CHECK_THROWS_AS(split(data, "auto"), gat::UsageError);
}

TEST_CASE("a split file lists original ids and parts", "[data][split]") {
  const TemporaryFolder folder;
  gat::Dataset data = gat::karate_club();
  for (int k = 0; k < 34; ++k) data.node_names.push_back("m" + std::to_string(k));
  write_plainly(folder / "parts.tsv",
                "node\tpart\nm5\ttest\nm3\ttrain\nm1\ttrain\nm2\tval\nm4\tvalidation\n");
  const gat::Split read = split(data, (folder / "parts.tsv").string());
  CHECK(read.train == std::vector<gat::NodeId>{1, 3});
  CHECK(read.validation == std::vector<gat::NodeId>{2, 4});
  CHECK(read.test == std::vector<gat::NodeId>{5});
}

TEST_CASE("a bad split file is refused with file, line and column", "[data][split]") {
  const TemporaryFolder folder;
  const gat::Dataset data = gat::karate_club();
  const auto message = [&](const std::string& text) {
    write_plainly(folder / "p.csv", text);
    return refused(data, (folder / "p.csv").string());
  };
  CHECK(lacking(message("0,train\n34,test\n"), {"p.csv:2:1", "no node \"34\""}) == "");
  CHECK(lacking(message("0,train\n1,dev\n"), {"p.csv:2:3", "\"dev\"", "train, validation or test"}) == "");
  CHECK(lacking(message("0,train\n1,test\n0,test\n"), {"p.csv:3:1", "second time", "p.csv:1"}) == "");
  CHECK(lacking(message("0,train\n1\n"), {"p.csv:2", "found 1 field, expected 2"}) == "");
  CHECK(lacking(message(""), {"p.csv: holds no nodes; write"}) == "");
  CHECK_THROWS_AS(split(data, (folder / "absent.csv").string()), gat::FileError);
}
