// The public kernels: each call goes to the table of its instruction level.
#include "kernels/kernel_table.hpp"

#include <string>
#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"

namespace gat::inline GAT_PRECISION {

const KernelTable& kernels_of(SimdLevel level) {
#if GAT_WIDEST_LEVEL > 1
  if (level == SimdLevel::avx512) return avx512::kTable;
#endif
#if GAT_WIDEST_LEVEL > 0
  if (level != SimdLevel::baseline) return avx2::kTable;
#else
  static_cast<void>(level);
#endif
  return baseline::kTable;
}

void attention_forward(const AttentionInput& input, const ScoreInput& score, const AttentionState& state,
                       MatrixView out, const AttentionSink* sink, const RowCallback& done) {
  kernels_of(input.execution.simd).attention_forward(input, score, state, out, sink, done);
}
void attention_backward(const AttentionInput& input, const ScoreInput& score, const AttentionState& state,
                        ConstMatrixView out, MatrixView d_out, const ScoreGradient& d_score,
                        const AttentionGradient& gradient, const RowCallback& wanted) {
  kernels_of(input.execution.simd)
      .attention_backward(input, score, state, out, d_out, d_score, gradient, wanted);
}

void attention_select(const AttentionInput& input, const ScoreInput& score, const SelectionRule& rule,
                      MatrixView threshold, MatrixView last) {
  kernels_of(input.execution.simd).attention_select(input, score, rule, threshold, last);
}
std::span<const ScoreDescription* const> score_table() { return baseline::kTable.scores(); }
int score_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ScoreDescription* score : score_table()) {
    if (name == score->name || (!score->alias.empty() && name == score->alias))
      return static_cast<int>(names.size());
    names.push_back(score->name);
  }
  throw UsageError("unknown score \"" + std::string(name) + "\"; " + known_names_hint(name, names));
}

void linear_forward(const LinearInput& input, ConstMatrixView weight, MatrixView out,
                    const Execution& execution, Workspace& workspace, const RowCallback& done) {
  kernels_of(execution.simd).linear_forward(input, weight, out, execution, workspace, done);
}
void linear_backward_weight(const LinearInput& input, ConstMatrixView d_out, MatrixView d_weight,
                            const Execution& execution, Workspace& workspace, const RowCallback& wanted) {
  kernels_of(execution.simd).linear_backward_weight(input, d_out, d_weight, execution, workspace, wanted);
}
void linear_backward_input(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                           MatrixView d_rows, const Execution& execution, Workspace& workspace, bool add) {
  kernels_of(execution.simd).linear_backward_input(input, weight, d_out, d_rows, execution, workspace, add);
}
void linear_backward(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                     MatrixView d_weight, MatrixView d_rows, const Execution& execution, Workspace& workspace,
                     bool add, const RowCallback& wanted) {
  kernels_of(execution.simd)
      .linear_backward(input, weight, d_out, d_weight, d_rows, execution, workspace, add, wanted);
}
void add_column_sums(ConstMatrixView matrix, MatrixView sums, const Execution& execution,
                     Workspace& workspace) {
  kernels_of(execution.simd).add_column_sums(matrix, sums, execution, workspace);
}

void node_scores(const NodeScores& scores, Index first, Index last, SimdLevel level) {
  kernels_of(level).node_scores(scores, first, last);
}
void node_scores_backward(const NodeScoreGradient& scores, Index first, Index last, SimdLevel level) {
  kernels_of(level).node_scores_backward(scores, first, last);
}
void drop_heads(const DropHeads& drop, Index first, Index last, SimdLevel level) {
  kernels_of(level).drop_heads(drop, first, last);
}
void merge_heads(const MergeHeads& merge, Index first, Index last, SimdLevel level) {
  kernels_of(level).merge_heads(merge, first, last);
}
void merge_heads_backward(const MergeHeadsGradient& merge, Index first, Index last, SimdLevel level) {
  kernels_of(level).merge_heads_backward(merge, first, last);
}

void edge_queries(ConstMatrixView weight, ConstMatrixView a, MatrixView query, SimdLevel level) {
  kernels_of(level).edge_queries(weight, a, query);
}
void edge_queries_backward(ConstMatrixView weight, ConstMatrixView a, ConstMatrixView d_query,
                           MatrixView d_weight, MatrixView d_a, SimdLevel level) {
  kernels_of(level).edge_queries_backward(weight, a, d_query, d_weight, d_a);
}
void edge_scores(ConstMatrixView x, ConstMatrixView query, MatrixView s, const Execution& execution) {
  kernels_of(execution.simd).edge_scores(x, query, s, execution);
}
void edge_scores_backward(ConstMatrixView x, ConstMatrixView query, ConstMatrixView d_s, MatrixView d_query,
                          MatrixView d_x, const Execution& execution, Workspace& workspace) {
  kernels_of(execution.simd).edge_scores_backward(x, query, d_s, d_query, d_x, execution, workspace);
}

