/// Heads and residual mixed by a learned gate: out = b r + (1 − b) m, b = sigmoid(w·[m, r, m − r])
/// (Shi et al. 2021, in the order of PyG's TransformerConv).
#pragma once

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"

namespace gat::inline GAT_PRECISION {

struct GatedResidual {
  ConstMatrixView m, r;    ///< N × F
  ConstMatrixView weight;  ///< 1 × 3F
  MatrixView share;        ///< N × 1: b, written by forward and read by backward

  void forward(MatrixView out, const Execution& execution) const;
  /// \param d_m, d_r  overwritten \param d_weight  added to
  void backward(ConstMatrixView d_out, MatrixView d_m, MatrixView d_r, MatrixView d_weight,
                const Execution& execution, Workspace& workspace) const;
};

}  // namespace gat::inline GAT_PRECISION
