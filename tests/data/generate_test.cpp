#include "gat/data/generate.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/statistics.hpp"

TEST_CASE("synthetic Cora has Cora's sizes", "[data][generate]") {
  const gat::Dataset data = gat::load_dataset("synthetic-cora");
  const gat::EdgeStatistics edges = gat::edge_statistics(data.graph_data.graph);
  CHECK(data.num_nodes() == 2708);
  CHECK(data.graph_data.num_features() == 1433);
  CHECK(gat::class_counts(data) == std::vector<gat::Index>{351, 217, 418, 818, 426, 298, 180});
  CHECK(edges.num_stored == 5278);
  CHECK(edges.num_undirected == 5278);
  CHECK(edges.num_self_loops == 0);
  CHECK(std::abs(gat::edge_homophily(data).value() - 0.81) < 0.02);
  const gat::CsrMatrix& words = data.graph_data.features.sparse;
  REQUIRE(data.graph_data.features.is_sparse);
  CHECK(std::all_of(words.values.begin(), words.values.end(), [](gat::Real v) { return v == 1; }));
  CHECK(std::abs(static_cast<double>(words.num_entries()) / 2708 - 18) < 1.5);
}

TEST_CASE("the split of synthetic Cora is Planetoid's", "[data][generate]") {
  const gat::Dataset data = gat::synthetic_cora(3);
  REQUIRE(data.splits.size() == 1);
  CHECK(data.split_kind == "public");
  CHECK(gat::class_counts(data, data.splits[0].train) == std::vector<gat::Index>(7, 20));
  CHECK(data.splits[0].validation.size() == 500);
  CHECK(data.splits[0].test.size() == 1000);
  CHECK(data.splits[0].test.back() == 2707);
}

TEST_CASE("a generated set is decided by its seed", "[data][generate]") {
  CHECK(gat::synthetic_cora(1).fingerprint() == gat::synthetic_cora(1).fingerprint());
  CHECK(gat::synthetic_cora(1).fingerprint() != gat::synthetic_cora(2).fingerprint());
  gat::LoadOptions options;
  options.seed = 2;
  CHECK(gat::load_dataset("synthetic-cora", options).fingerprint() == gat::synthetic_cora(2).fingerprint());
}

TEST_CASE("hubs of 10,000 edges in and out come on top", "[data][generate]") {
  gat::CitationOptions options;
  options.num_nodes = 20000;
  options.num_hub_edges = 10000;
  options.num_words = 50;
  const gat::Dataset data = gat::generate_citations(options);
  const gat::CsrGraph& graph = data.graph_data.graph;
  CHECK(graph.in_degree(0) >= 10000);
  CHECK(graph.out_degree(1) >= 10000);
  CHECK(graph.num_edges() == 20000 + 38980);
  CHECK(gat::edge_statistics(graph).num_duplicates == 0);
}

TEST_CASE("tiny and dense citation graphs stay valid", "[data][generate]") {
  for (const gat::Index nodes : {1, 2, 3, 10}) {
    gat::CitationOptions options;
    options.num_nodes = nodes;
    options.num_classes = std::min<gat::Index>(nodes, 3);
    options.num_words = 2;
    options.mean_degree = 100;  // more than there are pairs
    const gat::Dataset data = gat::generate_citations(options);
    CHECK_NOTHROW(data.validate());
    CHECK(data.graph_data.graph.num_edges() <= nodes * (nodes - 1) / 2);
  }
}

TEST_CASE("citation options out of range are refused", "[data][generate]") {
  const auto refused = [](auto change) {
    gat::CitationOptions options;
    change(options);
    return message_of([&] { gat::generate_citations(options); });
  };
  CHECK(lacking(refused([](auto& o) { o.num_nodes = 0; }), {"num_nodes"}) == "");
  CHECK(lacking(refused([](auto& o) { o.homophily = 1.5; }), {"homophily"}) == "");
  CHECK(lacking(refused([](auto& o) { o.topic_share = -1; }), {"topic_share"}) == "");
  CHECK(lacking(refused([](auto& o) {
                  o.class_sizes = {1, 2};
                }),
                {"class_sizes must have num_classes"}) == "");
  CHECK(lacking(refused([](auto& o) { o.class_sizes.assign(7, 1); }), {"sum to num_nodes"}) == "");
  CHECK(lacking(refused([](auto& o) { o.num_hub_edges = 5000; }), {"num_hub_edges"}) == "");
}
