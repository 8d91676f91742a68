#include <numeric>

#include "gat/graph/segments.hpp"
#include "kernels/attention_checks.hpp"

using namespace gat;
using gat::test::random_matrix;

namespace {

// Attention with one number per source and head as its score, so that e_ij = s_j (+ prior).
struct Selecting {
  GraphView graph;
  HeadLayout heads;
  Matrix values, source, prior;
  Workspace workspace = {};
  Matrix threshold, last, row_max, inverse_sum, out;
  std::vector<EdgeId> order = {};

  Selecting(const GraphView& view, int num_heads, std::uint64_t seed = 1)
      : graph(view),
        heads(num_heads, 3),
        values(test::interleaved(heads, random_matrix(view.num_sources(), num_heads * 3, seed))),
        source(test::padded(heads, random_matrix(view.num_sources(), num_heads, seed + 1))),
        prior(view.edge_id_bound(), num_heads),
        threshold(view.num_destinations(), heads.score_width()),
        last(threshold),
        row_max(threshold),
        inverse_sum(threshold),
        out(view.num_destinations(), heads.width()) {}

  AttentionInput input(bool selected, int threads = 1) {
    EdgeTerms terms;
    terms.log_prior.array = prior;
    AttentionInput in{graph, heads, values, terms, {}, {threads}, workspace};
    if (selected) in.selected = {threshold, last, order, {}};
    in.selected.order = order;
    return in;
  }
  ScoreInput score() const { return {source, {}, {}, 1.0}; }
  void select(const SelectionRule& rule, int threads = 1) {
    attention_select(input(false, threads), score(), rule, threshold, last);
  }
  // The coefficients by edge id, with or without the selection.
  Matrix attention(bool selected, bool logits = false) {
    Matrix result(graph.edge_id_bound(), heads.num_heads);
    AttentionSink sink;
    (logits ? sink.logits : sink.attention) = result;
    attention_forward(input(selected), score(), {row_max, inverse_sum}, out, &sink);
    return result;
  }
};

// The edges that a sort would select.
std::vector<EdgeId> sorted_selection(const Selecting& s, const Matrix& logits, Index i, Index h,
                                     Index count) {
  const EdgeRow row = s.graph.in_edges(i);
  std::vector<EdgeId> edges;
  for (Index k = 0; k < row.count; ++k) edges.push_back(row.edge(k));
  const auto place = [&](EdgeId e) { return s.order.empty() ? e : s.order[static_cast<std::size_t>(e)]; };
  std::sort(edges.begin(), edges.end(), [&](EdgeId a, EdgeId b) {
    return logits(a, h) != logits(b, h) ? logits(a, h) > logits(b, h) : place(a) < place(b);
  });
  edges.resize(std::min(edges.size(), static_cast<std::size_t>(count)));
  return edges;
}

void check_top(Selecting& s, Index count) {
  const Matrix logits = s.attention(false, true);
  s.select({SelectionRule::Kind::top, count, {}});
  const Matrix attention = s.attention(true);
  for (Index i = 0; i < s.graph.num_destinations(); ++i) {
    for (Index h = 0; h < s.heads.num_heads; ++h) {
      const std::vector<EdgeId> expected = sorted_selection(s, logits, i, h, count);
      double sum = 0;
      for (const EdgeId e : expected) {
        CHECK(attention(e, h) > 0);
        sum += static_cast<double>(attention(e, h));
      }
      if (!expected.empty()) CHECK(sum == Approx(1).epsilon(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("the k largest logits of each head are selected, and their coefficients sum to 1",
          "[kernels][attention][selection]") {
  const CsrGraph graph = test::random_graph(30, 200, 4);
  const CsrGraph hubs = test::hub_graph();
  const SegmentPointer batch(std::vector<Index>{0, 7, 8, 8, 150});
  for (const Index count : {1, 2, 5, 300}) {
    for (const GraphView& view :
         {graph.view(), hubs.view(), GraphView::complete(140, 140), batch.complete()}) {
      Selecting s(view, 3);
      check_top(s, count);
    }
  }
}

TEST_CASE("of equal logits the edge that comes first in the given order is selected",
          "[kernels][attention][selection]") {
  const CsrGraph graph = test::random_graph(20, 150, 4);
  Selecting s(graph.view(), 2);
  for (Index k = 0; k < s.source.size(); ++k) s.source.data()[k] = std::round(s.source.data()[k]);
  check_top(s, 2);
  for (EdgeId e = 0; e < graph.view().edge_id_bound(); ++e) s.order.push_back(1000 - e);
  check_top(s, 1);
  check_top(s, 3);
}

TEST_CASE("closed edges and rows without open edges select nothing", "[kernels][attention][selection]") {
  const CsrGraph graph = test::random_graph(12, 60, 4);
  Selecting s(graph.view(), 1);
  s.prior.view().fill(-std::numeric_limits<Real>::infinity());
  for (const auto kind : {SelectionRule::Kind::top, SelectionRule::Kind::sampled}) {
    s.select({kind, 1, RandomStream(1)});
    const Matrix attention = s.attention(true);
    for (Index k = 0; k < attention.size(); ++k) CHECK(attention.data()[k] == 0);
    for (Index k = 0; k < s.out.size(); ++k) CHECK(s.out.data()[k] == 0);
  }
}

TEST_CASE("edges are drawn as often as their coefficients say", "[kernels][attention][selection]") {
  Selecting s(GraphView::complete(5, 200), 1);
  const Matrix expected = s.attention(false);
  std::vector<double> counts(5);
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    s.select({SelectionRule::Kind::sampled, 1, RandomStream(static_cast<std::uint64_t>(round))});
    const Matrix attention = s.attention(true);
    for (EdgeId e = 0; e < 1000; ++e)
      counts[static_cast<std::size_t>(e % 5)] += static_cast<double>(attention(e, 0));
  }
  // Every destination has the same logits. Five standard deviations of 20,000 draws.
  for (Index j = 0; j < 5; ++j) {
    const double p = static_cast<double>(expected(j, 0)), draws = 200 * kRounds;
    CHECK(std::abs(counts[static_cast<std::size_t>(j)] - p * draws) < 5 * std::sqrt(p * (1 - p) * draws));
  }
}

TEST_CASE("backward of a selection is that of a mask", "[kernels][attention][selection][reference]") {
  const CsrGraph hubs = test::hub_graph();
  for (const GraphView& view : {hubs.view(), GraphView::causal(150)}) {
    Selecting s(view, 1);
    s.select({SelectionRule::Kind::top, 2, {}});
    const Matrix attention = s.attention(true);
    const Matrix d_out = test::interleaved(s.heads, random_matrix(view.num_destinations(), 3, 9));
    const auto gradients = [&](const AttentionInput& input) {
      attention_forward(input, s.score(), {s.row_max, s.inverse_sum}, s.out, nullptr);
      Matrix d = d_out, d_values(s.values.rows(), s.values.cols()),
             d_source(s.source.rows(), s.source.cols());
      attention_backward(input, s.score(), {s.row_max, s.inverse_sum}, s.out, d, {d_source, {}, {}},
                         {d_values, {}, {}});
      return std::pair(std::move(d_values), std::move(d_source));
    };
    std::vector<std::uint8_t> mask;
    for (Index e = 0; e < attention.rows(); ++e) mask.push_back(attention(e, 0) > 0);
    AttentionInput masked = s.input(false);
    masked.edges.mask = mask;
    const auto [d_values, d_source] = gradients(s.input(true));
    const auto [expected_values, expected_source] = gradients(masked);
    CHECK(test::same_bits(d_values, expected_values));
    CHECK(test::same_bits(d_source, expected_source));
  }
}

TEST_CASE("the score function's gradient is the advantage times drawn minus probability",
          "[kernels][attention][selection][reference]") {
  const CsrGraph graph = test::random_graph(25, 150, 4);
  Selecting s(graph.view(), 2);
  s.select({SelectionRule::Kind::sampled, 1, RandomStream(3)});
  const Matrix drawn = s.attention(true), probability = s.attention(false);
  const Matrix advantage = random_matrix(25, 1, 5);
  AttentionInput input = s.input(true);
  input.selected.advantage = advantage;
  Matrix d_out(s.out.rows(), s.out.cols()), d_prior(s.prior.rows(), s.prior.cols());
  attention_backward(input, s.score(), {s.row_max, s.inverse_sum}, s.out, d_out, {}, {{}, d_prior, {}});
  for (Index i = 0; i < 25; ++i) {
    const EdgeRow row = graph.view().in_edges(i);
    for (Index k = 0; k < row.count; ++k) {
      for (Index h = 0; h < 2; ++h) {
        const Real expected = advantage(i, 0) * (drawn(row.edge(k), h) - probability(row.edge(k), h));
        CHECK(d_prior(row.edge(k), h) == Approx(expected).margin(1e-6));
      }
    }
  }
}

TEST_CASE("selections have the same bits at any number of threads",
          "[kernels][attention][selection][determinism]") {
  const CsrGraph graph = test::hub_graph();
  Selecting s(graph.view(), 3);
  for (const auto kind : {SelectionRule::Kind::top, SelectionRule::Kind::sampled}) {
    const SelectionRule rule{kind, 3, RandomStream(7)};
    s.select(rule);
    const Matrix threshold = s.threshold, last = s.last;
    for (const int threads : {2, 3, 8}) {
      s.select(rule, threads);
      CHECK(test::same_bits(s.threshold, threshold));
      CHECK(test::same_bits(s.last, last));
    }
  }
}
