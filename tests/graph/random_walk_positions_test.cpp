#include "gat/graph/random_walk_positions.hpp"

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::graph_of;
using gat::test::matrix_of;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

std::vector<Real> random_weights(Index count, std::uint64_t seed) {
  const RandomStream stream(seed);
  std::vector<Real> weights(static_cast<std::size_t>(count));
  for (std::size_t e = 0; e < weights.size(); ++e) {
    // Every fifth edge is none.
    weights[e] = e % 5 == 0 ? Real(0) : static_cast<Real>(10 * stream.uniform(e));
  }
  return weights;
}

// The definition: P^k as a dense matrix, its diagonal.
Matrix by_dense_powers(const CsrGraph& graph, Index steps, const std::vector<Real>& weights) {
  const auto n = static_cast<std::size_t>(graph.num_nodes());
  std::vector<std::vector<double>> p(n, std::vector<double>(n, 0)), power = p;
  for (std::size_t s = 0; s < n; ++s) {
    const EdgeRow row = graph.out_edges(static_cast<Index>(s));
    double degree = 0;
    for (Index k = 0; k < row.count; ++k)
      degree += static_cast<double>(weights[static_cast<std::size_t>(row.edge(k))]);
    for (Index k = 0; k < row.count && degree > 0; ++k)
      p[s][static_cast<std::size_t>(row.node(k))] +=
          static_cast<double>(weights[static_cast<std::size_t>(row.edge(k))]) / degree;
    power[s][s] = 1;
  }
  Matrix diagonal(graph.num_nodes(), steps);
  for (Index step = 0; step < steps; ++step) {
    auto next = std::vector<std::vector<double>>(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) next[i][k] += power[i][j] * p[j][k];
    power = next;
    for (std::size_t i = 0; i < n; ++i)
      diagonal(static_cast<Index>(i), step) = static_cast<Real>(power[i][i]);
  }
  return diagonal;
}

}  // namespace

TEST_CASE("return probabilities are the diagonals of dense powers", "[graph][positions][reference]") {
  // Loops, parallel edges, sinks and nodes without edges among them; the last block of nodes is short.
  const CsrGraph graph = test::random_graph(45, 160, 3);
  const std::vector<Real> weights = random_weights(graph.num_edges(), 4);
  const std::vector<Real> ones(weights.size(), Real(1));
  CHECK(relative_difference(random_walk_positions(graph, 7), by_dense_powers(graph, 7, ones)) < 1e-6);
  CHECK(relative_difference(random_walk_positions(graph, 7, weights), by_dense_powers(graph, 7, weights)) <
        1e-6);
}

TEST_CASE("symmetric weights, where the way back is the way there, give the same",
          "[graph][positions][reference]") {
  // Both ways of an edge have one weight; parallel edges, loops and nodes without edges among them.
  EdgeList list = test::random_edge_list(60, 60, 100, 7);
  const Index listed = list.size();
  for (Index e = 0; e < listed; ++e) {
    const auto at = static_cast<std::size_t>(e);
    if (list.sources[at] != list.destinations[at]) list.add(list.destinations[at], list.sources[at]);
  }
  const CsrGraph graph = build_graph(list, 61, test::kAsGiven).graph;
  std::vector<Real> weights(static_cast<std::size_t>(graph.num_edges()));
  for (Index i = 0; i < graph.num_nodes(); ++i) {
    const EdgeRow row = graph.in_edges(i);
    for (Index k = 0; k < row.count; ++k)
      weights[static_cast<std::size_t>(row.edge(k))] = static_cast<Real>(1 + (i + row.node(k)) % 7);
  }
  CHECK(relative_difference(random_walk_positions(graph, 8, weights), by_dense_powers(graph, 8, weights)) <
        1e-6);
  // One weight more or less, and walks are no longer reversible.
  weights[0] += 5;
  CHECK(relative_difference(random_walk_positions(graph, 8, weights), by_dense_powers(graph, 8, weights)) <
        1e-6);
}

TEST_CASE("walks follow the direction of the edges", "[graph][positions][unit]") {
  // 0 → 1 → 2 → 0 and 2 → 3, a sink
  const CsrGraph graph = graph_of(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}});
  CHECK(same_bits(random_walk_positions(graph, 4),
                  matrix_of({{0, 0, 0.5, 0}, {0, 0, 0.5, 0}, {0, 0, 0.5, 0}, {0, 0, 0, 0}})));
}

TEST_CASE("parallel edges add up and a loop is a way back", "[graph][positions][unit]") {
  // 0 → 1 three times, 0 → 0, 1 → 0
  const CsrGraph graph = graph_of(2, {{0, 1}, {0, 1}, {0, 1}, {0, 0}, {1, 0}});
  CHECK(same_bits(random_walk_positions(graph, 2), matrix_of({{0.25, 0.0625 + 0.75}, {0, 0.75}})));
}

TEST_CASE("every return probability lies in [0, 1]", "[graph][positions][property]") {
  const CsrGraph graph = test::random_graph(300, 900, 8);
  std::vector<Real> weights = random_weights(graph.num_edges(), 9);
  for (std::size_t e = 0; e < weights.size(); e += 3) weights[e] *= Real(1e6);
  const Matrix encoding = random_walk_positions(graph, 12, weights, 2);
  Real largest = 0;
  for (Index k = 0; k < encoding.size(); ++k) {
    CHECK((encoding.data()[k] >= 0 && encoding.data()[k] <= 1));
    largest = std::max(largest, encoding.data()[k]);
  }
  CHECK(largest > Real(0.5));
}

TEST_CASE("random-walk encodings have the same bits at any number of threads",
          "[graph][positions][determinism]") {
  const CsrGraph graph = test::random_graph(1003, 5000, 5);
  const std::vector<Real> weights = random_weights(graph.num_edges(), 6);
  const Matrix one = random_walk_positions(graph, 6, weights);
  for (const int threads : {2, 3, 8})
    CHECK(same_bits(random_walk_positions(graph, 6, weights, threads), one));
}

TEST_CASE("what a random-walk encoding cannot be made of is refused", "[graph][positions][unit]") {
  const CsrGraph graph = graph_of(2, {{0, 1}, {1, 0}});
  CHECK_THROWS_AS(random_walk_positions(graph, 0), UsageError);
  CHECK_THROWS_AS(random_walk_positions(graph, 2, std::vector<Real>{1}), ShapeError);
  CHECK_THROWS_AS(random_walk_positions(graph, 2, std::vector<Real>{1, -1}), UsageError);
  CHECK_THROWS_AS(random_walk_positions(graph, 2, std::vector<Real>{1, INFINITY}), UsageError);
  const std::vector<EdgeId> offsets{0, 1};
  const std::vector<NodeId> columns{2};
  CHECK_THROWS_AS(random_walk_positions(CsrGraph::from_csr(offsets, columns, 3, true), 2), UsageError);
  CHECK(random_walk_positions(graph_of(0, {}), 3).rows() == 0);
}
