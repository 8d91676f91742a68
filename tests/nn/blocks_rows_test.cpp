// Rows computed from a part of the graph against the same rows of the whole graph.
#include "catch.hpp"
#include "nn/networks.hpp"

using namespace gat;
using gat::test::NetworkRun;
using gat::test::relative_difference;
using gat::test::rows_of;
using gat::test::run_network;
using gat::test::same_bits;

namespace {

using Nodes = std::vector<NodeId>;

//  0 ⇄ 1 ← 3 ← 5 ← 2 → 0,   2 ← 4,  2 ← 6 ← 7 ⟲      edge ids by destination:
//  1→0 0, 2→0 1, 3→1 2, 0→1 3, 4→2 4, 6→2 5, 5→3 6, 2→5 7, 7→6 8, 7→7 9
CsrGraph small() {
  return test::graph_of(8, {{1, 0}, {2, 0}, {3, 1}, {0, 1}, {4, 2}, {6, 2}, {5, 3}, {2, 5}, {7, 6}, {7, 7}});
}

// What nodes 0 and 5 depend on through two layers, written out by hand; nodes 1 and 2 feed both.
std::vector<Block> hand_made() {
  Block first;
  first.node_ids = {0, 5, 2, 1, 3, 4, 6};
  first.num_destinations = 4;
  first.row_offsets = {0, 2, 3, 5, 7};
  first.column_indices = {3, 2, /* 5: */ 2, /* 2: */ 5, 6, /* 1: */ 4, 0};
  first.edge_ids = {0, 1, 7, 4, 5, 2, 3};
  first.edge_id_bound = 10;
  Block last;
  last.node_ids = {0, 5, 2, 1};
  last.num_destinations = 2;
  last.row_offsets = {0, 2, 3};
  last.column_indices = {3, 2, /* 5: */ 2};
  last.edge_ids = {0, 1, 7};
  last.edge_id_bound = 10;
  return {first, last};
}

// Runs the whole graph and a part of it with the same masks; the loss reaches the part's rows alone.
void check_part(const CsrGraph& graph, const Blocks& part, const Nodes& nodes, const FeatureView& features,
                bool per_head, Mode mode) {
  const Network network(test::two_layers(features.cols(), per_head));
  const Weights weights = test::random_weights(network);
  const Matrix d_part = test::random_matrix(static_cast<Index>(nodes.size()), 3, 8);
  Matrix d_whole(graph.num_nodes(), 3);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (Index c = 0; c < 3; ++c) d_whole(nodes[k], c) = d_part(static_cast<Index>(k), c);
  }
  const bool train = mode == Mode::training;
  const Blocks whole = Blocks::whole(graph.view(), 2);
  const NetworkRun expected =
      run_network(network, weights, {whole, features}, mode, train ? d_whole : Matrix());
  const NetworkRun run = run_network(network, weights, {part, features}, mode, train ? d_part : Matrix());
  CHECK(same_bits(run.class_logits, rows_of(expected.class_logits, nodes)));
  CHECK(relative_difference(test::all_values(run.gradients), test::all_values(expected.gradients)) < 1e-5);
  for (Index p = 0; p < weights.count(); ++p) {
    const std::string& name = weights.spec(p).name;
    INFO(name);
    // These shift the scores of a whole row: where none of them is bent, their gradients cancel.
    if (name.find("score_bias") != std::string::npos || name.find("a_dst") != std::string::npos) continue;
    CHECK(relative_difference(run.gradients[p], std::as_const(expected.gradients)[p]) < 1e-5);
  }
}

}  // namespace

TEST_CASE("hand-made blocks of two layers with all dropouts equal the whole graph's rows",
          "[nn][blocks][determinism]") {
  const CsrGraph graph = small();
  const Matrix dense = test::random_half_empty(8, 6, 3);
  const CsrMatrix sparse = test::sparse_copy(dense);
  for (const FeatureView& features : {FeatureView(dense), FeatureView(sparse.view())}) {
    for (const bool per_head : {false, true}) {
      for (const Mode mode : {Mode::training, Mode::evaluation}) {
        check_part(graph, Blocks(hand_made()), {0, 5}, features, per_head, mode);
      }
    }
  }
}

TEST_CASE("the receptive field with all dropouts equals the whole graph's rows",
          "[nn][blocks][determinism]") {
  const CsrGraph graph = small();
  const Matrix features = test::random_matrix(8, 6, 3);
  const std::vector<Reach> reach(2, Reach::neighbourhood);
  for (const bool per_head : {false, true}) {
    for (const Nodes& nodes : {Nodes{0, 5}, Nodes{1, 0, 2}, Nodes{3, 1, 0, 6, 2, 5, 7, 4}}) {
      check_part(graph, Blocks::receptive_field(graph, nodes, reach), nodes, features, per_head,
                 Mode::training);
    }
    for (const Nodes& nodes : {Nodes{7}, Nodes{4}, Nodes{2}, Nodes{6, 1}}) {
      check_part(graph, Blocks::receptive_field(graph, nodes, reach), nodes, features, per_head,
                 Mode::evaluation);
    }
  }
}

TEST_CASE("receptive fields in random graphs equal the whole graph's rows", "[nn][blocks][determinism]") {
  const CsrGraph graph = test::random_graph(300, 900, 4, {.direction = Direction::symmetrize});
  const Matrix dense = test::random_half_empty(300, 20, 3);
  const CsrMatrix sparse = test::sparse_copy(dense);
  const std::vector<Reach> reach(2, Reach::neighbourhood);
  const Nodes nodes{250, 3, 77, 4, 299, 100};
  const Blocks part = Blocks::receptive_field(graph, nodes, reach);
  REQUIRE(part.layer(0).num_sources() < 300);
  for (const FeatureView& features : {FeatureView(dense), FeatureView(sparse.view())}) {
    check_part(graph, part, nodes, features, true, Mode::training);
    check_part(graph, part, nodes, features, false, Mode::evaluation);
  }
}

TEST_CASE("edge features and masks of a part are those of the whole graph", "[nn][blocks][determinism]") {
  const CsrGraph graph = small();
  const Network network({6,
                         2,
                         {test::gat_step({{"num_heads", 2}, {"head_dim", 3}}),
                          test::gat_step({{"num_heads", 1}, {"head_dim", 3}})}});
  const Weights weights = test::random_weights(network);
  const Matrix features = test::random_matrix(8, 6, 3);
  const Matrix edge_features = test::random_matrix(10, 2, 4);
  const Matrix prior = test::random_matrix(10, 1, 5);
  const std::vector<std::uint8_t> mask{1, 1, 0, 1, 1, 0, 1, 1, 1, 1};
  const EdgeTerms terms{mask, {prior, nullptr}, {}};
  const Blocks whole = Blocks::whole(graph.view(), 2);
  const Blocks part(hand_made());
  const Matrix expected =
      run_network(network, weights, {whole, features, edge_features, terms}, Mode::evaluation).class_logits;
  const Matrix rows =
      run_network(network, weights, {part, features, edge_features, terms}, Mode::evaluation).class_logits;
  CHECK(same_bits(rows, rows_of(expected, {0, 5})));
}
