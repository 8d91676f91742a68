/// What every kernel is tested at: the instruction levels of this machine, and the numbers of threads
/// that must agree.
#pragma once

#include "catch.hpp"
#include "gat/core/execution.hpp"

namespace gat::test {

inline constexpr int kThreads[] = {1, 2, 3, 8};

/// Calls visit(level) for every level that this build holds and this machine can run.
template <class Visit>
void at_every_level(const Visit& visit) {
  for (const SimdLevel level : supported_simd_levels()) {
    INFO("instruction level " << name_of(level));
    visit(level);
  }
}

/// Shapes of heads: every number of lanes, several groups, padding in heads and in features.
inline constexpr int kHeadCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 20, 33};
inline constexpr Index kHeadDims[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64};

/// Calls visit(heads, head_dim) for all of them.
template <class Visit>
void for_head_shapes(const Visit& visit) {
  for (const int heads : kHeadCounts) {
    for (const Index dim : kHeadDims) {
      INFO(heads << " heads of " << dim);
      visit(heads, dim);
    }
  }
}

}  // namespace gat::test
