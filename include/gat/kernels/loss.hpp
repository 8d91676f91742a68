/// Losses for node classification: value and gradient by the class logits.
#pragma once

#include <span>

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// Which rows a loss reads: row k compares logits row logit_rows[k] with the truth of target_rows[k].
/// On the whole graph both lists are the same nodes.
struct LossRows {
  std::span<const NodeId> logit_rows;
  std::span<const NodeId> target_rows;
};

struct CrossEntropyOptions {
  std::span<const Real> class_weights;  ///< C weights; empty = all 1
  double label_smoothing = 0;           ///< ε in [0, 1)
};

/// Softmax cross-entropy, weighted and smoothed as in PyTorch's cross_entropy:
/// Σ_n [(1−ε) w[y_n] (−lp[n, y_n]) + ε/C Σ_c w[c] (−lp[n, c])] / Σ_n w[y_n], lp the log-softmax.
/// Rows without label (class < 0) are left out. Without any row the loss is 0 (PyTorch gives NaN).
/// \param classes   one class per node, in [0, C) or negative
/// \param d_logits  empty, or the shape of `logits`; the gradient is added
double softmax_cross_entropy(ConstMatrixView logits, LossRows rows, std::span<const NodeId> classes,
                             const CrossEntropyOptions& options, MatrixView d_logits,
                             const Execution& execution);

/// Sigmoid cross-entropy for several labels per node, as PyTorch's binary_cross_entropy_with_logits:
/// the mean over all entries that are there of w_c y log(1 + e^{−z}) + (1 − y) log(1 + e^z).
/// \param targets           N × C in [0, 1], soft targets allowed; NaN = missing, left out
/// \param positive_weights  C weights w; empty = all 1
double sigmoid_cross_entropy(ConstMatrixView logits, LossRows rows, ConstMatrixView targets,
                             std::span<const Real> positive_weights, MatrixView d_logits,
                             const Execution& execution);

/// Class probabilities: softmax of each row, shifted by its maximum. \param out may be `logits`' memory
void softmax_rows(ConstMatrixView logits, MatrixView out, const Execution& execution = {});
/// 1 / (1 + e^{−z}) of each element, without overflow.
void sigmoid_elements(ConstMatrixView logits, MatrixView out, const Execution& execution = {});

}  // namespace gat::inline GAT_PRECISION
