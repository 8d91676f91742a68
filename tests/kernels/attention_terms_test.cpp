// Terms given as functions, and scores at the edge of what numbers can hold.
#include <limits>

#include "graphs.hpp"
#include "kernels/attention_reference.hpp"
#include "kernels/levels.hpp"

using namespace gat;
using gat::test::at_every_level;
using gat::test::AttentionNumbers;
using gat::test::AttentionResults;
using gat::test::column_of;
using gat::test::random_attention;
using gat::test::run_attention;

namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// Looks a term up by (destination, source), as an array of edge ids destination · N + source holds it.
class FromTable final : public EdgeFunction {
 public:
  explicit FromTable(const Matrix& values, Index nodes)
      : values_(values), nodes_(nodes), gradient_(values.rows(), values.cols()) {}
  Real value(NodeId destination, NodeId source, int head) const override {
    return values_(edge(destination, source), head);
  }
  void add_gradient(NodeId destination, NodeId source, int head, Real d_value) const override {
    gradient_(edge(destination, source), head) += d_value;
  }
  const Matrix& gradient() const { return gradient_; }

 private:
  Index edge(NodeId destination, NodeId source) const { return destination * nodes_ + source; }

  const Matrix& values_;
  Index nodes_;
  mutable Matrix gradient_;
};

// Node 0 receives from 1, 2, … with the given scores; the values are 1, 2, …
AttentionNumbers star(const CsrGraph& graph, std::initializer_list<double> scores,
                      const Matrix& log_prior = {}) {
  AttentionNumbers n;
  n.graph = graph.view();
  n.source = Matrix(graph.num_sources(), 1);
  n.values = Matrix(graph.num_sources(), 1);
  Index j = 1;
  for (const double score : scores) n.source(j++, 0) = static_cast<Real>(score);
  for (j = 1; j < graph.num_sources(); ++j) n.values(j, 0) = static_cast<Real>(j);
  n.log_prior = log_prior;
  n.slope = 1;
  n.d_out = Matrix(graph.num_destinations(), 1);
  n.d_out.view().fill(1);
  return n;
}

AttentionResults run(const AttentionNumbers& numbers, SimdLevel level) {
  Workspace workspace;
  return run_attention(numbers, {1, level}, workspace);
}

bool all_finite(const Matrix& matrix) {
  return std::all_of(matrix.data(), matrix.data() + matrix.size(), [](Real x) { return std::isfinite(x); });
}

const test::Edges kTwo{{1, 0}, {2, 0}};

}  // namespace

TEST_CASE("terms given as functions equal the arrays, value and gradient",
          "[kernels][attention][edge_function]") {
  for (const GraphView& view : {GraphView::complete(6, 6), GraphView::causal(7), GraphView::banded(9, 2)}) {
    const AttentionNumbers numbers =
        random_attention(view, {.mask = true, .log_prior_columns = 3, .factor_columns = 3, .dropout = 0.4});
    at_every_level([&](SimdLevel level) {
      const FromTable prior(numbers.log_prior, view.num_sources());
      const FromTable factor(numbers.factor, view.num_sources());
      const AttentionResults expected = run(numbers, level);
      Workspace workspace;
      const AttentionResults results = run_attention(numbers, {1, level}, workspace, {&prior, &factor});
      CHECK(test::same_bits(results.out, expected.out));
      CHECK(test::same_bits(results.dropped, expected.dropped));
      CHECK(test::same_bits(results.d_values, expected.d_values));
      CHECK(test::same_bits(results.d_source, expected.d_source));
      CHECK(test::same_bits(prior.gradient(), expected.d_log_prior));
      CHECK(test::same_bits(factor.gradient(), expected.d_factor));
    });
  }
}

