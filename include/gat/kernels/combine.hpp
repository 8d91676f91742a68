/// Rows of several matrices made into one: sum, maximum, side by side.
#pragma once

#include <span>

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// to = from, or to += from; equal shapes.
void copy_rows(ConstMatrixView from, MatrixView to, bool add, const Execution& execution);

/// out = Σ inputs, in order; at least one, all of the shape of `out`.
void sum_rows(std::span<const ConstMatrixView> inputs, MatrixView out, const Execution& execution);

/// out = the largest of the inputs, element by element; at least one, all of the shape of `out`.
void max_rows(std::span<const ConstMatrixView> inputs, MatrixView out, const Execution& execution);

/// The gradient of one input: d_out where this is the first input that has the maximum, else 0.
/// \param out the result of the forward call \param d_input overwritten or added to
void max_rows_backward(std::span<const ConstMatrixView> inputs, ConstMatrixView out, ConstMatrixView d_out,
                       Index input, MatrixView d_input, bool add, const Execution& execution);

}  // namespace gat::inline GAT_PRECISION
