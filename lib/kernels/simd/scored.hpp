/// The score of one call: its rows made ready, one object per group of heads.
#pragma once

#include <cassert>

#include "gat/kernels/attention.hpp"
#include "kernels/simd/row_walk.hpp"
#include "kernels/simd/score_kernels.hpp"
#include "kernels/simd/scores.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Rows of queries or keys as the loops read them: changed where the score changes them, in memory of the
/// workspace's current scope.
inline ConstMatrixView changed_rows(const RowChange& change, const ScoreInput& score, ConstMatrixView rows,
                                    const HeadLayout& layout, const Execution& execution,
                                    Workspace& workspace) {
  if (change.forward == nullptr) return rows;
  const MatrixView changed = workspace.matrix(rows.rows, layout.width());
  parallel_for(execution.num_threads, rows.rows, 4 * layout.width(),
               [&](Index first, Index last, int) { change.forward(score, rows, changed, first, last); });
  return changed;
}

/// A score input whose queries and keys the loops can read. The memory is that of the current scope.
inline ScoreInput ready_score(const AttentionInput& input, const ScoreInput& score) {
  const ScoreKernels& kernels = *kScores[score.score];
  assert(input.bf16_values.empty() ||
         (kHasBf16Rows && kernels.description->separable && input.value_edge_weight.empty()));
  ScoreInput ready = score;
  ready.queries =
      changed_rows(kernels.queries, score, score.queries, score.key_heads, input.execution, input.workspace);
  ready.keys =
      changed_rows(kernels.keys, score, score.keys, score.key_heads, input.execution, input.workspace);
  if (kernels.queries.forward != nullptr) ready.query_heads = score.key_heads;
  return ready;
}

/// Calls visit(std::integral_constant<int, L>, group, score of the group) for every group of heads.
/// \pre the rows are ready
template <class Visit>
void for_each_group(const AttentionInput& input, const ScoreInput& ready, const Visit& visit) {
  const ScoreKernels& kernels = *kScores[ready.score];
  with_lanes(input.heads, [&](auto lanes) {
    constexpr int L = lanes;
    for (Index group = 0; group < input.heads.num_groups; ++group) {
      if (kernels.description->separable) visit(lanes, group, GatScore<L>(ready, input, group));
      else visit(lanes, group, PairScore<L>(ready, input, group, kernels.template loops<L>()));
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
