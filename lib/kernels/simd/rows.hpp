/// Small loops over one row of any width.
#pragma once

#include "kernels/simd/partial_lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// to += factor · from
GAT_INLINE void add_scaled(Real factor, const Real* from, Real* to, Index count) {
  const Lanes scale = all_lanes(factor);
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) store(to + k, multiply_add(scale, load(from + k), load(to + k)));
  if (k < count) {
    const Index rest = count - k;
    store_first(to + k, multiply_add(scale, load_first(from + k, rest), load_first(to + k, rest)), rest);
  }
}

/// to = a ⊙ b
GAT_INLINE void multiply_numbers(const Real* a, const Real* b, Real* to, Index count) {
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) store(to + k, load(a + k) * load(b + k));
  if (k < count) store_first(to + k, load_first(a + k, count - k) * load_first(b + k, count - k), count - k);
}

/// to = Σ of `count` rows of a block of partial sums, in order, added to what stands there
inline void add_partial_sums(const Real* partial, Index step, Index count, Real* to, Index width) {
  for (Index b = 0; b < count; ++b) add_scaled(1, partial + b * step, to, width);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
