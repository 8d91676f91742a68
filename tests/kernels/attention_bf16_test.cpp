// The attention operator where edges gather rows of bf16: against the naive loops on the rounded numbers, at
// every instruction level; and how the kernels round.
#include "gat/kernels/heads.hpp"
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

Real rounded(Real value) { return to_float(to_bf16(value)); }

AttentionNumbers bf16_numbers(const GraphView& graph, const AttentionOptions& options) {
  AttentionNumbers numbers = random_attention(graph, options);
  numbers.bf16 = true;
  return numbers;
}

// The numbers that the library works with: rounded values, and the gradient of the result whose product
// with 1 / Σ is a bf16. Elsewhere the naive loops know nothing of rounding.
AttentionNumbers as_rounded(AttentionNumbers numbers, const AttentionResults& results) {
  for (Index k = 0; k < numbers.values.size(); ++k)
    numbers.values.data()[k] = rounded(numbers.values.data()[k]);
  for (Index i = 0; i < numbers.d_out.rows(); ++i) {
    for (Index c = 0; c < numbers.d_out.cols(); ++c) {
      const Real scale = results.inverse_sum(i, c / numbers.dim);
      if (scale > 0) numbers.d_out(i, c) = rounded(numbers.d_out(i, c) * scale) / scale;
    }
  }
  return numbers;
}

void check_as_rounded(const AttentionNumbers& numbers) {
  at_every_level([&](SimdLevel level) {
    const AttentionResults results = run_once(numbers, {1, level});
    check_close(results, test::naive_attention(as_rounded(numbers, results)));
  });
}

// The kind of rounds of a turn: prediction, training, everything at once.
AttentionOptions options_of(std::size_t turn, int heads, Index dim) {
  AttentionOptions options{.heads = heads, .dim = dim};
  if (turn % 3 > 0) options.dropout = 0.4;
  if (turn % 3 == 2) options.destination = options.edge = options.mask = true, options.log_prior_columns = 1;
  return options;
}

// Sources 0 … 6 with one number per row of `values`, all sent to destination 0.
AttentionNumbers fan_in(const CsrGraph& graph, const std::vector<Real>& values) {
  AttentionNumbers numbers = bf16_numbers(graph.view(), {.heads = 1, .dim = 1});
  for (std::size_t j = 0; j < values.size(); ++j) numbers.values.data()[j] = values[j];
  numbers.source.view().fill(0);
  numbers.destination.view().fill(0);
  return numbers;
}

}  // namespace

TEST_CASE("rows of bf16 give what the naive loops give for the rounded numbers",
          "[kernels][attention][bf16][reference]") {
  const CsrGraph small = test::random_graph(40, 300, 3), hubs = test::hub_graph();
  for (const CsrGraph* graph : {&small, &hubs}) {
    for (const AttentionOptions& options : test::kOptions)
      check_as_rounded(bf16_numbers(graph->view(), options));
  }
}

TEST_CASE("rows of bf16 of every shape of heads agree with the naive loops",
          "[kernels][attention][bf16][reference]") {
  // Node 30 gives and takes more edges than a chunk holds.
  EdgeList list = test::random_edge_list(31, 30, 90, 9);
  for (NodeId k = 0; k < kChunkEdges + 23; ++k) {
    list.add(k % 30, 30);
    list.add(30, k * 7 % 29);
  }
  const CsrGraph graph = build_graph(list, 31, test::kAsGiven).graph;
  std::size_t turn = 0;
  test::for_head_shapes([&](int heads, Index dim) {
    check_as_rounded(bf16_numbers(graph.view(), options_of(turn++, heads, dim)));
  });
}

TEST_CASE("rows of bf16 are read where no number per edge may be stored",
          "[kernels][attention][bf16][implicit]") {
  for (const GraphView& view : {GraphView::complete(9, 9), GraphView::banded(9, 2), GraphView::causal(300)})
    check_as_rounded(bf16_numbers(view, {.heads = 8, .dim = 4}));
}

TEST_CASE("rows of bf16 that gathers must wait for give what they give in a cache",
          "[kernels][attention][bf16][reference]") {
  // 20,000 rows of 128 numbers are fetched ahead as from memory.
  const CsrGraph graph = test::random_graph(20000, 40000, 6);
  check_as_rounded(bf16_numbers(graph.view(), {.heads = 8, .dim = 16, .dropout = 0.3}));
}

