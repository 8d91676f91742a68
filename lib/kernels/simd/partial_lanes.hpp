/// Sixteen lanes of which only the first few are in memory, and lanes picked by bits.
///
/// AVX-512 and AVX2 have instructions that read the first lanes alone, AVX-512 also some that write them;
/// elsewhere these are loops.
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
GAT_INLINE Vector load_lanes(const Real* from, Index count, Vector rest) {
  if (count >= kVector) return load_vector(from);
  const VectorBits mask = first_bits(count);
  const Vector v = load_masked(from, reinterpret_cast<__m256i>(mask));
  return mask ? v : rest;
}
// A masked store costs Zen processors some twenty micro-operations, so pieces of 4, 2 and 1 are stored.
GAT_INLINE void store_lanes(Real* to, Vector v, Index count) {
  if (count >= kVector) return store_vector(to, v);
  const auto* lane = reinterpret_cast<const Real*>(&v);
  for (Index piece = kVector / 2; piece > 0; piece /= 2) {
    if (count < piece) continue;
    std::memcpy(to, lane, static_cast<std::size_t>(piece) * sizeof(Real));
    to += piece, lane += piece, count -= piece;
  }
}
#else
GAT_INLINE Vector load_lanes(const Real* from, Index count, Vector rest) {
  if (count >= kVector) return load_vector(from);
  for (int l = 0; l < kVector; ++l) {
    if (l < count) rest[l] = from[l];
  }
  return rest;
}
GAT_INLINE void store_lanes(Real* to, Vector v, Index count) {
  if (count >= kVector) return store_vector(to, v);
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
/// The numbers whose bits are set, likewise, of sixteen of which the first `count` are in memory.
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
#elif defined(__x86_64__) && GAT_SIMD_BYTES == 32
#define GAT_COMPRESS
// For each set of lanes the numbers of its lanes in order.
struct LaneOrders {
  std::uint8_t of[256][8] = {};
  constexpr LaneOrders() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      unsigned n = 0;
      for (std::uint8_t l = 0; l < 8; ++l) {
        if ((bits >> l & 1U) != 0) of[bits][n++] = l;
      }
    }
  }
};
inline constexpr LaneOrders kLaneOrders;

GAT_INLINE __m256i lane_order(std::uint32_t bits) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLaneOrders.of[bits])));
}
GAT_INLINE __m256 packed(std::uint32_t bits, __m256 v) {
  return _mm256_permutevar8x32_ps(v, lane_order(bits));
}
GAT_INLINE __m256d packed(std::uint32_t bits, __m256d v) {
  // Each lane is a pair of those of the table.
  const std::uint32_t pairs = (bits & 1) * 3 | (bits & 2) * 6 | (bits & 4) * 12 | (bits & 8) * 24;
  return _mm256_castps_pd(packed(pairs, _mm256_castpd_ps(v)));
}
/// The numbers whose bits are set, likewise, of sixteen of which the first `count` are in memory.
GAT_INLINE void compress(const NodeId* from, Index count, std::uint32_t bits, NodeId* to) {
  for (Index first = 0; first < 16; first += 8) {
    const __m256i known = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count - first)),
                                             _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const std::uint32_t own = bits >> first & 0xff;
    const __m256i numbers = _mm256_maskload_epi32(from + first, known);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(numbers, lane_order(own)));
    to += __builtin_popcount(own);
  }
}
/// A bit for each of sixteen numbers that is at least `least` ≤ 65535.
GAT_INLINE std::uint32_t at_least(const std::uint16_t* numbers, std::uint32_t least) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
  const __m256i yes =
      _mm256_cmpeq_epi16(v, _mm256_max_epu16(v, _mm256_set1_epi16(static_cast<short>(least))));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128(yes), _mm256_extracti128_si256(yes, 1))));
}
#endif

#ifdef GAT_COMPRESS
/// The lanes whose bits are set, side by side; what follows them up to sixteen is overwritten.
GAT_INLINE void compress(const Lanes& v, std::uint32_t bits, Real* to) {
  for (int p = 0; p < kParts; ++p) {
    const std::uint32_t own = bits >> (p * kVector) & ((1U << kVector) - 1);
    store_vector(to, packed(own, v.part[p]));
    to += __builtin_popcount(own);
  }
}
#endif

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
