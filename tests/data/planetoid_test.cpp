#include <limits>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "data/planetoid_files.hpp"
#include "gat/core/error.hpp"
#include "gat/data/load.hpp"
#include "gat/data/statistics.hpp"
#include "gat/io/file.hpp"
#include "io/hostile.hpp"
#include "io/temporary_folder.hpp"
#include "test_data.hpp"

namespace {

gat::Dataset load_written(const PlanetoidFiles& files) {
  const TemporaryFolder folder;
  files.write(folder.path());
  return gat::load_dataset(folder.path().string());
}

/// The message with which the files are refused.
std::string refused(const PlanetoidFiles& files) {
  return message_of([&] { load_written(files); });
}

}  // namespace

TEST_CASE("row k of tx belongs to line k of test.index", "[data][planetoid]") {
  const gat::Dataset data = load_written({});
  const gat::CsrMatrix& features = data.graph_data.features.sparse;
  REQUIRE(data.num_nodes() == 7);
  CHECK(features.row_offsets == std::vector<gat::EdgeId>{0, 1, 2, 3, 5, 6, 6, 7});
  CHECK(features.column_indices == std::vector<gat::NodeId>{0, 1, 2, 0, 1, 2, 1});
  CHECK(features.values == std::vector<gat::Real>{1, 1, 1, 1, 1, 3, 2});
  CHECK(data.labels.classes == std::vector<gat::NodeId>{0, 1, 0, 1, 0, gat::kNoLabel, 1});
}

TEST_CASE("the public split trains on y, validates on the next rows, tests test.index", "[data][planetoid]") {
  const gat::Dataset data = load_written({});
  REQUIRE(data.splits.size() == 1);
  CHECK(data.split_kind == "public");
  CHECK(data.splits[0].train == std::vector<gat::NodeId>{0, 1});
  CHECK(data.splits[0].validation == std::vector<gat::NodeId>{2, 3});
  CHECK(data.splits[0].test == std::vector<gat::NodeId>{4, 6});
}

TEST_CASE("neighbour lists keep duplicates and loops, an entry v of u is an edge u -> v",
          "[data][planetoid]") {
  PlanetoidFiles files;
  files.lists[4].second.push_back(0);  // 4 -> 0
  const gat::Dataset data = load_written(files);
  const gat::EdgeRow into_0 = data.graph_data.graph.in_edges(0);
  REQUIRE(into_0.count == 3);
  CHECK(into_0.node(0) == 1);
  CHECK(into_0.node(1) == 4);
  CHECK(into_0.node(2) == 5);
  CHECK(data.graph_data.graph.num_edges() == 11);
  CHECK(data.suggested_direction == gat::Direction::symmetrize);
  CHECK(has_note(data, "1 duplicate edge"));
  CHECK(has_note(data, "1 self-loop"));
  CHECK(has_note(data, "1 unlabelled node"));
}

TEST_CASE("a row of zeros in ally is a node without label", "[data][planetoid]") {
  PlanetoidFiles files;
  files.ally.rows[2] = {0, 0};
  const gat::Dataset data = load_written(files);
  CHECK(data.labels.classes[2] == gat::kNoLabel);
  CHECK(data.splits[0].validation == std::vector<gat::NodeId>{3});
}

TEST_CASE("a missing Planetoid file is named with the place it comes from", "[data][planetoid]") {
  for (const char* part : {"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"}) {
    const TemporaryFolder folder;
    PlanetoidFiles{}.write(folder.path());
    const std::string file = std::string("ind.mini.") + part;
    std::filesystem::remove(folder / file);
    const std::string path = folder.path().string();
    CHECK(lacking_in_refusal(path, {path + ": " + file + " is missing; add it", "kimiyoung/planetoid"}) ==
          "");
    CHECK_THROWS_AS(gat::load_dataset(path), gat::InputError);
  }
}

TEST_CASE("what is asked for as Planetoid and has no such file is refused", "[data][planetoid]") {
  const TemporaryFolder folder;
  write_plainly(folder / "edges.csv", "0,1\n");
  gat::LoadOptions options;
  options.format = "planetoid";
  for (const std::string& path : {folder.path().string(), (folder / "edges.csv").string()}) {
    CHECK_THROWS_AS(gat::load_dataset(path, options), gat::InputError);
    CHECK(lacking(message_of([&] { gat::load_dataset(path, options); }), {path, "no file ind.NAME.*"}) == "");
  }
}

TEST_CASE("a Planetoid pickle that is cut off says so and how to mend it", "[data][planetoid]") {
  const TemporaryFolder folder;
  PlanetoidFiles{}.write(folder.path());
  const std::string bytes = PlanetoidFiles{}.bytes().at("graph");
  for (const std::size_t size : {std::size_t(0), bytes.size() / 2, bytes.size() - 1}) {
    write_plainly(folder / "ind.mini.graph", bytes.substr(0, size));
    CHECK(lacking_in_refusal(folder.path().string(),
                             {"ind.mini.graph: byte", "; the file is cut off, fetch it again"}) == "");
  }
}

TEST_CASE("a folder with several Planetoid sets asks which, one file decides", "[data][planetoid]") {
  const TemporaryFolder folder;
  PlanetoidFiles{}.write(folder.path(), "a");
  PlanetoidFiles{}.write(folder.path(), "b.0.1");
  CHECK_THROWS_AS(gat::load_dataset(folder.path().string()), gat::UsageError);
  CHECK(lacking_in_refusal(folder.path().string(), {"a, b.0.1"}) == "");
  CHECK(gat::load_dataset((folder / "ind.b.0.1.test.index").string()).name == "b.0.1");
}