void bias_activation(const BiasActivation& end, Index first, Index last, SimdLevel level) {
  kernels_of(level).bias_activation(end, first, last);
}
void bias_activation_backward(const BiasActivationGradient& end, Index first, Index last, SimdLevel level) {
  kernels_of(level).bias_activation_backward(end, first, last);
}
void drop_rows(const DropRows& drop, const Execution& execution) {
  kernels_of(execution.simd).drop_rows(drop, execution);
}

void row_moments(ConstMatrixView x, MatrixView moments, const Execution& execution) {
  kernels_of(execution.simd).row_moments(x, moments, execution);
}
void normalize_rows(const NormalizedRows& rows, MatrixView out, const Execution& execution) {
  kernels_of(execution.simd).normalize_rows(rows, out, execution);
}
void layer_norm_rows(const NormalizedRows& rows, double epsilon, MatrixView moments, MatrixView out,
                     const Execution& execution) {
  kernels_of(execution.simd).layer_norm_rows(rows, epsilon, moments, out, execution);
}
void normalized_row_sums(const NormalizedRows& rows, ConstMatrixView d_out, MatrixView sums,
                         const Execution& execution) {
  kernels_of(execution.simd).normalized_row_sums(rows, d_out, sums, execution);
}
void normalize_rows_backward(const NormalizedRows& rows, const NormalizedRowsGradient& gradient,
                             const Execution& execution, Workspace& workspace) {
  kernels_of(execution.simd).normalize_rows_backward(rows, gradient, execution, workspace);
}

void column_moments(ConstMatrixView x, MatrixView moments, const Execution& execution, Workspace& workspace) {
  kernels_of(execution.simd).column_moments(x, moments, execution, workspace);
}
void scale_columns(ConstMatrixView x, ConstMatrixView columns, MatrixView out, const Execution& execution) {
  kernels_of(execution.simd).scale_columns(x, columns, out, execution);
}
void centred_column_sums(ConstMatrixView x, const Real* mean, ConstMatrixView d_out, MatrixView sums,
                         const Execution& execution, Workspace& workspace) {
  kernels_of(execution.simd).centred_column_sums(x, mean, d_out, sums, execution, workspace);
}
void scale_columns_backward(ConstMatrixView x, ConstMatrixView columns, ConstMatrixView d_out, MatrixView d_x,
                            bool add, const Execution& execution) {
  kernels_of(execution.simd).scale_columns_backward(x, columns, d_out, d_x, add, execution);
}

void activation_forward(const Activation& activation, ConstMatrixView x, MatrixView out,
                        const Execution& execution) {
  kernels_of(execution.simd).activation_forward(activation, x, out, execution);
}
void activation_backward(const Activation& activation, ConstMatrixView x, ConstMatrixView d_out,
                         MatrixView d_x, const Execution& execution, bool from_value) {
  kernels_of(execution.simd).activation_backward(activation, x, d_out, d_x, execution, from_value);
}

double softmax_cross_entropy(ConstMatrixView logits, LossRows rows, std::span<const NodeId> classes,
                             const CrossEntropyOptions& options, MatrixView d_logits,
                             const Execution& execution) {
  return kernels_of(execution.simd)
      .softmax_cross_entropy(logits, rows, classes, options, d_logits, execution);
}
double sigmoid_cross_entropy(ConstMatrixView logits, LossRows rows, ConstMatrixView targets,
                             std::span<const Real> positive_weights, MatrixView d_logits,
                             const Execution& execution) {
  return kernels_of(execution.simd)
      .sigmoid_cross_entropy(logits, rows, targets, positive_weights, d_logits, execution);
}
void softmax_rows(ConstMatrixView logits, MatrixView out, const Execution& execution) {
  kernels_of(execution.simd).softmax_rows(logits, out, execution);
}
void sigmoid_elements(ConstMatrixView logits, MatrixView out, const Execution& execution) {
  kernels_of(execution.simd).sigmoid_elements(logits, out, execution);
}

void adam_update(const AdamFactors& factors, const Real* gradient, Real* weight, Real* first_moment,
                 Real* second_moment, Index count, const Execution& execution) {
  kernels_of(execution.simd)
      .adam_update(factors, gradient, weight, first_moment, second_moment, count, execution);
}

}  // namespace gat::inline GAT_PRECISION
