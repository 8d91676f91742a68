/// One direction of an LSTM over the steps of a sequence, for many rows at once.
///
///     a = W [x_t, h_{t−1}] + b,   i, f, o = σ(a_i, a_f, a_o),   g = tanh(a_g)
///     c_t = f c_{t−1} + i g,      h_t = o tanh(c_t),            h_{−1} = c_{−1} = 0
/// (Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000). Gates lie in the order
/// i, f, g, o.
#pragma once

#include <vector>

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"

namespace gat::inline GAT_PRECISION {

/// What a direction needs for some rows, from forward to backward. Memory comes from the workspace and is
/// valid while the caller's scope is.
class Lstm {
 public:
  /// \param weight  (in_width + H) × 4H, as linear maps have it in memory \param bias  1 × 4H
  Lstm(ConstMatrixView weight, ConstMatrixView bias, Index steps, Index rows, const Execution& execution,
       Workspace& workspace);

  /// x of a step, rows × in_width, to be written before `forward`.
  MatrixView input(Index step) const { return inputs_[at(step)].columns(0, in_width_); }
  void forward();
  /// h of a step, rows × H.
  ConstMatrixView state(Index step) const { return inputs_[at(step) + 1].columns(in_width_, hidden_); }

  /// Takes memory for `backward`.
  void prepare_backward();
  /// The gradient of a state but for what later steps make of it, to be written before `backward`.
  MatrixView d_state(Index step) const { return d_states_[at(step)]; }
  /// Adds to the gradients of the weights. \pre forward
  void backward(MatrixView d_weight, MatrixView d_bias);
  /// The gradient of x.
  ConstMatrixView d_input(Index step) const { return d_inputs_[at(step)].columns(0, in_width_); }

 private:
  static std::size_t at(Index step) { return static_cast<std::size_t>(step); }
  void cell_forward(Index step, Index first, Index last) const;
  void cell_backward(Index step, Index first, Index last) const;

  ConstMatrixView weight_, bias_;
  Index hidden_, in_width_, rows_;
  const Execution& execution_;
  Workspace& workspace_;
  std::vector<MatrixView> inputs_;  // [x_t, h_{t−1}] of every step; of one behind the last, the state alone
  std::vector<MatrixView> gates_, cells_, tanh_cells_;
  std::vector<MatrixView> d_states_, d_inputs_;
  MatrixView d_gates_, d_cell_;  // of the step that backward is at
};

}  // namespace gat::inline GAT_PRECISION
