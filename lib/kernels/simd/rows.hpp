/// Small loops over one row of any width.
#pragma once

#include "kernels/simd/lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// to += factor · from
GAT_INLINE void add_scaled(Real factor, const Real* from, Real* to, Index count) {
  const Lanes scale = all_lanes(factor);
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) store(to + k, multiply_add(scale, load(from + k), load(to + k)));
  for (; k < count; ++k) to[k] += factor * from[k];
}

/// to = a ⊙ b
GAT_INLINE void multiply_numbers(const Real* a, const Real* b, Real* to, Index count) {
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) store(to + k, load(a + k) * load(b + k));
  for (; k < count; ++k) to[k] = a[k] * b[k];
}

/// to = Σ of `count` rows of a block of partial sums, in order, added to what stands there
inline void add_partial_sums(const Real* partial, Index step, Index count, Real* to, Index width) {
  for (Index b = 0; b < count; ++b) add_scaled(1, partial + b * step, to, width);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
