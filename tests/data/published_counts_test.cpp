#include "data/published_counts.hpp"

#include <cmath>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/split.hpp"
#include "gat/data/statistics.hpp"
#include "gat/graph/statistics.hpp"
#include "test_data.hpp"

namespace {

using Counts = std::vector<gat::Index>;

/// Non-zeros and rows without any, of dense or sparse features.
std::pair<gat::Index, gat::Index> count_entries(const gat::Features& features) {
  gat::Index entries = 0;
  gat::Index zero_rows = 0;
  for (gat::Index i = 0; i < features.rows(); ++i) {
    gat::Index row = 0;
    if (features.is_sparse) {
      const auto at = static_cast<std::size_t>(i);
      for (auto k = features.sparse.row_offsets[at]; k < features.sparse.row_offsets[at + 1]; ++k) {
        row += features.sparse.values[static_cast<std::size_t>(k)] != 0;
      }
    } else {
      for (gat::Index j = 0; j < features.cols(); ++j) row += features.dense(i, j) != 0;
    }
    entries += row;
    zero_rows += row == 0;
  }
  return {entries, zero_rows};
}

void check_counts(const PublishedCounts& published, const gat::Dataset& data) {
  INFO(published.path);
  const gat::EdgeStatistics edges = gat::edge_statistics(data.graph_data.graph);
  CHECK(data.num_nodes() == published.nodes);
  CHECK(edges.num_stored == published.stored);
  CHECK(edges.num_undirected == published.undirected);
  CHECK(edges.num_self_loops == published.loops);
  CHECK(edges.num_duplicates == published.duplicates);
  CHECK(edges.is_symmetric() == published.symmetric);
  CHECK(edges.num_isolated == published.isolated);
  CHECK(edges.max_degree == published.max_degree);
  const gat::WeakComponents components = gat::weak_components(data.graph_data.graph);
  CHECK(components.count == published.components);
  CHECK(components.largest == published.largest_component);
  CHECK(std::abs(gat::edge_homophily(data).value() - published.homophily) < 0.50001e-4);
  const auto [entries, zero_rows] = count_entries(data.graph_data.features);
  CHECK(data.graph_data.num_features() == published.features);
  CHECK(entries == published.non_zeros);
  CHECK(zero_rows == published.zero_rows);
  CHECK(gat::class_counts(data) == published.classes);
}

Counts sizes(const gat::Split& split) {
  return {static_cast<gat::Index>(split.train.size()), static_cast<gat::Index>(split.validation.size()),
          static_cast<gat::Index>(split.test.size())};
}

std::optional<gat::Dataset> load(const std::string& path) {
  const auto file = find_test_data(path);
  if (!file) return std::nullopt;
  return gat::load_dataset(file->string());
}

/// Every one of the ten stored splits has these sizes.
void check_ten_splits(const std::string& name, const Counts& expected) {
  const auto data = load("heterophilous/" + name + ".npz");
  if (!data) return;
  INFO(name);
  REQUIRE(data->splits.size() == 10);
  for (const gat::Split& split : data->splits) CHECK(sizes(split) == expected);
}

}  // namespace

TEST_CASE("public data sets have their published counts", "[data][formats][real]") {
  for (const PublishedCounts& published : kPublishedCounts) {
    if (const auto data = load(published.path)) check_counts(published, *data);
  }
}

TEST_CASE("the ego networks have their published counts", "[data][csr_npz][real]") {
  for (const PublishedEgoCounts& published : kPublishedEgoCounts) {
    const auto data = load(std::string("facebook-ego/") + published.name + ".npz");
    if (!data) continue;
    INFO(published.name);
    const gat::EdgeStatistics edges = gat::edge_statistics(data->graph_data.graph);
    CHECK(Counts{data->num_nodes(), edges.num_stored, edges.num_undirected, edges.num_isolated} ==
          Counts{published.nodes, published.stored, published.undirected, published.isolated});
    CHECK(edges.is_symmetric());
    CHECK(edges.num_duplicates + edges.num_self_loops == 0);
    CHECK(data->graph_data.num_features() == published.features);
    CHECK(count_entries(data->graph_data.features).first == published.non_zeros);
    const gat::Matrix& targets = data->labels.targets;
    gat::Index entries = 0, without = 0, most = 0;
    for (gat::Index i = 0; i < targets.rows(); ++i) {
      gat::Index row = 0;
      for (gat::Index c = 0; c < targets.cols(); ++c) row += targets(i, c) == 1;
      entries += row;
      without += row == 0;
      most = std::max(most, row);
    }
    CHECK(Counts{targets.cols(), entries, without, most} ==
          Counts{published.labels, published.label_entries, published.without_label, published.most_labels});
  }
}

