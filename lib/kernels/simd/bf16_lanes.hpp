/// Sixteen numbers stored as bf16: to floats by a shift, from floats by rounding in whole numbers
/// (`to_bf16`), so that every level gives the same bits.
#pragma once

#include "gat/core/bf16.hpp"
#include "kernels/simd/lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

using Floats = float __attribute__((vector_size(4 * kVector)));
using FloatBits = std::uint32_t __attribute__((vector_size(4 * kVector)));
using UnalignedBf16 __attribute__((vector_size(2 * kVector), aligned(2), may_alias)) = std::uint16_t;
static_assert(alignof(UnalignedBf16) == 2);

GAT_INLINE Lanes load(const Bf16* from) {
  Lanes r;
  for (int p = 0; p < kParts; ++p) {
    const auto stored = *reinterpret_cast<const UnalignedBf16*>(from + p * kVector);
    const FloatBits bits = __builtin_convertvector(stored, FloatBits) << 16;
    r.part[p] = __builtin_convertvector(reinterpret_cast<Floats>(bits), Vector);
  }
  return r;
}
GAT_INLINE void store(Bf16* to, const Lanes& v) {
  for (int p = 0; p < kParts; ++p) {
    const Floats value = __builtin_convertvector(v.part[p], Floats);
    const auto bits = reinterpret_cast<FloatBits>(value);
    const FloatBits rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const FloatBits stored = value == value ? rounded : bits >> 16 | 0x40;
    *reinterpret_cast<UnalignedBf16*>(to + p * kVector) = __builtin_convertvector(stored, UnalignedBf16);
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
