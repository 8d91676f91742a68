#include "gat/kernels/attention.hpp"

#include "gat/graph/segments.hpp"
#include "kernels/attention_checks.hpp"

using namespace gat;
using gat::test::at_every_level;
using gat::test::AttentionNumbers;
using gat::test::AttentionOptions;
using gat::test::AttentionResults;
using gat::test::check_close;
using gat::test::check_same_bits;
using gat::test::hub_graph;
using gat::test::kOptions;
using gat::test::random_attention;
using gat::test::run_attention;
using gat::test::run_once;

namespace {

// Leaves numbers that spread where the buffers of the next call will lie.
[[gnu::noinline]] void fill_stack_with_nan() {
  volatile unsigned char bytes[400000];
  for (volatile unsigned char& byte : bytes) byte = 0xff;
}

void check_every_level(const AttentionNumbers& numbers) {
  const AttentionResults expected = test::naive_attention(numbers);
  at_every_level([&](SimdLevel level) { check_close(run_once(numbers, {1, level}), expected); });
}

}  // namespace

TEST_CASE("attention on random graphs agrees with the naive loops, forward and backward",
          "[kernels][attention][reference]") {
  for (const AttentionOptions& options : kOptions) {
    for (const Index nodes : {2, 7, 40}) {
      const CsrGraph graph = test::random_graph(nodes, 5 * nodes, static_cast<std::uint64_t>(nodes));
      const AttentionNumbers numbers = random_attention(graph.view(), options);
      check_every_level(numbers);
    }
  }
}

TEST_CASE("attention between two sides agrees with the naive loops", "[kernels][attention][reference]") {
  for (const AttentionOptions& options : kOptions) {
    const EdgeList list = test::random_edge_list(9, 14, 50, 3);
    const CsrGraph graph = build_bipartite_graph(list, 9, 14, test::kAsGiven).graph;
    const AttentionNumbers numbers = random_attention(graph.view(), options);
    check_every_level(numbers);
  }
}

TEST_CASE("hubs longer than a chunk agree with the naive loops", "[kernels][attention][reference]") {
  const CsrGraph graph = hub_graph();
  REQUIRE(graph.in_degree(0) > kChunkEdges);
  REQUIRE(graph.out_degree(1) > 2 * kChunkEdges);
  for (const AttentionOptions& options : kOptions) {
    const AttentionNumbers numbers = random_attention(graph.view(), options);
    check_every_level(numbers);
  }
}

// Gathers are prefetched, and scores of a batch come before its rows, where a matrix exceeds a cache.
TEST_CASE("matrices larger than a cache agree with the naive loops", "[kernels][attention][reference]") {
  const CsrGraph graph = test::random_graph(3000, 15000, 12);
  for (const double dropout : {0.0, 0.5}) {
    for (const auto& [heads, dim] :
         {std::pair(8, Index{32}), std::pair(4, Index{40}), std::pair(1, Index{100})})
      check_every_level(random_attention(graph.view(), {.heads = heads, .dim = dim, .dropout = dropout}));
  }
}

// Rows of more than 32 MiB are fetched another way on some processors, narrow and wide ones apart.
TEST_CASE("matrices larger than all near caches agree with the naive loops",
          "[kernels][attention][reference]") {
  for (const auto& [nodes, heads, dim] :
       {std::tuple(Index{40000}, 8, Index{32}), std::tuple(Index{140000}, 4, Index{16})}) {
    REQUIRE(nodes * heads * dim * static_cast<Index>(sizeof(Real)) > 32 << 20);
    const CsrGraph graph = test::random_graph(nodes, 2 * nodes, 13);
    check_every_level(random_attention(graph.view(), {.heads = heads, .dim = dim}));
  }
}

TEST_CASE("buffers that nobody wrote are not read", "[kernels][attention][reference]") {
  const CsrGraph graph = test::random_graph(7, 20, 3);
  for (const AttentionOptions& options : kOptions) {
    const AttentionNumbers numbers = random_attention(graph.view(), options);
    const AttentionResults expected = naive_attention(numbers);
    at_every_level([&](SimdLevel level) {
      fill_stack_with_nan();
      check_close(run_once(numbers, {1, level}), expected);
    });
  }
}

TEST_CASE("attention has the same bits for 1, 2, 3 and 8 threads", "[kernels][attention][determinism]") {
  const CsrGraph graph = hub_graph();
  for (const AttentionOptions& options : kOptions)
    check_bits_of_threads(random_attention(graph.view(), options));
}

TEST_CASE("slots of edges change where gradients lie, not their bits", "[kernels][attention][determinism]") {
  EdgeList list = test::random_edge_list(3000, 3000, 1 << 18, 3);
  for (NodeId k = 0; k < 2500; ++k) {
    list.add(k, 7);
    list.add(7, k);
  }
  const CsrGraph graph = build_graph(list, 3000, test::kAsGiven).graph;
  REQUIRE(!graph.view().arrays().out_slots.empty());
  GraphView::Arrays arrays = graph.view().arrays();
  arrays.in_slots = arrays.out_slots = {};
  const GraphView without(3000, 3000, false, graph.num_edges(), arrays);
  // Rows within a cache and beyond, so that both passes over out-edges store.
  for (const AttentionOptions& options :
       {AttentionOptions{.heads = 4, .dim = 4}, AttentionOptions{.heads = 8, .dim = 16, .dropout = 0.4},
        AttentionOptions{.heads = 1, .dim = 3}}) {
    const AttentionNumbers with_slots = random_attention(graph.view(), options);
    const AttentionNumbers without_slots = random_attention(without, options);
    at_every_level([&](SimdLevel level) {
      const AttentionResults expected = run_once(without_slots, {1, level});
      for (const int threads : {1, 3}) check_same_bits(run_once(with_slots, {threads, level}), expected);
    });
  }
}

