#include "gat/kernels/attention.hpp"

#include <cassert>

#include "kernels/scores/gat.hpp"
#include "kernels/separable_attention.hpp"

namespace gat::inline GAT_PRECISION {

void attention_forward(const AttentionInput& input, const GatScoreInput& score, const AttentionState& state,
                       MatrixView out, const AttentionSink* sink) {
  assert(input.values.rows == input.graph.num_sources() && out.rows == input.graph.num_destinations());
  assert(score.source.rows == input.graph.num_sources() && score.source.cols == input.num_heads);
  const GatScore policy(score);
  SeparableAttention<GatScore>(input, policy, state).forward(out, sink);
}

void attention_backward(const AttentionInput& input, const GatScoreInput& score, const AttentionState& state,
                        ConstMatrixView out, ConstMatrixView d_out, const GatScoreGradient& d_score,
                        const AttentionGradient& gradient) {
  assert(out.rows == input.graph.num_destinations() && d_out.rows == out.rows && d_out.cols == out.cols);
  const GatScore policy(score);
  SeparableAttention<GatScore>(input, policy, state)
      .backward(out, d_out, {d_score.source, d_score.destination, d_score.edge}, gradient);
}

}  // namespace gat::inline GAT_PRECISION
