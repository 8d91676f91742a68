/// Normalisation of columns over rows (Ioffe and Szegedy 2015), in parts: moments, the map with constants per
/// column, and its gradient.
///
/// Sums over rows go over fixed blocks, and within these over fixed chunks, so no bit depends on threads.
#pragma once

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"

namespace gat::inline GAT_PRECISION {

/// Mean and biased variance of each column. \param moments 2 × F, overwritten. \pre x has rows
void column_moments(ConstMatrixView x, MatrixView moments, const Execution& execution, Workspace& workspace);

/// out = (x − mean) ⊙ scale + shift for the first rows of x, as many as `out` has.
/// \param columns 3 × F: mean, scale, shift
void scale_columns(ConstMatrixView x, ConstMatrixView columns, MatrixView out, const Execution& execution);

/// Σ d_out and Σ d_out ⊙ (x − mean) over the rows of d_out, the first ones of x.
/// \param mean F numbers \param sums 2 × F, overwritten
void centred_column_sums(ConstMatrixView x, const Real* mean, ConstMatrixView d_out, MatrixView sums,
                         const Execution& execution, Workspace& workspace);

/// d_x = scale ⊙ d_out − offset − slope ⊙ (x − mean), overwritten or added to. Rows of x that d_out does not
/// have count as rows of zeros. \param columns 4 × F: mean, scale, offset, slope
void scale_columns_backward(ConstMatrixView x, ConstMatrixView columns, ConstMatrixView d_out, MatrixView d_x,
                            bool add, const Execution& execution);

}  // namespace gat::inline GAT_PRECISION