TEST_CASE("functions are asked about global node numbers", "[kernels][attention][edge_function]") {
  // Rows 0 and 1 are nodes 4 and 2 of a graph of 5; 2 → 4.
  const std::vector<NodeId> nodes{4, 2};
  const std::vector<EdgeId> in_offsets{0, 1, 1}, out_offsets{0, 0, 1}, ids{0};
  const std::vector<NodeId> one{1}, zero{0};
  GraphView::Arrays arrays;
  arrays.in_offsets = in_offsets;
  arrays.in_sources = one;
  arrays.in_edge_ids = ids;
  arrays.out_offsets = out_offsets;
  arrays.out_destinations = zero;
  arrays.out_edge_ids = ids;
  arrays.node_ids = nodes;
  const GraphView view(2, 2, false, 1, arrays);
  AttentionNumbers numbers = random_attention(view, {.heads = 1, .dim = 1});
  Matrix table(25, 1);
  table(4 * 5 + 2, 0) = 3;
  const FromTable prior(table, 5);
  at_every_level([&](SimdLevel level) {
    Workspace workspace;
    const AttentionResults results = run_attention(numbers, {1, level}, workspace, {&prior, nullptr});
    const Real argument = numbers.source(1, 0) + numbers.destination(0, 0);
    CHECK(results.logits(0, 0) == Approx((argument > 0 ? argument : Real(0.2) * argument) + 3));
  });
}

TEST_CASE("scores of any size give finite coefficients and gradients", "[kernels][attention][extreme]") {
  at_every_level([](SimdLevel level) {
    const CsrGraph graph = test::graph_of(3, kTwo);
    for (const double size : {1e3, 1e10, 1e30, 3e38}) {
      for (const double second : {size, -size, 0.0}) {
        const AttentionResults r = run(star(graph, {size, second}), level);
        const Real share = second == size ? Real(0.5) : Real(1);
        CHECK(r.attention(0, 0) == share);
        CHECK(r.attention(1, 0) == 1 - share);
        CHECK(all_finite(r.out));
        CHECK(all_finite(r.d_source));
        CHECK(all_finite(r.d_values));
      }
    }
  });
}

TEST_CASE("a log-prior of minus infinity closes an edge, all of them the row",
          "[kernels][attention][extreme]") {
  at_every_level([](SimdLevel level) {
    const CsrGraph graph = test::graph_of(3, kTwo);
    const AttentionResults one = run(star(graph, {5, 1}, column_of({-INFINITY, 0})), level);
    CHECK(one.attention(0, 0) == 0);
    CHECK(one.attention(1, 0) == 1);
    CHECK(one.out(0, 0) == 2);
    const AttentionResults none = run(star(graph, {5, 1}, column_of({-INFINITY, -INFINITY})), level);
    CHECK(none.out(0, 0) == 0);
    CHECK(none.row_max(0, 0) == -kInfinity);
    CHECK(none.inverse_sum(0, 0) == 0);
    CHECK(all_finite(none.d_source));
    CHECK(all_finite(none.d_log_prior));
  });
}

TEST_CASE("rows without open edges are zero and pass no gradient on", "[kernels][attention][extreme]") {
  at_every_level([](SimdLevel level) {
    const CsrGraph graph = test::graph_of(3, kTwo);
    AttentionNumbers numbers = star(graph, {1, 2});
    numbers.mask = {0, 0};
    const AttentionResults r = run(numbers, level);
    for (Index i = 0; i < 3; ++i) CHECK(r.out(i, 0) == 0);
    CHECK(test::same_bits(r.d_values, Matrix(3, 1)));
    CHECK(test::same_bits(r.d_source, Matrix(3, 1)));
  });
}

TEST_CASE("a NaN reaches the rows that read it and no other", "[kernels][attention][extreme]") {
  at_every_level([](SimdLevel level) {
    //  1 → 0 ← 2,  2 → 1
    const CsrGraph graph = test::graph_of(3, {{1, 0}, {2, 0}, {2, 1}});
    const AttentionResults r = run(star(graph, {std::numeric_limits<double>::quiet_NaN(), 1}), level);
    CHECK(std::isnan(r.out(0, 0)));
    CHECK(r.out(1, 0) == 2);
  });
}