TEST_CASE("Cora's public split is the published one", "[data][planetoid][real][B20]") {
  const auto data = load("planetoid/cora");
  if (!data) return;
  const gat::Split split = gat::make_split(*data, gat::parse_split("public"), 0);
  CHECK(sizes(split) == Counts{140, 500, 1000});
  CHECK(split.train.front() == 0);
  CHECK(split.train.back() == 139);
  CHECK(gat::class_counts(*data, split.train) == Counts(7, 20));
  CHECK(split.validation.front() == 140);
  CHECK(split.validation.back() == 639);
  CHECK(split.test.front() == 1708);
  CHECK(split.test.back() == 2707);
  CHECK(data->labels.classes[1708] == 3);
}

TEST_CASE("Citeseer's fifteen nodes without row have no features, label or part", "[data][planetoid][real]") {
  const auto data = load("planetoid/citeseer");
  if (!data) return;
  const gat::Split& split = data->splits[0];
  CHECK(sizes(split) == Counts{120, 500, 1000});
  const gat::CsrMatrix& features = data->graph_data.features.sparse;
  for (const gat::NodeId node :
       {2407, 2489, 2553, 2682, 2781, 2953, 3042, 3063, 3212, 3214, 3250, 3292, 3305, 3306, 3309}) {
    INFO(node);
    const auto at = static_cast<std::size_t>(node);
    CHECK(features.row_offsets[at] == features.row_offsets[at + 1]);
    CHECK(data->labels.classes[at] == gat::kNoLabel);
    CHECK_FALSE(std::binary_search(split.test.begin(), split.test.end(), node));
    CHECK(data->graph_data.graph.in_degree(node) > 0);
  }
  CHECK(gat::num_unlabelled(*data) == 15);
}

TEST_CASE("Pubmed's public split has the published sizes", "[data][planetoid][real]") {
  if (const auto data = load("planetoid/pubmed")) CHECK(sizes(data->splits[0]) == Counts{60, 500, 1000});
}

TEST_CASE("stored masks have the published sizes", "[data][heterophilous_npz][real]") {
  check_ten_splits("actor", {3648, 2432, 1520});
  check_ten_splits("cornell", {87, 59, 37});
  check_ten_splits("texas", {87, 59, 37});
  check_ten_splits("wisconsin", {120, 80, 51});
  check_ten_splits("chameleon", {1092, 729, 456});
  check_ten_splits("chameleon_directed", {1092, 729, 456});
  check_ten_splits("squirrel", {2496, 1664, 1041});
  check_ten_splits("squirrel_directed", {2496, 1664, 1041});
  check_ten_splits("minesweeper", {5000, 2500, 2500});
  check_ten_splits("tolokers", {5879, 2939, 2940});
}

TEST_CASE("masks of the filtered graphs and of four-class Texas cover what they should",
          "[data][heterophilous_npz][real]") {
  for (const std::string name : {"chameleon_filtered", "chameleon_filtered_directed", "squirrel_filtered",
                                 "squirrel_filtered_directed", "texas_4_classes"}) {
    const auto data = load("heterophilous/" + name + ".npz");
    if (!data) continue;
    INFO(name);
    REQUIRE(data->splits.size() == 10);
    const gat::Index uncovered = name == "texas_4_classes" ? 1 : 0;
    for (const gat::Split& split : data->splits) {
      const Counts parts = sizes(split);
      CHECK(parts[0] + parts[1] + parts[2] == data->num_nodes() - uncovered);
      const auto within = [&](gat::Index low, gat::Index high) {
        return parts[0] >= low && parts[0] <= high;
      };
      if (name.starts_with("chameleon")) CHECK(within(409, 440));
      if (name.starts_with("squirrel")) CHECK(within(1047, 1085));
      if (name.starts_with("texas")) CHECK(within(86, 87));
    }
  }
}

TEST_CASE("class names and node names come from the archives", "[data][csr_npz][real]") {
  if (const auto data = load("gnn-benchmark/cora.npz")) {
    CHECK(data->class_names[0] == "Case_Based");
    CHECK(data->class_names[6] == "Theory");
    CHECK(data->node_names.size() == 2708);
  }
  if (const auto data = load("ppnp/cora_ml.npz")) CHECK(data->node_names[0].back() != '\n');
  if (const auto data = load("gnn-benchmark/ms_academic_cs.npz")) CHECK(data->class_names[3] == "3");
}