TEST_CASE("Planetoid files that do not fit together are refused with the file", "[data][planetoid]") {
  const auto with = [](auto change) {
    PlanetoidFiles files;
    change(files);
    return refused(files);
  };
  CHECK(lacking(with([](auto& f) { f.ally.rows.pop_back(); }), {"ind.mini.ally: found 3 rows, expected 4"}) ==
        "");
  CHECK(lacking(with([](auto& f) { f.tx.rows.pop_back(); }), {"ind.mini.ty: found 2 rows, expected 1"}) ==
        "");
  CHECK(lacking(with([](auto& f) { f.tx.cols = 4; }), {"ind.mini.tx: found 4 columns, expected 3"}) == "");
  CHECK(lacking(with([](auto& f) {
                  f.ty = {3, {{0, 1, 0}, {1, 0, 0}}};
                }),
                {"ind.mini.ty: found 3 columns"}) == "");
  CHECK(lacking(with([](auto& f) { f.x.rows.pop_back(); }), {"ind.mini.x: found 1 row, expected 2"}) == "");
  CHECK(lacking(with([](auto& f) { f.y.rows[1] = {1, 0}; }), {"ind.mini.y: row 1 differs"}) == "");
  CHECK(lacking(with([](auto& f) { f.ally.rows[3] = {1, 1}; }), {"ind.mini.ally: row 3, column 1"}) == "");
  CHECK(lacking(with([](auto& f) {
                  f.ty.rows[0] = {0, 2};
                }),
                {"ind.mini.ty: row 0, column 1: found 2"}) == "");
}

TEST_CASE("wrong ids in Planetoid files are refused with their place", "[data][planetoid]") {
  const auto with = [](auto change) {
    PlanetoidFiles files;
    change(files);
    return refused(files);
  };
  CHECK(lacking(with([](auto& f) { f.test_index = "6\n"; }),
                {"ind.mini.test.index: found 1 line, expected 2"}) == "");
  CHECK(lacking(with([](auto& f) { f.test_index = "6\n6\n"; }),
                {"test.index:2:1: test node 6 is listed a second"}) == "");
  CHECK(lacking(with([](auto& f) { f.test_index = "6\n3\n"; }), {"test.index:2:1: found test node 3"}) == "");
  CHECK(lacking(with([](auto& f) { f.test_index = "6\nfour\n"; }), {"test.index:2:1"}) == "");
  CHECK(lacking(with([](auto& f) { f.test_index = "6\n2000000000\n"; }), {"largest node id is 2000000000"}) ==
        "");
  CHECK(lacking(with([](auto& f) { f.lists[3].second = {7}; }), {"node 3 lists neighbour 7, outside 0..6"}) ==
        "");
  CHECK(lacking(with([](auto& f) { f.lists[3].second = {-1}; }), {"node 3 lists neighbour -1"}) == "");
  CHECK(lacking(with([](auto& f) { f.lists[3].first = -3; }), {"found node -3"}) == "");
  CHECK(lacking(with([](auto& f) { f.lists[6].first = 2000000000; }),
                {"ids count from 0 without such gaps"}) == "");
}

TEST_CASE("NaN and infinite Planetoid features are refused with row and column", "[data][planetoid]") {
  PlanetoidFiles files;
  files.tx.rows[1][2] = std::numeric_limits<float>::quiet_NaN();
  CHECK(lacking(refused(files), {"ind.mini.tx: the feature in row 1, column 2"}) == "");
  files = {};
  files.allx.rows[3][0] = std::numeric_limits<float>::infinity();
  CHECK(lacking(refused(files), {"ind.mini.allx: the feature in row 3, column 0"}) == "");
}

TEST_CASE("Planetoid pickles cut anywhere are refused", "[data][planetoid]") {
  const TemporaryFolder folder;
  PlanetoidFiles{}.write(folder.path());
  for (const auto& [part, bytes] : PlanetoidFiles{}.bytes()) {
    if (part == "test.index") continue;  // a shorter list of numbers is a list of numbers, see above
    const auto file = folder / ("ind.mini." + part);
    check_every_truncation(bytes, [&, f = file](const std::string& cut) {
      write_plainly(f, cut);
      gat::load_dataset(folder.path().string());
    });
    write_plainly(file, bytes);
  }
}

TEST_CASE("damaged Planetoid files load or are refused, nothing else", "[data][planetoid]") {
  const TemporaryFolder folder;
  PlanetoidFiles{}.write(folder.path());
  for (const auto& [part, bytes] : PlanetoidFiles{}.bytes()) {
    const auto file = folder / ("ind.mini." + part);
    check_bit_flips(bytes, 100, [&, f = file](const std::string& damaged) {
      write_plainly(f, damaged);
      gat::load_dataset(folder.path().string());
    });
    write_plainly(file, bytes);
  }
}

TEST_CASE("the real Cora graph cut at many places is refused", "[data][planetoid][real]") {
  const auto cora = find_test_data("planetoid/cora");
  if (!cora) return;
  const TemporaryFolder folder;
  std::filesystem::copy(*cora, folder.path());
  const std::string bytes = gat::read_file(folder / "ind.cora.graph");
  for (std::size_t k = 0; k < 40; ++k) {
    write_plainly(folder / "ind.cora.graph", bytes.substr(0, bytes.size() * k / 40));
    CHECK_THROWS_AS(gat::load_dataset(folder.path().string()), gat::InputError);
  }
}
