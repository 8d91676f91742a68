#include "gat/graph/edge_features.hpp"

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::column_of;
using gat::test::Edges;
using gat::test::matrix_of;
using gat::test::same_bits;

namespace {

Matrix spread(const CsrGraph& graph, const GraphPolicy& policy, const Matrix& user_rows) {
  Matrix edges(graph.num_edges(), user_rows.cols());
  spread_edge_features(graph, policy, user_rows, edges);
  return edges;
}

double dot(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (Index k = 0; k < a.size(); ++k)
    sum += static_cast<double>(a.data()[k]) * static_cast<double>(b.data()[k]);
  return sum;
}

// 1 → 0 (3), 2 → 0 (5): the value of 0's added loop, and of 1's, which has no other in-edge.
std::pair<Real, Real> loop_values(LoopFill fill) {
  GraphPolicy policy;
  policy.loop_fill = fill;
  policy.loop_fill_constant = 0.5;
  const Matrix edges = spread(test::graph_of(3, {{1, 0}, {2, 0}}, policy), policy, column_of({3, 5}));
  CHECK(edges(0, 0) == 3);
  CHECK(edges(1, 0) == 5);
  return {edges(2, 0), edges(3, 0)};
}

}  // namespace

TEST_CASE("an added loop is filled from the other in-edges of its node", "[graph][edge_features][unit]") {
  using Pair = std::pair<Real, Real>;
  CHECK(loop_values(LoopFill::mean) == Pair{4, Real(0.5)});
  CHECK(loop_values(LoopFill::sum) == Pair{8, Real(0.5)});
  CHECK(loop_values(LoopFill::min) == Pair{3, Real(0.5)});
  CHECK(loop_values(LoopFill::max) == Pair{5, Real(0.5)});
  CHECK(loop_values(LoopFill::product) == Pair{15, 1});
  CHECK(loop_values(LoopFill::constant) == Pair{Real(0.5), Real(0.5)});
}

TEST_CASE("a user's own loop keeps its features", "[graph][edge_features][unit]") {
  const GraphPolicy policy;
  const CsrGraph graph = test::graph_of(1, {{0, 0}}, policy);
  CHECK(same_bits(spread(graph, policy, column_of({7})), column_of({7})));
}

TEST_CASE("merged edges have the mean of their user edges", "[graph][edge_features][unit]") {
  const GraphPolicy policy{.self_loops = SelfLoops::as_given};
  const CsrGraph graph = test::graph_of(2, {{1, 0}, {0, 1}, {1, 0}}, policy);
  CHECK(
      same_bits(spread(graph, policy, matrix_of({{1, 10}, {2, 20}, {5, 0}})), matrix_of({{3, 5}, {2, 20}})));
}

TEST_CASE("reverse copies inherit the features of their original", "[graph][edge_features][unit]") {
  //  0 → 1 (twice) → 2 ⇄ ... each direction of 1 - 2 is listed
  const GraphPolicy policy{.direction = Direction::symmetrize, .self_loops = SelfLoops::as_given};
  const CsrGraph graph = test::graph_of(3, {{0, 1}, {1, 2}, {2, 1}, {0, 1}}, policy);
  CHECK(test::edges_of(graph) == Edges{{1, 0}, {0, 1}, {2, 1}, {1, 2}});
  CHECK(same_bits(spread(graph, policy, column_of({2, 5, 7, 4})), column_of({3, 3, 7, 5})));
}

TEST_CASE("gathering is the adjoint of spreading for every linear fill", "[graph][edge_features][property]") {
  for (const LoopFill fill : {LoopFill::mean, LoopFill::sum, LoopFill::constant}) {
    for (const Direction direction : {Direction::as_given, Direction::symmetrize}) {
      for (const Duplicates duplicates : {Duplicates::merge, Duplicates::keep}) {
        for (const SelfLoops loops : {SelfLoops::add_missing, SelfLoops::replace, SelfLoops::only_isolated}) {
          const GraphPolicy policy{direction, loops, duplicates, Dangling::error, fill, 0};
          const CsrGraph graph = test::random_graph(8, 40, 3, policy);
          const Matrix x = test::random_matrix(40, 2, 1);
          const Matrix y = test::random_matrix(graph.num_edges(), 2, 2);
          const Matrix edges = spread(graph, policy, x);
          Matrix gathered(40, 2);
          gather_edge_gradient(graph, policy, edges, y, gathered);
          CHECK(dot(edges, y) == Approx(dot(x, gathered)).epsilon(1e-5));
        }
      }
    }
  }
}

TEST_CASE("gathering adds to what is there", "[graph][edge_features][unit]") {
  const CsrGraph graph = test::graph_of(2, {{0, 1}});
  Matrix d = column_of({10});
  gather_edge_gradient(graph, test::kAsGiven, column_of({3}), column_of({2}), d);
  CHECK(d(0, 0) == 12);
}

TEST_CASE("ties of a min or max fill share the gradient evenly", "[graph][edge_features][unit]") {
  for (const LoopFill fill : {LoopFill::min, LoopFill::max}) {
    GraphPolicy policy;
    policy.loop_fill = fill;
    const Real middle = fill == LoopFill::min ? 8 : 1;
    const CsrGraph graph = test::graph_of(4, {{1, 0}, {2, 0}, {3, 0}}, policy);
    const Matrix edges = spread(graph, policy, column_of({5, static_cast<double>(middle), 5}));
    CHECK(edges(3, 0) == 5);
    Matrix d_edges(graph.num_edges(), 1);
    d_edges(3, 0) = 6;
    Matrix d(3, 1);
    gather_edge_gradient(graph, policy, edges, d_edges, d);
    CHECK(same_bits(d, column_of({3, 0, 3})));
  }
}

TEST_CASE("the gradient of a product fill is the product of the others, zeros included",
          "[graph][edge_features][unit]") {
  GraphPolicy policy;
  policy.loop_fill = LoopFill::product;
  const CsrGraph graph = test::graph_of(4, {{1, 0}, {2, 0}, {3, 0}}, policy);
  const Matrix edges = spread(graph, policy, column_of({0, 3, 4}));
  Matrix d_edges(graph.num_edges(), 1);
  d_edges(3, 0) = 2;
  Matrix d(3, 1);
  gather_edge_gradient(graph, policy, edges, d_edges, d);
  CHECK(same_bits(d, column_of({24, 0, 0})));
}

TEST_CASE("edge features of another size than the graph are refused with both shapes",
          "[graph][edge_features][unit]") {
  const CsrGraph graph = test::graph_of(2, {{0, 1}});
  Matrix out(1, 2);
  CHECK_THROWS_AS(spread_edge_features(graph, test::kAsGiven, Matrix(2, 2), out), ShapeError);
  CHECK_THROWS_AS(spread_edge_features(graph, test::kAsGiven, Matrix(1, 3), out), ShapeError);
  Matrix d(1, 1);
  CHECK_THROWS_AS(gather_edge_gradient(graph, test::kAsGiven, Matrix(1, 2), Matrix(1, 2), d), ShapeError);
}
