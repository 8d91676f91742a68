/// Dropout decisions for many elements at once: the same bits as `DropoutMask`, hashed in registers.
#pragma once

#include <algorithm>
#include <bit>

#include "gat/core/random.hpp"
#include "kernels/simd/lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

static_assert(std::endian::native == std::endian::little,
              "four 16-bit decisions lie in a word, lowest first");

using Words = std::uint64_t __attribute__((vector_size(GAT_SIMD_BYTES)));
using UnalignedWords __attribute__((vector_size(GAT_SIMD_BYTES), aligned(8), may_alias)) = std::uint64_t;
static_assert(alignof(UnalignedWords) == 8);
inline constexpr Index kWords = GAT_SIMD_BYTES / 8;

inline constexpr std::uint64_t kWordStep = 0x9e3779b97f4a7c15ULL;

/// The random words of a stream (RandomStream::bits) from key + (index + 1) · kWordStep.
GAT_INLINE Words finish_words(Words x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
GAT_INLINE Words load_words(const std::uint64_t* from) {
  return *reinterpret_cast<const UnalignedWords*>(from);
}
GAT_INLINE void store_words(std::uint64_t* to, Words x) { *reinterpret_cast<UnalignedWords*>(to) = x; }

/// Replaces key + (index + 1) · kWordStep by the words. `count` is rounded up to whole registers: the array
/// must have room for kLanes more.
GAT_INLINE void finish_words(std::uint64_t* words, Index count) {
  for (Index k = 0; k < count; k += kWords) store_words(words + k, finish_words(load_words(words + k)));
}
/// Replaces indices by the words, likewise.
GAT_INLINE void hash_words(std::uint64_t key, std::uint64_t* words, Index count) {
  for (Index k = 0; k < count; k += kWords)
    store_words(words + k, finish_words(key + (load_words(words + k) + 1) * kWordStep));
}
/// Writes the words of indices first … first + count − 1, likewise.
GAT_INLINE void hash_run(std::uint64_t key, std::uint64_t first, std::uint64_t* words, Index count) {
  Words x;
  for (Index w = 0; w < kWords; ++w) x[w] = key + (first + static_cast<std::uint64_t>(w) + 1) * kWordStep;
  for (Index k = 0; k < count; k += kWords) {
    store_words(words + k, finish_words(x));
    x += static_cast<std::uint64_t>(kWords) * kWordStep;
  }
}

/// The factors of sixteen decisions of 16 bits: `scale` where bits ≥ threshold, else 0.
GAT_INLINE Lanes factors(const std::uint16_t* bits, std::uint32_t threshold, Real scale) {
  using Bits16 __attribute__((vector_size(2 * kVector), aligned(2), may_alias)) = std::uint16_t;
  Lanes r;
  for (int p = 0; p < kParts; ++p) {
    const auto wide =
        __builtin_convertvector(*reinterpret_cast<const Bits16*>(bits + p * kVector), VectorBits);
    r.part[p] = wide >= static_cast<RealBits>(threshold) ? broadcast(scale) : Vector{};
  }
  return r;
}

/// Writes the factors of elements first … first + count − 1, rounded up to whole vectors: `out` has
/// room for kLanes more.
inline void element_factors(const DropoutMask& mask, std::uint64_t first, Index count, Real* out) {
  constexpr Index kRun = 64;  // words hashed at once
  std::uint64_t words[kRun + kLanes];
  std::uint64_t word = first >> 2;
  Index skip = static_cast<Index>(first & 3);  // decisions of the first word that belong to others
  for (Index done = 0; done < count;) {
    const Index take = std::min(count - done, 4 * kRun - skip);
    const Index used = (skip + take + 3) / 4;
    hash_run(mask.stream().key(), word, words, used);
    const auto* bits = reinterpret_cast<const std::uint16_t*>(words) + skip;
    for (Index k = 0; k < take; k += kLanes)
      store(out + done + k, factors(bits + k, mask.threshold(), mask.scale()));
    done += take;
    word += kRun;
    skip = 0;
  }
}

/// The 16 random bits of each of `count` elements. `count` is rounded up to whole registers: both arrays
/// must have room for kLanes more.
GAT_INLINE void element_bits(std::uint64_t key, const std::uint64_t* elements, Index count,
                             std::uint16_t* bits) {
  using Narrow __attribute__((vector_size(2 * kWords), aligned(2), may_alias)) = std::uint16_t;
  for (Index k = 0; k < count; k += kWords) {
    const Words element = load_words(elements + k);
    const Words word = finish_words(key + ((element >> 2) + 1) * kWordStep);
    *reinterpret_cast<Narrow*>(bits + k) =
        __builtin_convertvector((word >> ((element & 3) << 4)) & 0xffff, Narrow);
  }
}

/// Items whose decisions are drawn at once, and the words that 16 decisions of one item may touch.
inline constexpr Index kDecisionRun = 128;
inline constexpr Index kMostWords = 6;

/// Factors of `heads` ≤ L neighbouring elements of each of `count` items; lanes beyond `heads` are zero.
/// `words` holds the first element of item k at k · width and is scratch memory with room for kLanes more;
/// `out` holds L numbers per item and room for kLanes more. \param width  decision_words() of the heads
template <int L>
GAT_INLINE void item_factors(const DropoutMask& mask, std::uint64_t* words, Index count, Index heads,
                             Index width, bool aligned, Real* out) {
  if (L == 1) {
    std::uint16_t bits[kDecisionRun + kLanes];
    for (Index first = 0; first < count; first += kDecisionRun) {
      const Index run = std::min(count - first, kDecisionRun);
      element_bits(mask.stream().key(), words + first, run, bits);
      for (Index k = 0; k < run; k += kLanes)
        store(out + first + k, factors(bits + k, mask.threshold(), mask.scale()));
    }
    return;
  }
  std::uint8_t skip[kDecisionRun * kLanes];
  for (Index k = 0; k < count; ++k) {
    const std::uint64_t first = words[k * width];
    if (!aligned) skip[k] = static_cast<std::uint8_t>(first & 3);
    for (Index w = 0; w < width; ++w) words[k * width + w] = (first >> 2) + static_cast<std::uint64_t>(w);
  }
  hash_words(mask.stream().key(), words, count * width);
  const auto* bits = reinterpret_cast<const std::uint16_t*>(words);
  if (aligned && width * 4 == L) {
    for (Index k = 0; k < count * L; k += kLanes)
      store(out + k, factors(bits + k, mask.threshold(), mask.scale()));
    return;
  }
  for (Index k = 0; k < count; ++k) {
    const std::uint16_t* own = bits + k * width * 4 + (aligned ? 0 : skip[k]);
    for (Index h = 0; h < L; ++h)
      out[k * L + h] = h < heads && own[h] >= mask.threshold() ? mask.scale() : Real(0);
  }
}
/// Words that `heads` neighbouring decisions of one item touch.
inline Index decision_words(Index heads, bool aligned) {
  return aligned || heads == 1 ? (heads + 3) / 4 : (heads + 6) / 4;
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
