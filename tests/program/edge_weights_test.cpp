// Weights of edges through the program: where they stand, what is refused, and how.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

// A ring of twenty nodes whose edges have weights, and a node without edges.
void write_weighted_ring(const TemporaryFolder& folder, const std::string& weight_of_edge_7 = "2") {
  std::ofstream edges(folder / "edges.csv"), features(folder / "features.csv"), labels(folder / "labels.csv");
  edges << "source,target,weight\n";
  features << "id,f0,f1\n";
  labels << "id,label\n";
  for (int i = 0; i <= 20; ++i) {
    if (i < 20)
      edges << i << ',' << (i + 1) % 20 << ',' << (i == 7 ? weight_of_edge_7 : std::to_string(1 + i % 3))
            << '\n';
    features << i << ',' << i % 3 << ',' << i % 5 << '\n';
    labels << i << ',' << i % 2 << '\n';
  }
}

}  // namespace

TEST_CASE("a window and edge weights in the same place are refused with the other places",
          "[program][blocks]") {
  const TemporaryFolder folder;
  write_weighted_ring(folder);
  const auto dry_run = [&](const std::string& options) {
    return gat("train . --dry-run --score dot " + options, folder.path());
  };
  const ProgramResult inside = dry_run("--edge-use log-prior --window monotonic:4,cut");
  CHECK(inside.code == 2);
  CHECK_THAT(inside.err, Contains("use --edge-use multiplied, or --window monotonic:4,cut,multiplied"));
  const ProgramResult behind = dry_run("--edge-use multiplied --window monotonic:4,multiplied");
  CHECK(behind.code == 2);
  CHECK_THAT(behind.err, Contains("use --edge-use log-prior, or leave \"multiplied\" out of --window"));
  for (const char* options : {"--edge-use log-prior --window monotonic:4,cut,multiplied",
                              "--edge-use multiplied --window monotonic:4"}) {
    const ProgramResult fits = dry_run(options);
    INFO(fits.err);
    CHECK(fits.code == 0);
  }
}

TEST_CASE("the loop of a node without edges keeps all of its weight", "[program][blocks]") {
  for (const std::string use : {"log-prior", "multiplied"}) {
    const TemporaryFolder folder;
    write_weighted_ring(folder);
    const ProgramResult trained =
        gat("train . --score dot --epochs 1 --edge-use " + use + " --out run", folder.path());
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    const Json rows = Json::parse(gat("attention run . --json 20", folder.path()).out);
    REQUIRE(!rows.empty());
    for (const Json& row : rows) CHECK(row.at("coefficient").get<double>() == Approx(1));
    // A number that is asked for stands.
    CHECK(
        gat("train . --score dot --epochs 1 --force --loop-fill constant --loop-fill-constant 0 --edge-use " +
                use + " --out run",
            folder.path())
            .code == (use == "log-prior" ? 2 : 0));
  }
}

TEST_CASE("a weight that has no logarithm is named before anything is trained", "[program][blocks]") {
  const TemporaryFolder folder;
  write_weighted_ring(folder, "0");
  const ProgramResult refused =
      gat("train . --dry-run --score dot --edge-use log-prior --out run", folder.path());
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("edge 7 (from 0): its weight is 0"));
  CHECK_THAT(refused.err, Contains("--edge-use multiplied"));
  // A model that is given such data afterwards names the nodes.
  const TemporaryFolder other;
  write_weighted_ring(other);
  REQUIRE(
      gat("train . --score dot --epochs 1 --edge-use log-prior --self-loops as-given --out run", other.path())
          .code == 0);
  const ProgramResult predicted = gat("predict " + (other / "run").string() + " .", folder.path());
  CHECK(predicted.code == 2);
  CHECK_THAT(predicted.err, Contains("the weight of the edge from node 7 to node 8 is 0"));
}

TEST_CASE("uses of edge features that do not fit name the option", "[program][blocks]") {
  const TemporaryFolder folder;
  write_weighted_ring(folder);
  const ProgramResult cosine = gat("train . --dry-run --score cosine --edge-use score", folder.path());
  CHECK(cosine.code == 2);
  CHECK_THAT(cosine.err, Contains("--edge-use score: the score cosine has no place for edge features"));
  {
    std::ofstream edges(folder / "edges.csv");
    edges << "source,target,weight,length\n0,1,1,2\n1,2,1,3\n";
  }
  const ProgramResult two = gat("train . --dry-run --score dot --edge-use log-prior", folder.path());
  CHECK(two.code == 2);
  CHECK_THAT(two.err, Contains("--edge-use log-prior: takes one column of weights, but the data have 2"));
}

TEST_CASE("a model says which attention it has", "[program][blocks]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 1 --score bilinear --select top:2 --window predictive:4,cut --out run",
              folder.path())
              .code == 0);
  const ProgramResult info = gat("info run", folder.path());
  CHECK(info.code == 0);
  CHECK_THAT(info.out, Contains("score bilinear, edges top-k 2, window predictive 4 cut"));
}
