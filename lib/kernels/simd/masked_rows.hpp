/// Rows of dense features under a dropout mask, and the numbers of mask elements.
#pragma once

#include "gat/kernels/linear.hpp"
#include "kernels/simd/random_bits.hpp"
#include "kernels/simd/rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Numbers that a stack buffer of mask factors holds at once.
inline constexpr Index kFactorRun = 256;

inline std::uint64_t first_element(const LinearInput& input, Index row) {
  const Index global = input.global_rows.empty() ? row : input.global_rows[static_cast<std::size_t>(row)];
  return static_cast<std::uint64_t>(global) * static_cast<std::uint64_t>(input.rows.cols() * input.num_masks);
}

/// Calls visit(first column, count, factors) for runs of one row's mask under one layer.
template <class Visit>
inline void for_factor_runs(const LinearInput& input, Index row, Index layer, Index columns,
                            const Visit& visit) {
  Real factor[kFactorRun + kLanes];
  const std::uint64_t element = first_element(input, row);
  if (input.num_masks == 1) {
    for (Index c = 0; c < columns; c += kFactorRun) {
      const Index count = std::min(kFactorRun, columns - c);
      element_factors(input.dropout, element + static_cast<std::uint64_t>(c), count, factor);
      visit(c, count, factor);
    }
    return;
  }
  DropoutReader mask(input.dropout);
  for (Index c = 0; c < columns; c += kFactorRun) {
    const Index count = std::min(kFactorRun, columns - c);
    for (Index k = 0; k < count; ++k)
      factor[k] = mask.factor(element + static_cast<std::uint64_t>((c + k) * input.num_masks + layer));
    visit(c, count, factor);
  }
}

/// Copies dense rows first … last − 1 to a block, under one layer of the mask.
inline void load_rows(const LinearInput& input, Index layer, Index first, Index last, MatrixView block) {
  for (Index r = first; r < last; ++r) {
    const Real* from = input.rows.dense.row(input.rows.stored_row(r));
    Real* to = block.row(r - first);
    if (!input.dropout.active()) {
      std::copy_n(from, block.cols, to);
      continue;
    }
    for_factor_runs(input, r, layer, block.cols, [&](Index c, Index count, const Real* factor) {
      multiply_numbers(from + c, factor, to + c, count);
    });
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
