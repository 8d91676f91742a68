/// The kernels of one instruction level, and the level of a call.
///
/// Each source in lib/kernels/simd is compiled once per level; its functions stand in a namespace of
/// the level's name, with the signatures of the public headers, and in the level's table.
#pragma once

#include "gat/kernels/activation.hpp"
#include "gat/kernels/adam.hpp"
#include "gat/kernels/attention.hpp"
#include "gat/kernels/batch_norm.hpp"
#include "gat/kernels/bias_activation.hpp"
#include "gat/kernels/dropout.hpp"
#include "gat/kernels/edge_scores.hpp"
#include "gat/kernels/heads.hpp"
#include "gat/kernels/layer_norm.hpp"
#include "gat/kernels/linear.hpp"
#include "gat/kernels/loss.hpp"

namespace gat::inline GAT_PRECISION {

// Name, result and parameters of every kernel.
#define GAT_KERNELS(KERNEL)                                                                                  \
  KERNEL(void, attention_forward,                                                                            \
         (const AttentionInput&, const ScoreInput&, const AttentionState&, MatrixView, const AttentionSink*, \
          const RowCallback&))                                                                               \
  KERNEL(void, attention_backward,                                                                           \
         (const AttentionInput&, const ScoreInput&, const AttentionState&, ConstMatrixView, MatrixView,      \
          const ScoreGradient&, const AttentionGradient&, const RowCallback&))                               \
  KERNEL(void, attention_select,                                                                             \
         (const AttentionInput&, const ScoreInput&, const SelectionRule&, MatrixView, MatrixView))           \
  KERNEL(                                                                                                    \
      void, linear_forward,                                                                                  \
      (const LinearInput&, ConstMatrixView, MatrixView, const Execution&, Workspace&, const RowCallback&))   \
  KERNEL(                                                                                                    \
      void, linear_backward_weight,                                                                          \
      (const LinearInput&, ConstMatrixView, MatrixView, const Execution&, Workspace&, const RowCallback&))   \
  KERNEL(void, linear_backward_input,                                                                        \
         (const LinearInput&, ConstMatrixView, ConstMatrixView, MatrixView, const Execution&, Workspace&,    \
          bool))                                                                                             \
  KERNEL(void, linear_backward,                                                                              \
         (const LinearInput&, ConstMatrixView, ConstMatrixView, MatrixView, MatrixView, const Execution&,    \
          Workspace&, bool, const RowCallback&))                                                             \
  KERNEL(void, add_column_sums, (ConstMatrixView, MatrixView, const Execution&, Workspace&))                 \
  KERNEL(void, node_scores, (const NodeScores&, Index, Index))                                               \
  KERNEL(void, node_scores_backward, (const NodeScoreGradient&, Index, Index))                               \
  KERNEL(void, drop_heads, (const DropHeads&, Index, Index))                                                 \
  KERNEL(void, merge_heads, (const MergeHeads&, Index, Index))                                               \
  KERNEL(void, merge_heads_backward, (const MergeHeadsGradient&, Index, Index))                              \
  KERNEL(void, edge_queries, (ConstMatrixView, ConstMatrixView, MatrixView))                                 \
  KERNEL(void, edge_queries_backward,                                                                        \
         (ConstMatrixView, ConstMatrixView, ConstMatrixView, MatrixView, MatrixView))                        \
  KERNEL(void, edge_scores, (ConstMatrixView, ConstMatrixView, MatrixView, const Execution&))                \
  KERNEL(void, edge_scores_backward,                                                                         \
         (ConstMatrixView, ConstMatrixView, ConstMatrixView, MatrixView, MatrixView, const Execution&,       \
          Workspace&))                                                                                       \
  KERNEL(void, bias_activation, (const BiasActivation&, Index, Index))                                       \
  KERNEL(void, bias_activation_backward, (const BiasActivationGradient&, Index, Index))                      \
  KERNEL(void, drop_rows, (const DropRows&, const Execution&))                                               \
  KERNEL(void, row_moments, (ConstMatrixView, MatrixView, const Execution&))                                 \
  KERNEL(void, normalize_rows, (const NormalizedRows&, MatrixView, const Execution&))                        \
  KERNEL(void, layer_norm_rows, (const NormalizedRows&, double, MatrixView, MatrixView, const Execution&))   \
  KERNEL(void, normalized_row_sums, (const NormalizedRows&, ConstMatrixView, MatrixView, const Execution&))  \
  KERNEL(void, normalize_rows_backward,                                                                      \
         (const NormalizedRows&, const NormalizedRowsGradient&, const Execution&, Workspace&))               \
  KERNEL(void, column_moments, (ConstMatrixView, MatrixView, const Execution&, Workspace&))                  \
  KERNEL(void, scale_columns, (ConstMatrixView, ConstMatrixView, MatrixView, const Execution&))              \
  KERNEL(void, centred_column_sums,                                                                          \
         (ConstMatrixView, const Real*, ConstMatrixView, MatrixView, const Execution&, Workspace&))          \
  KERNEL(void, scale_columns_backward,                                                                       \
         (ConstMatrixView, ConstMatrixView, ConstMatrixView, MatrixView, bool, const Execution&))            \
  KERNEL(void, activation_forward, (const Activation&, ConstMatrixView, MatrixView, const Execution&))       \
  KERNEL(void, activation_backward,                                                                          \
         (const Activation&, ConstMatrixView, ConstMatrixView, MatrixView, const Execution&, bool))          \
  KERNEL(double, softmax_cross_entropy,                                                                      \
         (ConstMatrixView, LossRows, std::span<const NodeId>, const CrossEntropyOptions&, MatrixView,        \
          const Execution&))                                                                                 \
  KERNEL(double, sigmoid_cross_entropy,                                                                      \
         (ConstMatrixView, LossRows, ConstMatrixView, std::span<const Real>, MatrixView, const Execution&))  \
  KERNEL(void, softmax_rows, (ConstMatrixView, MatrixView, const Execution&))                                \
  KERNEL(void, sigmoid_elements, (ConstMatrixView, MatrixView, const Execution&))                            \
  KERNEL(void, adam_update, (const AdamFactors&, const Real*, Real*, Real*, Real*, Index, const Execution&))

struct KernelTable {
#define GAT_KERNEL_POINTER(result, name, parameters) result(*name) parameters;
  GAT_KERNELS(GAT_KERNEL_POINTER)
#undef GAT_KERNEL_POINTER
  /// A function, so that no level's code runs before its level is chosen.
  std::span<const ScoreDescription* const> (*scores)();
};

#define GAT_KERNEL_DECLARATION(result, name, parameters) result name parameters;
#define GAT_LEVEL(level)              \
  namespace level {                   \
  GAT_KERNELS(GAT_KERNEL_DECLARATION) \
  extern const KernelTable kTable;    \
  }
GAT_LEVEL(baseline)
#if GAT_WIDEST_LEVEL > 0
GAT_LEVEL(avx2)
#endif
#if GAT_WIDEST_LEVEL > 1
GAT_LEVEL(avx512)
#endif
#undef GAT_LEVEL
#undef GAT_KERNEL_DECLARATION

/// \pre the level is one of supported_simd_levels()
const KernelTable& kernels_of(SimdLevel level);

}  // namespace gat::inline GAT_PRECISION
