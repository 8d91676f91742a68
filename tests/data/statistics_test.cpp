#include "gat/data/statistics.hpp"

#include <limits>

#include "catch.hpp"
#include "gat/data/karate.hpp"

namespace {

//  0 -> 1 (twice), 1 -> 0, 1 -> 2, 3 -> 3 (twice); node 4 alone
gat::Dataset small() {
  gat::EdgeList edges;
  edges.add(0, 1);
  edges.add(0, 1);
  edges.add(1, 0);
  edges.add(1, 2);
  edges.add(3, 3);
  edges.add(3, 3);
  gat::GraphPolicy policy;
  policy.self_loops = gat::SelfLoops::as_given;
  policy.duplicates = gat::Duplicates::keep;
  gat::Dataset data;
  data.graph_data.graph = gat::build_graph(edges, 5, policy).graph;
  data.graph_data.features.dense.resize(5, 1);
  data.num_classes = 2;
  return data;
}

}  // namespace

TEST_CASE("edges are counted as stored and as undirected", "[data][statistics]") {
  const gat::EdgeStatistics counts = gat::edge_statistics(small().graph_data.graph);
  CHECK(counts.num_stored == 6);
  CHECK(counts.num_undirected == 2);
  CHECK(counts.num_distinct == 3);
  CHECK(counts.num_one_way == 1);
  CHECK(counts.num_duplicates == 2);
  CHECK(counts.num_self_loops == 2);
  CHECK(counts.num_looped == 1);
  CHECK(counts.num_isolated == 2);
  CHECK(counts.max_degree == 2);
  CHECK_FALSE(counts.is_symmetric());
}

TEST_CASE("homophily counts undirected edges whose ends are labelled", "[data][statistics]") {
  gat::Dataset data = small();
  CHECK_FALSE(gat::edge_homophily(data));
  data.labels.classes = {0, 0, 1, 1, 1};
  CHECK(gat::edge_homophily(data).value() == 0.5);
  data.labels.classes = {0, 0, gat::kNoLabel, 1, 1};
  CHECK(gat::edge_homophily(data).value() == 1.0);
  data.labels.classes = {0, gat::kNoLabel, 1, 1, 1};
  CHECK_FALSE(gat::edge_homophily(data));
}

TEST_CASE("classes are counted without the unlabelled", "[data][statistics]") {
  gat::Dataset data = small();
  CHECK(gat::num_unlabelled(data) == 5);
  data.labels.classes = {0, 1, 1, gat::kNoLabel, 1};
  CHECK(gat::class_counts(data) == std::vector<gat::Index>{1, 3});
  CHECK(gat::class_counts(data, std::vector<gat::NodeId>{0, 3, 4}) == std::vector<gat::Index>{1, 1});
  CHECK(gat::num_unlabelled(data) == 1);
}

TEST_CASE("targets are counted where they are at least one half", "[data][statistics]") {
  gat::Dataset data = small();
  data.labels.targets.resize(5, 2);
  data.labels.targets(0, 0) = 1;
  data.labels.targets(1, 0) = gat::Real(0.5);
  data.labels.targets(2, 1) = std::numeric_limits<gat::Real>::quiet_NaN();
  CHECK(gat::class_counts(data) == std::vector<gat::Index>{2, 0});
  CHECK(gat::num_unlabelled(data) == 0);
}
