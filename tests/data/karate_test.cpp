#include "gat/data/karate.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/statistics.hpp"
#include "test_data.hpp"

TEST_CASE("the karate club loads without any file", "[data][karate]") {
  const gat::Dataset data = gat::load_dataset("karate");
  const gat::EdgeStatistics edges = gat::edge_statistics(data.graph_data.graph);
  CHECK(data.num_nodes() == 34);
  CHECK(edges.num_stored == 156);
  CHECK(edges.num_undirected == 78);
  CHECK(edges.is_symmetric());
  CHECK(edges.max_degree == 17);
  CHECK(gat::class_counts(data) == std::vector<gat::Index>{12, 5, 11, 6});
  CHECK(gat::edge_homophily(data).value() == 57.0 / 78.0);
}

TEST_CASE("each karate member has a feature of its own", "[data][karate]") {
  const gat::Features features = gat::karate_club().graph_data.features;
  REQUIRE(features.is_sparse);
  CHECK(features.rows() == 34);
  CHECK(features.cols() == 34);
  for (std::size_t i = 0; i < 34; ++i) {
    CHECK(features.sparse.column_indices[i] == static_cast<gat::NodeId>(i));
    CHECK(features.sparse.values[i] == 1);
  }
}

TEST_CASE("the stored karate split trains on the first member of each community", "[data][karate]") {
  const gat::Dataset data = gat::karate_club();
  REQUIRE(data.splits.size() == 1);
  CHECK(data.splits[0].train == std::vector<gat::NodeId>{0, 4, 8, 23});
  CHECK(data.splits[0].validation.empty());
  CHECK(data.splits[0].test.size() == 30);
}

TEST_CASE("the embedded karate club is that of datasets/karate", "[data][karate]") {
  const gat::Dataset files = gat::load_dataset(GAT_TESTS_DIR "/../datasets/karate");
  const gat::Dataset embedded = gat::karate_club();
  CHECK(files.format == "folder");
  CHECK(files.fingerprint() == embedded.fingerprint());
  REQUIRE(files.splits.size() == 1);
  CHECK(files.splits[0].train == embedded.splits[0].train);
  CHECK(files.splits[0].test == embedded.splits[0].test);
}

TEST_CASE("the embedded karate club is that of the GraphData collection", "[data][karate][real]") {
  const auto path = find_test_data("graphdata/karate_club.npz");
  if (path) CHECK(gat::load_dataset(path->string()).fingerprint() == gat::karate_club().fingerprint());
}
