// The attention operator over shapes of heads and degenerate graphs, at every instruction level.
#include "gat/kernels/attention.hpp"
#include "kernels/attention_checks.hpp"

using namespace gat;
using gat::test::at_every_level;
using gat::test::AttentionNumbers;
using gat::test::AttentionOptions;
using gat::test::AttentionResults;
using gat::test::check_close;
using gat::test::check_same_bits;
using gat::test::random_attention;
using gat::test::run_once;

namespace {

// 30 nodes and node 30, which gives and takes more edges than a chunk holds; node 29 takes none.
CsrGraph small_hub_graph() {
  EdgeList list = test::random_edge_list(31, 30, 90, 9);
  for (NodeId k = 0; k < kChunkEdges + 23; ++k) {
    list.add(k % 30, 30);
    list.add(30, k * 7 % 29);
  }
  return build_graph(list, 31, test::kAsGiven).graph;
}

// What the three kinds of rounds have: plain prediction, training, and everything at once.
AttentionOptions options_of(std::size_t turn, int heads, Index dim) {
  if (turn % 3 == 0) return {.heads = heads, .dim = dim};
  if (turn % 3 == 1) return {.heads = heads, .dim = dim, .dropout = 0.4};
  return {.heads = heads,
          .dim = dim,
          .destination = turn % 2 == 0,
          .edge = true,
          .mask = true,
          .log_prior_columns = turn % 2 == 0 ? 1 : Index(heads),
          .factor_columns = turn % 2 == 0 ? Index(heads) : 1,
          .dropout = 0.5};
}

// What forward and backward write where nothing but the result and the gradient of the values is wanted.
struct Lean {
  Matrix out, d_values;
};
Lean run_lean(const AttentionNumbers& n, const Execution& execution) {
  Workspace workspace;
  const HeadLayout layout(n.heads, n.dim);
  const Matrix values = test::interleaved(layout, n.values), source = test::padded(layout, n.source);
  const AttentionInput input{n.graph, layout, values, {n.mask, {}, {}}, n.dropout, execution, workspace};
  const ScoreInput score{source, {}, {}, n.slope};
  Matrix out(n.graph.num_destinations(), layout.width()), row_max(out.rows(), layout.score_width()),
      inverse_sum(row_max), d_out = test::interleaved(layout, n.d_out), d_values(values);
  const AttentionState state{row_max, inverse_sum};
  attention_forward(input, score, state, out, nullptr);
  attention_backward(input, score, state, out, d_out, {}, {d_values, {}, {}});
  Lean r{Matrix(out.rows(), layout.joined()), Matrix(values.rows(), layout.joined())};
  test::join(layout, out, r.out);
  test::join(layout, d_values, r.d_values);
  return r;
}

}  // namespace

TEST_CASE("attention of every shape of heads agrees with the naive loops",
          "[kernels][attention][reference]") {
  const CsrGraph graph = small_hub_graph();
  REQUIRE(graph.in_degree(30) > kChunkEdges);
  REQUIRE(graph.out_degree(30) > kChunkEdges);
  std::size_t turn = 0;
  test::for_head_shapes([&](int heads, Index dim) {
    for (int kind = 0; kind < 2; ++kind, ++turn) {
      const AttentionNumbers numbers = random_attention(graph.view(), options_of(turn, heads, dim));
      const AttentionResults expected = test::naive_attention(numbers);
      at_every_level([&](SimdLevel level) { check_close(run_once(numbers, {1, level}), expected); });
    }
  });
}

TEST_CASE("attention of every shape of heads has the same bits for any number of threads",
          "[kernels][attention][determinism]") {
  const CsrGraph graph = small_hub_graph();
  std::size_t turn = 2;
  test::for_head_shapes([&](int heads, Index dim) {
    if (dim != 1 && dim != 3 && dim != 8) return;
    const AttentionNumbers numbers = random_attention(graph.view(), options_of(turn++, heads, dim));
    at_every_level([&](SimdLevel level) {
      const AttentionResults serial = run_once(numbers, {1, level});
      for (const int threads : {2, 3, 8}) check_same_bits(run_once(numbers, {threads, level}), serial);
    });
  });
}

TEST_CASE("what is not asked for changes nothing of what is", "[kernels][attention][unit]") {
  const CsrGraph graph = small_hub_graph();
  for (const AttentionOptions& options : {AttentionOptions{.heads = 1, .dim = 7, .destination = false},
                                          {.heads = 8, .dim = 8, .destination = false, .dropout = 0.4},
                                          {.heads = 3, .dim = 5, .destination = false, .mask = true},
                                          {.heads = 17, .dim = 2, .destination = false}}) {
    const AttentionNumbers numbers = random_attention(graph.view(), options);
    at_every_level([&](SimdLevel level) {
      const AttentionResults all = run_once(numbers, {1, level});
      for (const int threads : {1, 3}) {
        const Lean lean = run_lean(numbers, {threads, level});
        CHECK(test::same_bits(lean.out, all.out));
        CHECK(test::same_bits(lean.d_values, all.d_values));
      }
    });
  }
}

TEST_CASE("graphs without edges, of one node, and with empty rows agree with the naive loops",
          "[kernels][attention][extreme]") {
  const std::vector<CsrGraph> graphs{test::graph_of(1, {}),
                                     test::graph_of(1, {{0, 0}}),
                                     test::graph_of(5, {}),
                                     test::graph_of(5, {{4, 0}}),
                                     test::graph_of(3, {{1, 2}, {1, 2}, {1, 2}}),
                                     test::graph_of(0, {})};
  for (const CsrGraph& graph : graphs) {
    for (const AttentionOptions& options : test::kOptions) {
      const AttentionNumbers numbers = random_attention(graph.view(), options);
      const AttentionResults expected = test::naive_attention(numbers);
      at_every_level([&](SimdLevel level) {
        INFO(graph.num_sources() << " nodes, " << graph.num_edges() << " edges");
        const AttentionResults serial = run_once(numbers, {1, level});
        check_close(serial, expected);
        check_same_bits(run_once(numbers, {3, level}), serial);
      });
    }
  }
}
