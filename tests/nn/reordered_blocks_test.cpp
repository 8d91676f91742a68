// A network on the rows of the graph in another order against the order given.
#include "catch.hpp"
#include "gat/data/generate_power_law.hpp"
#include "gat/graph/reorder.hpp"
#include "nn/networks.hpp"

using namespace gat;
using gat::test::NetworkRun;
using gat::test::relative_difference;
using gat::test::rows_of;
using gat::test::run_network;
using gat::test::same_bits;

namespace {

using Nodes = std::vector<NodeId>;

// Communities, one-way edges, a hub with in- and out-edges enough to be cut into chunks, an isolated node.
CsrGraph with_hub() {
  const Index nodes = 3000;
  PowerLawOptions options;
  options.num_nodes = nodes;
  options.num_edges = 24000;
  options.max_degree = 200;
  EdgeList edges;
  for (const auto& [source, destination] : test::edges_of(generate_power_law(options).graph))
    edges.add(source, destination);
  for (NodeId node = 1; node < 2500; ++node) edges.add(node, 0);
  for (NodeId node = 500; node < nodes; ++node) edges.add(0, node);
  return build_graph(edges, nodes + 1, test::kAsGiven).graph;
}

Nodes reversed(Index num_nodes) {
  Nodes order;
  for (Index k = num_nodes; k-- > 0;) order.push_back(static_cast<NodeId>(k));
  return order;
}

}  // namespace

TEST_CASE("a network with all dropouts gives each node the same bits in any order of the nodes",
          "[nn][blocks][reorder][determinism]") {
  const CsrGraph graph = with_hub();
  const Matrix dense = test::random_half_empty(graph.num_nodes(), 12, 3);
  const CsrMatrix sparse = test::sparse_copy(dense);
  const Matrix d_whole = test::random_matrix(graph.num_nodes(), 3, 8);
  const Nodes by_cluster = cluster_order(graph, find_clusters(graph, {.max_nodes = 500}));
  const Blocks whole = Blocks::whole(graph.view(), 2);
  for (const bool is_sparse : {false, true}) {
    const FeatureView features = is_sparse ? FeatureView(sparse.view()) : FeatureView(dense);
    const Network network(test::two_layers(12, !is_sparse));
    const Weights weights = test::random_weights(network);
    for (const Nodes& order : {by_cluster, reversed(graph.num_nodes())}) {
      const Blocks blocks = Blocks::reordered(graph, order, 2);
      const NetworkRun expected =
          run_network(network, weights, {whole, features}, Mode::training, d_whole, 2);
      const NetworkRun run =
          run_network(network, weights, {blocks, features}, Mode::training, rows_of(d_whole, order), 3);
      CHECK(same_bits(run.class_logits, rows_of(expected.class_logits, order)));
      CHECK(relative_difference(test::all_values(run.gradients), test::all_values(expected.gradients)) <
            1e-5);
    }
  }
}

TEST_CASE("edge features, masks and coefficients keep their edge ids in any order of the nodes",
          "[nn][blocks][reorder][determinism]") {
  const CsrGraph graph = test::random_graph(40, 200, 4);
  const Network network({6, 2, {test::gat_step({{"num_heads", 2}, {"head_dim", 3}})}});
  const Weights weights = test::random_weights(network);
  const Matrix features = test::random_matrix(40, 6, 3);
  const Matrix edge_features = test::random_matrix(200, 2, 4);
  std::vector<std::uint8_t> mask(200, 1);
  for (std::size_t e = 0; e < 200; e += 7) mask[e] = 0;
  const Nodes order = reversed(40);
  const auto run = [&](const Blocks& blocks, Matrix& coefficients) {
    const NetworkInput input{blocks, features, edge_features, {mask, {}, {}}};
    Workspace workspace;
    AttentionSink sink;
    sink.attention = coefficients;
    const Round round{.workspace = workspace, .random = RandomStream(1), .attention = {&sink, 1}};
    Matrix output(40, network.output_width());
    network.forward(round, weights, input, output);
    return output;
  };
  Matrix given(200, 2);
  Matrix reordered(200, 2);
  const Matrix expected = run(Blocks::whole(graph.view(), 1), given);
  const Matrix rows = run(Blocks::reordered(graph, order, 1), reordered);
  CHECK(same_bits(rows, rows_of(expected, order)));
  CHECK(same_bits(reordered, given));
}
