#include "gat/graph/laplacian_positions.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "graph/smallest_eigenvectors.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::Edges;
using gat::test::graph_of;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

// Edges of a path, both ways.
Edges path(NodeId nodes) {
  Edges edges;
  for (NodeId i = 0; i + 1 < nodes; ++i) {
    edges.emplace_back(i, i + 1);
    edges.emplace_back(i + 1, i);
  }
  return edges;
}

CsrGraph ring(NodeId nodes) {
  Edges edges;
  for (NodeId i = 0; i < nodes; ++i) edges.emplace_back(i, (i + 1) % nodes);
  return graph_of(nodes, edges);
}

// A square of side × side nodes, each with the neighbours right and below it.
CsrGraph square(NodeId side) {
  Edges edges;
  for (NodeId i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) edges.emplace_back(i, i + 1);
    if (i + side < side * side) edges.emplace_back(i, i + side);
  }
  return graph_of(side * side, edges);
}

LaplacianPart only_part(const CsrGraph& graph) {
  const SymmetricWeights weights(graph, EdgeWeights(graph, {}, "test"));
  REQUIRE(weights.num_parts() == 1);
  return weights.part(0);
}

// max over the pairs of ‖L v − λ v‖, and of |v_k · v_l| and |v_k · null vector|.
double worst_residual(const LaplacianPart& part, const Eigenpairs& pairs) {
  double worst = 0;
  for (Index k = 0; k < pairs.values.size(); ++k) {
    const Eigen::VectorXd v = pairs.vectors.col(k);
    worst = std::max(worst, (v - part.adjacency * v - pairs.values[k] * v).norm());
  }
  return worst;
}
double worst_overlap(const LaplacianPart& part, const Eigenpairs& pairs) {
  const Eigen::MatrixXd products = pairs.vectors.transpose() * pairs.vectors;
  const double among =
      (products - Eigen::MatrixXd::Identity(products.rows(), products.cols())).cwiseAbs().maxCoeff();
  return std::max(among, (pairs.vectors.transpose() * part.null_vector).cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("every way to the eigenvectors of a large component leaves a small residual",
          "[graph][positions][laplacian][reference]") {
  const LaplacianPart part = only_part(test::random_graph(
      500, 4000, 2, {.direction = Direction::symmetrize, .self_loops = SelfLoops::remove}));
  const Eigenpairs dense = smallest_eigenvectors(part, 6, 1, EigenMethod::dense);
  for (const EigenMethod method : {EigenMethod::dense, EigenMethod::inverse, EigenMethod::direct}) {
    const Eigenpairs pairs = smallest_eigenvectors(part, 6, 1, method);
    CHECK(worst_residual(part, pairs) < 1e-8);
    CHECK(worst_overlap(part, pairs) < 1e-7);
    CHECK((pairs.values - dense.values).cwiseAbs().maxCoeff() < 1e-10);
  }
}

TEST_CASE("a long chain and a square have the eigenvalues of their formulas",
          "[graph][positions][laplacian][reference]") {
  // A ring's are 1 − cos(2π j / n), each twice.
  const LaplacianPositions chain = laplacian_positions(ring(5000), 6);
  for (std::size_t k = 0; k < 6; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k / 2 + 1) / 5000;
    CHECK(chain.eigenvalues[k] == Approx(2 * std::pow(std::sin(angle / 2), 2)).epsilon(1e-6));
  }
  const LaplacianPart part = only_part(square(22));
  const Eigenpairs wanted = smallest_eigenvectors(part, 8, 1, EigenMethod::dense);
  for (const EigenMethod method : {EigenMethod::inverse, EigenMethod::direct}) {
    const Eigenpairs pairs = smallest_eigenvectors(part, 8, 1, method);
    CHECK((pairs.values - wanted.values).cwiseAbs().maxCoeff() < 1e-10);
    CHECK(worst_residual(part, pairs) < 1e-8);
  }
}

TEST_CASE("equal eigenvalues come as often as they are", "[graph][positions][laplacian][reference]") {
  // A star: 1 as often as there are leaves but one, then 2.
  Edges edges;
  for (NodeId leaf = 1; leaf < 1000; ++leaf) edges.emplace_back(leaf, 0);
  const LaplacianPart part = only_part(graph_of(1000, edges));
  for (const EigenMethod method : {EigenMethod::inverse, EigenMethod::direct}) {
    const Eigenpairs pairs = smallest_eigenvectors(part, 5, 1, method);
    for (Index k = 0; k < 5; ++k) CHECK(pairs.values[k] == Approx(1));
    CHECK(worst_residual(part, pairs) < 1e-8);
    CHECK(worst_overlap(part, pairs) < 1e-7);
  }
}

TEST_CASE("an encoding does not depend on the direction of edges, on loops or on the scale of weights",
          "[graph][positions][laplacian][property]") {
  const Matrix expected = laplacian_positions(graph_of(5, path(5)), 3).vectors;
  CHECK(relative_difference(laplacian_positions(graph_of(5, {{0, 1}, {2, 1}, {2, 3}, {4, 3}}), 3).vectors,
                            expected) < 1e-5);
  Edges with_loops = path(5);
  with_loops.insert(with_loops.begin() + 3, {2, 2});
  CHECK(relative_difference(laplacian_positions(graph_of(5, with_loops), 3).vectors, expected) < 1e-5);
  const CsrGraph graph = graph_of(5, path(5));
  const std::vector<Real> weights(static_cast<std::size_t>(graph.num_edges()), Real(4));
  CHECK(relative_difference(laplacian_positions(graph, 3, weights).vectors, expected) < 1e-5);
}

TEST_CASE("the weights of edges count", "[graph][positions][laplacian][unit]") {
  // 0 –1– 1 –3– 2: L's off-diagonals are −1/√(1·4) and −3/√(3·4), so the eigenvalues are 0, 1 and 2.
  const CsrGraph graph = graph_of(3, {{1, 0}, {0, 1}, {2, 1}, {1, 2}});
  const std::vector<Real> weights{1, 1, 3, 3};
  const LaplacianPositions positions = laplacian_positions(graph, 2, weights);
  REQUIRE(positions.eigenvalues.size() == 2);
  CHECK(positions.eigenvalues[0] == Approx(1));
  CHECK(positions.eigenvalues[1] == Approx(2));
  // Of the eigenvalue 1: zero in the middle, √3 : −1 outside.
  CHECK(positions.vectors(0, 0) == Approx(std::sqrt(3.0) / 2));
  CHECK(positions.vectors(1, 0) == Approx(0).margin(1e-6));
  CHECK(positions.vectors(2, 0) == Approx(-0.5));
  // An edge of weight 0 is none.
  CHECK(laplacian_positions(graph, 2, std::vector<Real>{1, 1, 0, 0}).num_skipped == 1);
  CHECK(laplacian_positions(graph, 2, std::vector<Real>{1, 1, 0, 0}).eigenvalues[0] == Approx(1));
}

TEST_CASE("the largest component is positive, of equal ones that of the lowest node",
          "[graph][positions][laplacian][unit]") {
  for (const NodeId nodes : {3, 4, 7, 30, 500}) {
    const Matrix vectors = laplacian_positions(graph_of(nodes, path(nodes)), 2).vectors;
    CHECK(vectors(0, 0) > 0);  // odd about the middle
    for (Index k = 0; k < 2; ++k) {
      Real largest = 0, smallest = 0;
      for (Index i = 0; i < nodes; ++i) {
        largest = std::max(largest, vectors(i, k));
        smallest = std::min(smallest, vectors(i, k));
      }
      CHECK(largest >= -smallest * Real(0.99999));
    }
  }
}

TEST_CASE("random signs depend on seed and column alone", "[graph][positions][laplacian][unit]") {
  const Matrix vectors = laplacian_positions(ring(50), 20).vectors;
  Matrix flipped = vectors, again = vectors, narrow(vectors.view().columns(0, 5));
  flip_signs(flipped, RandomStream(7));
  flip_signs(again, RandomStream(7));
  flip_signs(narrow, RandomStream(7));
  CHECK(same_bits(flipped, again));
  CHECK(same_bits(narrow, ConstMatrixView(flipped).columns(0, 5)));
  int turned = 0;
  for (Index k = 0; k < 20; ++k) {
    const bool is_turned = flipped(0, k) == -vectors(0, k) && vectors(0, k) != 0;
    turned += is_turned;
    for (Index i = 0; i < 50; ++i) CHECK(flipped(i, k) == (is_turned ? -vectors(i, k) : vectors(i, k)));
  }
  CHECK((turned > 2 && turned < 18));
}

TEST_CASE("Laplacian encodings have the same bits at any number of threads",
          "[graph][positions][laplacian][determinism]") {
  // Sparse parts of either method, small parts and isolated nodes.
  EdgeList list = test::random_edge_list(600, 600, 6000, 3);
  for (NodeId i = 600; i < 1400; ++i) list.add(i, i + 1);
  const CsrGraph graph = build_graph(list, 1450, test::kAsGiven).graph;
  const Matrix one = laplacian_positions(graph, 6).vectors;
  for (const int threads : {2, 3, 8})
    CHECK(same_bits(laplacian_positions(graph, 6, {}, threads).vectors, one));
}

TEST_CASE("the entries of a Cholesky factor are counted", "[graph][positions][laplacian][unit]") {
  CHECK(factor_entries(only_part(graph_of(6, path(6))).adjacency, 100) == 5);
  // A star whose centre is eliminated first fills everything.
  Edges edges;
  for (NodeId leaf = 1; leaf < 6; ++leaf) edges.emplace_back(leaf, 0);
  CHECK(factor_entries(only_part(graph_of(6, edges)).adjacency, 100) == 15);
  CHECK(factor_entries(only_part(graph_of(6, edges)).adjacency, 7) > 7);
}

TEST_CASE("graphs without an edge or a node have Laplacian encodings too",
          "[graph][positions][laplacian][unit]") {
  const LaplacianPositions lonely = laplacian_positions(graph_of(2, {}), 3);
  CHECK(same_bits(lonely.vectors, test::matrix_of({{1, 0, 0}, {0, 1, 0}})));
  CHECK(lonely.eigenvalues == std::vector<double>{1, 1});
  CHECK(lonely.num_skipped == 0);
  CHECK(laplacian_positions(graph_of(0, {}), 3).vectors.rows() == 0);
  CHECK_THROWS_AS(laplacian_positions(graph_of(2, {}), 0), UsageError);
}
