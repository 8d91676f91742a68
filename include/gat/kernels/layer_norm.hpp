/// Normalisation of rows: x̂ = (x − mean) / deviation with mean and deviation per row, then gain and shift per
/// column. The moments may be each row's own (Ba, Kiros and Hinton 2016) or shared by the rows of a graph.
///
/// Rows are independent of each other; sums over rows go over fixed blocks, so no bit depends on threads.
#pragma once

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"

namespace gat::inline GAT_PRECISION {

/// Rows with their moments. N × F, F ≥ 1.
struct NormalizedRows {
  ConstMatrixView x;
  ConstMatrixView moments;      ///< N × 2: mean and 1/deviation of each row
  const Real* gain = nullptr;   ///< F numbers; null = 1
  const Real* shift = nullptr;  ///< F numbers; null = 0
};

/// Mean and biased variance of each row. \param moments N × 2, overwritten
void row_moments(ConstMatrixView x, MatrixView moments, const Execution& execution);

/// out = x̂ ⊙ gain + shift for the first rows of x, as many as `out` has.
void normalize_rows(const NormalizedRows& rows, MatrixView out, const Execution& execution);

/// The same with each row's own moments, 1/deviation = 1/√(variance + epsilon).
/// \param moments N × 2, overwritten; that of rows.moments is not read
void layer_norm_rows(const NormalizedRows& rows, double epsilon, MatrixView moments, MatrixView out,
                     const Execution& execution);

/// Σ g and Σ g x̂ over each row with g = d_out ⊙ gain. \param sums N × 2, overwritten
void normalized_row_sums(const NormalizedRows& rows, ConstMatrixView d_out, MatrixView sums,
                         const Execution& execution);

/// d_x = (g − mean_0 − x̂ mean_1) / deviation, d_gain = Σ_rows d_out ⊙ x̂, d_shift = Σ_rows d_out.
struct NormalizedRowsGradient {
  ConstMatrixView d_out;  ///< at most N rows; those that are missing are zero
  ConstMatrixView means;  ///< N × 2: mean_0 and mean_1 of each row; empty = the row's own sums divided by F
  MatrixView d_x;         ///< N × F, or empty when not wanted
  bool add = true;        ///< whether d_x is added to or overwritten
  MatrixView d_gain, d_shift;  ///< 1 × F, added to; empty when there is none
};
void normalize_rows_backward(const NormalizedRows& rows, const NormalizedRowsGradient& gradient,
                             const Execution& execution, Workspace& workspace);

}  // namespace gat::inline GAT_PRECISION
