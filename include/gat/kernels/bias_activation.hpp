/// What ends a linear map: bias, dropout of the sum, activation. Each function works on a range of rows, so
/// that a linear map can hand its rows over as they are made or wanted (gat/kernels/linear.hpp).
#pragma once

#include <span>

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/random.hpp"
#include "gat/kernels/activation.hpp"

namespace gat::inline GAT_PRECISION {

/// argument = m ⊙ (argument + bias);  output = f(argument).
struct BiasActivation {
  const Real* bias = nullptr;           ///< one number per column, or null
  DropoutMask dropout;                  ///< of the sum; element = global row · columns + column
  std::span<const NodeId> global_rows;  ///< number of each row in the whole graph; empty = itself
  Activation activation;
  MatrixView argument;  ///< N × F; before, the sums of the linear map
  MatrixView output;    ///< N × F; may be `argument` itself
};
void bias_activation(const BiasActivation& end, Index first, Index last, SimdLevel level);

/// Its gradient: d_argument = m ⊙ d_output ⊙ f'(argument), and d_bias sums its rows.
struct BiasActivationGradient {
  DropoutMask dropout;
  std::span<const NodeId> global_rows;
  Activation activation;
  ConstMatrixView argument;  ///< as forward left it, or the output where slope_from_value() says so
  ConstMatrixView d_output;
  MatrixView d_argument;  ///< overwritten; empty where it equals `d_output`: no dropout, no activation
  MatrixView d_bias;      ///< kSumBlocks × F, added to: block b sums rows of block b of the sum over N rows;
                          ///< empty without a bias
};
void bias_activation_backward(const BiasActivationGradient& end, Index first, Index last, SimdLevel level);

}  // namespace gat::inline GAT_PRECISION