TEST_CASE("a row's bits do not depend on what the workspace was used for before",
          "[kernels][attention][determinism]") {
  const CsrGraph graph = hub_graph();
  const AttentionNumbers numbers = random_attention(graph.view(), kOptions.back());
  Workspace workspace;
  const AttentionResults first = run_attention(numbers, 2, workspace);
  run_attention(random_attention(graph.view(), {.heads = 1, .dim = 100}), 3, workspace);
  check_same_bits(run_attention(numbers, 2, workspace), first);
}

TEST_CASE("an implicit complete graph of 5 nodes equals the stored one bit for bit",
          "[kernels][attention][implicit]") {
  std::vector<EdgeId> offsets;
  std::vector<NodeId> columns;
  for (EdgeId i = 0; i <= 5; ++i) offsets.push_back(5 * i);
  for (NodeId e = 0; e < 25; ++e) columns.push_back(e % 5);
  const CsrGraph stored = CsrGraph::from_csr(offsets, columns, 5);
  for (const AttentionOptions& options : kOptions) {
    at_every_level([&](SimdLevel level) {
      check_same_bits(run_once(random_attention(GraphView::complete(5, 5), options), {1, level}),
                      run_once(random_attention(stored.view(), options), {1, level}));
    });
  }
}

TEST_CASE("every implicit graph equals its stored twin bit for bit", "[kernels][attention][implicit]") {
  const SegmentPointer batch(std::vector<Index>{0, 4, 5, 5, 150, 170});
  const SegmentPointer sides(std::vector<Index>{0, 3, 3, 9}, std::vector<Index>{0, 2, 4, 9});
  for (const GraphView& view : {GraphView::complete(4, 6, true), GraphView::causal(9),
                                GraphView::banded(9, 2), GraphView::complete(1200, 3, true),
                                GraphView::complete(3, 1200, true), batch.complete(), sides.complete()}) {
    const test::StoredTwin twin(view);
    for (const AttentionOptions& options : kOptions) {
      const AttentionNumbers implicit = random_attention(view, options);
      at_every_level([&](SimdLevel level) {
        const AttentionResults stored = run_once(random_attention(twin.view(), options), {1, level});
        check_same_bits(run_once(implicit, {1, level}), stored);
        check_same_bits(run_once(implicit, {3, level}), stored);
      });
    }
  }
}

TEST_CASE("coefficients sum to one over the open edges and are zero on closed ones",
          "[kernels][attention][property]") {
  const CsrGraph graph = test::random_graph(30, 200, 8);
  const AttentionNumbers numbers =
      random_attention(graph.view(), {.mask = true, .log_prior_columns = 1, .dropout = 0.5});
  at_every_level([&](SimdLevel level) {
    const AttentionResults results = run_once(numbers, {1, level});
    for (Index i = 0; i < 30; ++i) {
      for (Index h = 0; h < 3; ++h) {
        double sum = 0;
        bool any_open = false;
        const EdgeRow row = graph.in_edges(i);
        for (Index k = 0; k < row.count; ++k) {
          const bool open = numbers.mask[static_cast<std::size_t>(row.edge(k))] != 0;
          any_open = any_open || open;
          if (!open) CHECK(results.attention(row.edge(k), h) == 0);
          if (!open) CHECK(results.logits(row.edge(k), h) == -INFINITY);
          sum += static_cast<double>(results.attention(row.edge(k), h));
        }
        CHECK(sum == Approx(any_open ? 1 : 0).margin(1e-6));
      }
    }
  });
}

TEST_CASE("renumbering the nodes renumbers the results", "[kernels][attention][property]") {
  const test::Edges edges{{1, 0}, {2, 0}, {3, 1}, {0, 3}, {3, 0}, {2, 2}};
  const std::vector<NodeId> moved{2, 0, 3, 1};  // node i becomes moved[i]
  test::Edges renumbered;
  for (const auto& [s, d] : edges)
    renumbered.emplace_back(moved[static_cast<std::size_t>(s)], moved[static_cast<std::size_t>(d)]);
  const CsrGraph graph = test::graph_of(4, edges);
  const CsrGraph other = test::graph_of(4, renumbered);
  const AttentionNumbers numbers = random_attention(graph.view(), {});
  AttentionNumbers permuted = random_attention(other.view(), {});
  for (Index i = 0; i < 4; ++i) {
    const Index to = moved[static_cast<std::size_t>(i)];
    for (Index k = 0; k < 15; ++k) permuted.values(to, k) = numbers.values(i, k);
    for (Index h = 0; h < 3; ++h) permuted.source(to, h) = numbers.source(i, h);
    for (Index h = 0; h < 3; ++h) permuted.destination(to, h) = numbers.destination(i, h);
  }
  at_every_level([&](SimdLevel level) {
    CHECK(test::same_bits(test::rows_of(run_once(permuted, {1, level}).out, moved),
                          run_once(numbers, {1, level}).out));
  });
}
