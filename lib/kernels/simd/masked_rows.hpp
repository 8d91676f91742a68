/// Rows of dense features under a dropout mask, and the numbers of mask elements.
#pragma once

#include "gat/kernels/linear.hpp"
#include "kernels/simd/random_bits.hpp"
#include "kernels/simd/rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Numbers that a stack buffer of mask factors holds at once.
inline constexpr Index kFactorRun = 256;

/// The first element of a row's mask, `elements` per row.
inline std::uint64_t first_element(std::span<const NodeId> global_rows, Index row, Index elements) {
  const Index global = global_rows.empty() ? row : global_rows[static_cast<std::size_t>(row)];
  return static_cast<std::uint64_t>(global) * static_cast<std::uint64_t>(elements);
}
inline std::uint64_t first_element(const LinearInput& input, Index row) {
  return first_element(input.global_rows, row, input.rows.cols() * input.num_masks);
}

/// to = m ⊙ from for one row under one of several layers of the mask; the two may be the same memory.
inline void multiply_layer(const LinearInput& input, Index row, Index layer, const Real* from, Real* to,
                           Index columns) {
  DropoutReader mask(input.dropout);
  const std::uint64_t element = first_element(input, row) + static_cast<std::uint64_t>(layer);
  for (Index c = 0; c < columns; ++c)
    to[c] = from[c] * mask.factor(element + static_cast<std::uint64_t>(c * input.num_masks));
}

/// Whether a block of rows lies in memory, and its mask in the stream, as one run.
inline bool is_one_run(const LinearInput& input) {
  return input.num_masks == 1 && input.global_rows.empty() && input.rows.row_ids.empty() &&
         input.rows.dense.stride == input.rows.cols();
}

/// to = m ⊙ from for `count` numbers whose mask begins at an element.
inline void multiply_masked(const DropoutMask& mask, std::uint64_t element, const Real* from, Real* to,
                            Index count) {
  Real factor[kFactorRun + kLanes];
  for (Index c = 0; c < count; c += kFactorRun) {
    const Index run = std::min(kFactorRun, count - c);
    element_factors(mask, element + static_cast<std::uint64_t>(c), run, factor);
    multiply_numbers(from + c, factor, to + c, run);
  }
}

/// Copies dense rows first … last − 1 to a block, under one layer of the mask.
inline void load_rows(const LinearInput& input, Index layer, Index first, Index last, MatrixView block) {
  if (input.dropout.active() && is_one_run(input)) {
    multiply_masked(input.dropout, first_element(input, first), input.rows.dense.row(first), block.data,
                    (last - first) * block.cols);
    return;
  }
  for (Index r = first; r < last; ++r) {
    const Real* from = input.rows.dense.row(input.rows.stored_row(r));
    Real* to = block.row(r - first);
    if (!input.dropout.active()) {
      std::copy_n(from, block.cols, to);
    } else if (input.num_masks == 1) {
      multiply_masked(input.dropout, first_element(input, r), from, to, block.cols);
    } else {
      multiply_layer(input, r, layer, from, to, block.cols);
    }
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