TEST_CASE("rounding is seen, in the result and in every gradient", "[kernels][attention][bf16]") {
  const CsrGraph graph = test::random_graph(40, 300, 3);
  AttentionNumbers numbers = random_attention(graph.view(), {.heads = 8, .dim = 8, .edge = true});
  const AttentionResults in_floats = run_once(numbers, 1);
  numbers.bf16 = true;
  const AttentionResults results = run_once(numbers, 1);
  results.compare(in_floats, [](const char* name, const Matrix& mine, const Matrix& theirs) {
    INFO(name);
    const std::string_view array = name;
    if (mine.empty() || array == "logits" || array == "attention" || array == "weighted" ||
        array == "dropped")
      return;
    const double difference = test::relative_difference(mine, theirs);
    CHECK(difference > 1e-4);
    CHECK(difference < 1e-2);
  });
}

TEST_CASE("the logit gradients of each destination sum to zero for rounded rows too",
          "[kernels][attention][bf16][property]") {
  const CsrGraph graph = test::random_graph(40, 300, 3);
  // With slope 1 the gradients of the logits are those of the edges' numbers.
  const AttentionNumbers numbers =
      bf16_numbers(graph.view(), {.heads = 4, .dim = 16, .edge = true, .slope = 1});
  at_every_level([&](SimdLevel level) {
    const AttentionResults results = run_once(numbers, {1, level});
    double largest = 0;
    for (Index k = 0; k < results.d_edge.size(); ++k)
      largest = std::max(largest, static_cast<double>(std::abs(results.d_edge.data()[k])));
    for (Index k = 0; k < results.d_destination.size(); ++k)
      CHECK(std::abs(static_cast<double>(results.d_destination.data()[k])) < 1e-5 * largest);
  });
}

TEST_CASE("rows of bf16 give the same bits for any number of threads",
          "[kernels][attention][bf16][determinism]") {
  const CsrGraph graph = test::hub_graph();
  for (const AttentionOptions& options : test::kOptions)
    test::check_bits_of_threads(bf16_numbers(graph.view(), options));
}

TEST_CASE("graphs without edges and with empty rows take rows of bf16",
          "[kernels][attention][bf16][extreme]") {
  for (const CsrGraph& graph : {test::graph_of(1, {}), test::graph_of(1, {{0, 0}}),
                                test::graph_of(5, {{4, 0}}), test::graph_of(0, {})}) {
    for (const AttentionOptions& options : test::kOptions)
      check_as_rounded(bf16_numbers(graph.view(), options));
  }
}

TEST_CASE("infinities and NaN among rows of bf16 reach the result", "[kernels][attention][bf16][extreme]") {
  const CsrGraph graph = test::graph_of(3, {{0, 0}, {1, 0}, {2, 0}});
  const Real infinity = std::numeric_limits<Real>::infinity();
  at_every_level([&](SimdLevel level) {
    CHECK(run_once(fan_in(graph, {1, infinity, 2}), {1, level}).out(0, 0) == infinity);
    CHECK(std::isnan(run_once(fan_in(graph, {1, -infinity, infinity}), {1, level}).out(0, 0)));
    CHECK(std::isnan(run_once(fan_in(graph, {1, 2, std::nanf("")}), {1, level}).out(0, 0)));
    // The largest float rounds to infinity.
    CHECK(run_once(fan_in(graph, {std::numeric_limits<Real>::max(), 0, 0}), {1, level}).out(0, 0) ==
          infinity);
  });
}

TEST_CASE("kernels round every number to the bits that one number alone rounds to", "[kernels][bf16]") {
  // Every upper half, with lower halves below, at and above the middle, 16 × 16 a row.
  constexpr std::uint32_t kLow[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
  Matrix from(Index(std::size(kLow)) * 256, 256);
  for (Index k = 0; k < from.size(); ++k) {
    const std::uint32_t bits = static_cast<std::uint32_t>(k % 65536) << 16 | kLow[k / 65536];
    std::memcpy(from.data() + k, &bits, sizeof bits);
  }
  const std::vector<EdgeId> offsets(static_cast<std::size_t>(from.rows()) + 1, 0);
  GraphView::Arrays arrays;
  arrays.in_offsets = arrays.out_offsets = offsets;
  const GraphView rows(from.rows(), from.rows(), false, 0, arrays);
  at_every_level([&](SimdLevel level) {
    Matrix memory(from.rows(), Bf16Rows::memory_cols(from.cols()));
    const Bf16Rows to(memory, from.cols());
    drop_heads({{}, rows, from, {}, to}, 0, from.rows(), level);
    Index different = 0, not_nan = 0;
    for (Index k = 0; k < from.size(); ++k) {
      const Bf16 expected = to_bf16(from.data()[k]);
      if (std::isnan(from.data()[k])) not_nan += !std::isnan(to_float(to.data[k]));
      else different += to.data[k].bits != expected.bits;
    }
    CHECK(different == 0);
    CHECK(not_nan == 0);
  });
}
