/// What a layer does to the heads of a row on either side of the operator: score parts, merging, bias,
/// activation. Each function works on a range of rows, so that a caller can hand it to the operator or
/// to a linear map as the rows come out of them.
///
/// Rows of heads are in kernel order (`HeadLayout`), merged rows in public order (head h in columns
/// h·D … h·D + D − 1, or D columns of means).
#pragma once

#include "gat/core/bf16.hpp"
#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/random.hpp"
#include "gat/graph/graph_view.hpp"
#include "gat/kernels/activation.hpp"
#include "gat/kernels/head_layout.hpp"

namespace gat::inline GAT_PRECISION {

/// The parts of the GAT score that belong to nodes: s[r, h] = a_h · z_r,h + bias_h.
struct NodeScores {
  HeadLayout layout;
  ConstMatrixView z;           ///< N × width
  ConstMatrixView a;           ///< 1 × width
  const Real* bias = nullptr;  ///< H numbers or null
  MatrixView s;                ///< score width; rows beyond those of `s` are left out
};
void node_scores(const NodeScores& scores, Index first, Index last, SimdLevel level);

/// Its gradients: d_z_r,h += d_s[r, h] a_h and d_a_h += d_s[r, h] z_r,h.
struct NodeScoreGradient {
  HeadLayout layout;
  ConstMatrixView z;    ///< N × width
  ConstMatrixView a;    ///< 1 × width
  ConstMatrixView d_s;  ///< score width; rows beyond those of `d_s` are left out
  MatrixView d_z;       ///< N × width
  MatrixView d_a;       ///< kSumBlocks × width: block b sums rows of block b of the sum over N rows
};
void node_scores_backward(const NodeScoreGradient& scores, Index first, Index last, SimdLevel level);

/// Dropout of rows of heads: to = m ⊙ from, or that rounded. The element of (row, column in kernel order) is
/// global_row · width + column. `to` may be `from`.
struct DropHeads {
  DropoutMask mask;
  const GraphView& graph;  ///< whose sources the rows are
  ConstMatrixView from;    ///< num_sources × width
  MatrixView to;
  Bf16Rows rounded = {};  ///< not empty: written instead of `to`
};
void drop_heads(const DropHeads& drop, Index first, Index last, SimdLevel level);

/// output = activation(merged heads [+ added] [+ bias]).
struct MergeHeads {
  HeadLayout layout;
  bool mean = false;           ///< the mean of the heads instead of all side by side
  ConstMatrixView heads;       ///< N × width
  const Real* bias = nullptr;  ///< one number per column of `output`, or null
  ConstMatrixView added;       ///< shape of `output`, or empty
  Activation activation;
  MatrixView argument;  ///< shape of `output`: what the activation is applied to; may be `output` itself
  MatrixView output;
};
void merge_heads(const MergeHeads& merge, Index first, Index last, SimdLevel level);

/// Its gradient. `d_heads` is overwritten, padding zero.
struct MergeHeadsGradient {
  HeadLayout layout;
  bool mean = false;
  Activation activation;
  ConstMatrixView argument;  ///< what forward applied the activation to, or its output where that is enough
  ConstMatrixView d_output;
  MatrixView d_argument;  ///< shape of `d_output`, or empty when not wanted
  MatrixView d_heads;     ///< N × width
  MatrixView d_bias;      ///< kSumBlocks × columns, as in NodeScoreGradient, or empty
};
void merge_heads_backward(const MergeHeadsGradient& merge, Index first, Index last, SimdLevel level);

}  // namespace gat::inline GAT_PRECISION
