// --reorder: the rows of a large graph in another order, of which the results show nothing.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

constexpr int kNodes = 3000;
constexpr int kCommunities = 20;

// Node i is in community i mod 20, so no two neighbours stand close together; classes follow the communities.
void write_communities(const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder);
  std::ofstream edges(folder / "edges.csv");
  std::ofstream features(folder / "features.csv");
  std::ofstream labels(folder / "labels.csv");
  edges << "source,destination\n";
  features << "id,a,b,c,d\n";
  labels << "id,label\n";
  for (int i = 0; i < kNodes; ++i) {
    for (int k = 1; k <= 6; ++k) edges << i << "," << (i + kCommunities * 7 * k) % kNodes << "\n";
    const int label = i % kCommunities % 3;
    features << i << "," << (label == 0) << "," << (label == 1) << "," << i % 5 << "," << i % 7 << "\n";
    labels << i << "," << label << "\n";
  }
}

}  // namespace

TEST_CASE("a large graph is reordered in training, and the results keep the order of the data",
          "[program][reorder]") {
  const TemporaryFolder folder;
  write_communities(folder / "data");
  const std::string train = "train data --epochs 3 --heads 8 --hidden 128 -t 1 --no-prune --json --out ";
  const ProgramResult automatic = gat(train + "auto", folder.path());
  const ProgramResult off = gat(train + "off --reorder off", folder.path());
  INFO(automatic.err);
  REQUIRE(automatic.code == 0);
  REQUIRE(off.code == 0);
  const Json reordered = Json::parse(automatic.out).at("runs")[0];
  const Json given = Json::parse(off.out).at("runs")[0];
  CHECK(reordered.at("training_rows") == "reordered");
  CHECK(reordered.at("validation_rows") == "reordered");
  CHECK(given.at("training_rows") == "whole");
  CHECK_THAT(automatic.err, Contains("computed: for training the whole graph, rows reordered"));
  const double loss = given.at("test").at("loss");
  CHECK(reordered.at("test").at("loss").get<double>() == Approx(loss).epsilon(1e-4));
  const auto a = lines_of(read_text(folder / "auto/predictions.csv"));
  const auto b = lines_of(read_text(folder / "off/predictions.csv"));
  REQUIRE(a.size() == kNodes + 1);
  REQUIRE(b.size() == kNodes + 1);
  for (std::size_t i = 0; i < a.size(); i += 100)
    CHECK(a[i].substr(0, a[i].find(',')) == b[i].substr(0, b[i].find(',')));
}

TEST_CASE("whether rows are reordered is a key of the configuration", "[program][reorder]") {
  const TemporaryFolder folder;
  REQUIRE(gat("train karate --epochs 1 -t 1 --reorder off --out run", folder.path()).code == 0);
  CHECK_THAT(read_text(folder / "run/config.toml"), Contains("reorder = \"off\""));
  const ProgramResult refused = gat("train karate --reorder on --out bad", folder.path());
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--reorder: unknown rule of reordering \"on\"") && Contains("auto"));
}
