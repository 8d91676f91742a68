// Reported faults about products of sizes in 32 bits: B47. The arrays have their full size, the memory
// only the pages that are touched.
#include <utility>

#include "gat/kernels/attention.hpp"
#include "gat/kernels/linear.hpp"
#include "kernels/levels.hpp"
#include "numbers.hpp"
#include "reserved_numbers.hpp"

using namespace gat;
using gat::test::at_every_level;
using gat::test::ReservedNumbers;

namespace {

constexpr Index kEdges = 300000000, kHeads = 8;
constexpr Index kLast = 2399999999;  // edge E − 1, head 7

// Nodes 0 and 1, edges 0 → 0 and 1 → 0, which are the last two of E edges of a larger graph.
struct LastTwoEdges {
  std::vector<EdgeId> in_offsets{0, 2, 2}, out_offsets{0, 1, 2}, ids{kEdges - 2, kEdges - 1}, places{0, 1};
  std::vector<NodeId> sources{0, 1}, destinations{0, 0};

  GraphView view() const {
    GraphView::Arrays arrays;
    arrays.in_offsets = in_offsets;
    arrays.in_sources = sources;
    arrays.in_edge_ids = ids;
    arrays.out_offsets = out_offsets;
    arrays.out_destinations = destinations;
    arrays.out_edge_ids = ids;
    arrays.out_places = places;
    return {2, 2, false, kEdges, arrays};
  }
};

// Arrays of E × H numbers, by edge id and head.
struct EdgeArrays {
  ReservedNumbers log_prior{kEdges * kHeads}, edge{kEdges * kHeads}, attention{kEdges * kHeads},
      dropped{kEdges * kHeads}, d_log_prior{kEdges * kHeads}, d_edge{kEdges * kHeads};

  bool given() const {
    return log_prior.given() && edge.given() && attention.given() && dropped.given() && d_log_prior.given() &&
           d_edge.given();
  }
  static MatrixView view(const ReservedNumbers& numbers) { return {numbers.numbers(), kEdges, kHeads}; }
};

// Scores that are 0 but for what the arrays say, values 1 and 3 in every head, slope 1, and a gradient of 1.
void run(const EdgeArrays& arrays, const DropoutMask& dropout, SimdLevel level) {
  const LastTwoEdges edges;
  const GraphView graph = edges.view();
  const HeadLayout layout(kHeads, 2);
  Matrix values(2, layout.width()), score(2, layout.score_width()), out(values), d_out(values),
      d_values(values), row_max(score), inverse_sum(score), d_source(score), d_destination(score);
  for (Index c = 0; c < 2 * kHeads; ++c) {
    values(0, c) = 1;
    values(1, c) = 3;
    d_out(0, c) = 1;
  }
  Workspace workspace;
  const AttentionInput input{
      graph,   layout,     values,   {{}, {EdgeArrays::view(arrays.log_prior), nullptr}, {}},
      dropout, {1, level}, workspace};
  const ScoreInput input_score{score, score, EdgeArrays::view(arrays.edge), 1};
  const AttentionState state{row_max, inverse_sum};
  const AttentionSink sink{{}, EdgeArrays::view(arrays.attention), {}, EdgeArrays::view(arrays.dropped)};
  attention_forward(input, input_score, state, out, &sink);
  attention_backward(input, input_score, state, out, d_out,
                     {d_source, d_destination, EdgeArrays::view(arrays.d_edge)},
                     {d_values, EdgeArrays::view(arrays.d_log_prior), {}});
}

}  // namespace

TEST_CASE("B47: edge 299,999,999 and head 7 is element 2,399,999,999 of every array of attention",
          "[cases][offsets]") {
  at_every_level([](SimdLevel level) {
    const EdgeArrays arrays;
    if (!arrays.given()) {
      WARN("skipped: this system gives no addresses for 2.4 thousand million numbers");
      return;
    }
    // ln 3 split in two parts: head 7 of the last edge has coefficient 3/4, all others 1/2.
    arrays.log_prior.numbers()[kLast] = static_cast<Real>(std::log(1.5));
    arrays.edge.numbers()[kLast] = static_cast<Real>(std::log(2.0));
    run(arrays, {}, level);
    CHECK(arrays.attention.numbers()[kLast] == Approx(0.75));
    CHECK(arrays.attention.numbers()[kLast - 1] == Approx(0.5));
    CHECK(arrays.attention.numbers()[kLast - kHeads] == Approx(0.25));
    // de = α (dα − Σ α dα) with dα = 2 and 6: ¾ (6 − 5).
    CHECK(arrays.d_log_prior.numbers()[kLast] == Approx(0.75));
    CHECK(arrays.d_edge.numbers()[kLast] == Approx(0.75));
    CHECK(arrays.d_edge.numbers()[kLast - kHeads] == Approx(-0.75));
    // Offsets that lose their upper bits end here.
    CHECK(arrays.attention.numbers()[kLast & 0x7fffffff] == 0);
  });
}

TEST_CASE("B47: edge 299,999,999 and head 7 is dropped as element 2,399,999,999",
          "[cases][offsets][dropout]") {
  at_every_level([](SimdLevel level) {
    const EdgeArrays arrays;
    if (!arrays.given()) return;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const DropoutMask dropout(RandomStream(seed), 0.5);
      run(arrays, dropout, level);
      for (Index k = kLast - 2 * kHeads + 1; k <= kLast; ++k) {
        CHECK(arrays.dropped.numbers()[k] ==
              arrays.attention.numbers()[k] * dropout.factor(static_cast<std::uint64_t>(k)));
      }
    }
  });
}

TEST_CASE("B47: node 39,999,999 and feature 63 is element 2,559,999,999 of the features",
          "[cases][offsets]") {
  const ReservedNumbers features(Index(40000000) * 64);
  if (!features.given()) {
    WARN("skipped: this system gives no addresses for 2.56 thousand million numbers");
    return;
  }
  features.numbers()[2559999999] = 7;
  const std::vector<NodeId> last{39999999};
  FeatureView rows(ConstMatrixView(features.numbers(), 40000000, 64));
  rows.row_ids = last;
  LinearInput input;
  input.rows = rows;
  input.global_rows = last;
  Matrix weight(64, 64);
  for (Index k = 0; k < 64; ++k) weight(k, k) = 1;
  at_every_level([&](SimdLevel level) {
    Workspace workspace;
    Matrix z(1, 64);
    linear_forward(input, weight, z, {1, level}, workspace);
    CHECK(z(0, 63) == 7);
    CHECK(z(0, 62) == 0);
    // The gradient goes to the same weights.
    Matrix d_weight(64, 64), one(1, 64);
    one.view().fill(1);
    linear_backward_weight(input, one, d_weight, {1, level}, workspace);
    CHECK(d_weight(63, 0) == 7);
    CHECK(d_weight(62, 0) == 0);
  });
}
