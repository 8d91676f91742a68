/// Sixteen lanes of which only the first few are in memory, and lanes picked by bits.
///
/// AVX-512 and AVX2 have instructions that leave the other lanes' memory alone; elsewhere these are loops.
#pragma once

#if defined(__x86_64__) && GAT_SIMD_LEVEL > 0
#include <immintrin.h>
#endif

#include "kernels/simd/lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

// One register; `count` may lie below 0 or beyond the register.
#if defined(__x86_64__) && GAT_SIMD_BYTES == 64
GAT_INLINE std::uint32_t first_bits(Index count) {
  return (1U << (count < 0 ? 0 : count < kVector ? count : kVector)) - 1;
}
GAT_INLINE __m512 load_masked(const float* from, std::uint32_t mask, __m512 rest) {
  return _mm512_mask_loadu_ps(rest, static_cast<__mmask16>(mask), from);
}
GAT_INLINE __m512d load_masked(const double* from, std::uint32_t mask, __m512d rest) {
  return _mm512_mask_loadu_pd(rest, static_cast<__mmask8>(mask), from);
}
GAT_INLINE void store_masked(float* to, std::uint32_t mask, __m512 v) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), v);
}
GAT_INLINE void store_masked(double* to, std::uint32_t mask, __m512d v) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), v);
}
GAT_INLINE Vector load_lanes(const Real* from, Index count, Vector rest) {
  return load_masked(from, first_bits(count), rest);
}
GAT_INLINE void store_lanes(Real* to, Vector v, Index count) { store_masked(to, first_bits(count), v); }
#elif defined(__x86_64__) && GAT_SIMD_BYTES == 32
GAT_INLINE VectorBits first_bits(Index count) {
  VectorBits number;
  for (int l = 0; l < kVector; ++l) number[l] = l;
  return number < static_cast<RealBits>(count);
}
GAT_INLINE __m256 load_masked(const float* from, __m256i mask) { return _mm256_maskload_ps(from, mask); }
GAT_INLINE __m256d load_masked(const double* from, __m256i mask) { return _mm256_maskload_pd(from, mask); }
GAT_INLINE void store_masked(float* to, __m256i mask, __m256 v) { _mm256_maskstore_ps(to, mask, v); }
GAT_INLINE void store_masked(double* to, __m256i mask, __m256d v) { _mm256_maskstore_pd(to, mask, v); }
GAT_INLINE Vector load_lanes(const Real* from, Index count, Vector rest) {
  const VectorBits mask = first_bits(count);
  const Vector v = load_masked(from, reinterpret_cast<__m256i>(mask));
  return mask ? v : rest;
}
GAT_INLINE void store_lanes(Real* to, Vector v, Index count) {
  store_masked(to, reinterpret_cast<__m256i>(first_bits(count)), v);
}
#else
GAT_INLINE Vector load_lanes(const Real* from, Index count, Vector rest) {
  for (int l = 0; l < kVector; ++l) {
    if (l < count) rest[l] = from[l];
  }
  return rest;
}
GAT_INLINE void store_lanes(Real* to, Vector v, Index count) {
  for (int l = 0; l < kVector; ++l) {
    if (l < count) to[l] = v[l];
  }
}
#endif

/// The first `count` lanes from memory, the others `rest`; nothing beyond them is read.
GAT_INLINE Lanes load_first(const Real* from, Index count, Real rest = 0) {
  Lanes r;
  for (int p = 0; p < kParts; ++p)
    r.part[p] = load_lanes(from + p * kVector, count - p * kVector, broadcast(rest));
  return r;
}
/// The first `count` lanes to memory; nothing beyond them is written.
GAT_INLINE void store_first(Real* to, const Lanes& v, Index count) {
  for (int p = 0; p < kParts; ++p) store_lanes(to + p * kVector, v.part[p], count - p * kVector);
}

#if defined(__x86_64__) && GAT_SIMD_BYTES == 64
#define GAT_COMPRESS
GAT_INLINE __m512 packed(std::uint32_t bits, __m512 v) {
  return _mm512_maskz_compress_ps(static_cast<__mmask16>(bits), v);
}
GAT_INLINE __m512d packed(std::uint32_t bits, __m512d v) {
  return _mm512_maskz_compress_pd(static_cast<__mmask8>(bits), v);
}
/// The lanes whose bits are set, side by side; what follows them up to sixteen is overwritten.
GAT_INLINE void compress(const Lanes& v, std::uint32_t bits, Real* to) {
  for (int p = 0; p < kParts; ++p) {
    const std::uint32_t own = bits >> (p * kVector) & ((1U << kVector) - 1);
    store_vector(to, packed(own, v.part[p]));
    to += __builtin_popcount(own);
  }
}
/// The same of sixteen numbers, of which the first `count` are in memory.
GAT_INLINE void compress(const NodeId* from, Index count, std::uint32_t bits, NodeId* to) {
  const std::uint32_t known = count < 16 ? (1U << count) - 1 : 0xffff;
  const __m512i numbers = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(known), from);
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), numbers));
}
/// A bit for each of sixteen numbers that is at least `least` ≤ 65535.
GAT_INLINE std::uint32_t at_least(const std::uint16_t* numbers, std::uint32_t least) {
  return _mm256_cmpge_epu16_mask(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers)),
                                 _mm256_set1_epi16(static_cast<short>(least)));
}
#endif

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
