/// Sixteen numbers that are worked on together: one register of 512 bits, or several narrower ones.
///
/// Written with the vector extensions of GCC and Clang. The shape of every sum is fixed by the sixteen
/// lanes, not by the width of a register. Loads and stores need no alignment.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "gat/kernels/head_layout.hpp"
#include "kernels/simd/level.hpp"

#define GAT_INLINE inline __attribute__((always_inline))
/// Behind the parameters of a lambda that a loop calls for every edge: sums that it refers to would lie in
/// memory if it were called.
#define GAT_INLINE_BODY __attribute__((always_inline))
/// For loops that are worth a call: compiled once for all who use them.
#define GAT_NOINLINE inline __attribute__((noinline))

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Numbers in one register, and registers in sixteen lanes.
inline constexpr int kVector = GAT_SIMD_BYTES / static_cast<int>(sizeof(Real));
inline constexpr int kParts = static_cast<int>(kLanes) / kVector;
/// Registers of the instruction set; half of them hold sums in the loops over edges.
inline constexpr int kRegisters = GAT_SIMD_BYTES == 64 ? 32 : 16;
inline constexpr int kSumLanes = kRegisters / 2 / kParts;

using RealBits = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
using Vector = Real __attribute__((vector_size(GAT_SIMD_BYTES)));
using VectorBits = RealBits __attribute__((vector_size(GAT_SIMD_BYTES)));
// The attributes follow the name: behind the type Clang passes over the alignment.
using UnalignedVector __attribute__((vector_size(GAT_SIMD_BYTES), aligned(alignof(Real)), may_alias)) = Real;
static_assert(alignof(UnalignedVector) == alignof(Real));

struct Lanes {
  Vector part[kParts];
};
/// All bits set or none, per lane.
struct LaneMask {
  VectorBits part[kParts];
};

GAT_INLINE Vector load_vector(const Real* from) { return *reinterpret_cast<const UnalignedVector*>(from); }
GAT_INLINE void store_vector(Real* to, Vector v) { *reinterpret_cast<UnalignedVector*>(to) = v; }

/// One number in every lane. (x − 0 is x for every x, which the compiler knows; 0 + x is not x for −0, and
/// costs an addition.)
GAT_INLINE Vector broadcast(Real value) { return value - Vector{}; }

GAT_INLINE Lanes all_lanes(Real value) {
  Lanes r;
  for (int p = 0; p < kParts; ++p) r.part[p] = broadcast(value);
  return r;
}
GAT_INLINE Lanes load(const Real* from) {
  Lanes r;
  for (int p = 0; p < kParts; ++p) r.part[p] = load_vector(from + p * kVector);
  return r;
}
GAT_INLINE void store(Real* to, const Lanes& v) {
  for (int p = 0; p < kParts; ++p) store_vector(to + p * kVector, v.part[p]);
}

/// 0, 1, … 15
GAT_INLINE Lanes lane_numbers() {
  static constexpr Real kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return load(kNumbers);
}

#define GAT_LANE_OPERATOR(op)                                            \
  GAT_INLINE Lanes operator op(const Lanes& a, const Lanes& b) {         \
    Lanes r;                                                             \
    for (int p = 0; p < kParts; ++p) r.part[p] = a.part[p] op b.part[p]; \
    return r;                                                            \
  }
GAT_LANE_OPERATOR(+)
GAT_LANE_OPERATOR(-)
GAT_LANE_OPERATOR(*)
GAT_LANE_OPERATOR(/)
#undef GAT_LANE_OPERATOR

/// a · b + c, fused where the instruction set can.
GAT_INLINE Lanes multiply_add(const Lanes& a, const Lanes& b, const Lanes& c) {
  Lanes r;
  for (int p = 0; p < kParts; ++p) r.part[p] = a.part[p] * b.part[p] + c.part[p];
  return r;
}
/// The value as it would be stored: nothing that uses it is fused with what made it.
GAT_INLINE Lanes rounded(Lanes v) {
#if defined(__x86_64__)
  for (int p = 0; p < kParts; ++p) __asm__("" : "+v"(v.part[p]));
#elif defined(__aarch64__)
  for (int p = 0; p < kParts; ++p) __asm__("" : "+w"(v.part[p]));
#endif
  return v;
}
GAT_INLINE LaneMask greater(const Lanes& a, const Lanes& b) {
  LaneMask r;
  for (int p = 0; p < kParts; ++p) r.part[p] = a.part[p] > b.part[p];
  return r;
}
GAT_INLINE LaneMask equal(const Lanes& a, const Lanes& b) {
  LaneMask r;
  for (int p = 0; p < kParts; ++p) r.part[p] = a.part[p] == b.part[p];
  return r;
}
GAT_INLINE Lanes select(const LaneMask& mask, const Lanes& yes, const Lanes& no) {
  Lanes r;
  for (int p = 0; p < kParts; ++p) r.part[p] = mask.part[p] ? yes.part[p] : no.part[p];
  return r;
}
GAT_INLINE Lanes max(const Lanes& a, const Lanes& b) {
  Lanes r;
  for (int p = 0; p < kParts; ++p) r.part[p] = a.part[p] > b.part[p] ? a.part[p] : b.part[p];
  return r;
}
GAT_INLINE Lanes min(const Lanes& a, const Lanes& b) {
  Lanes r;
  for (int p = 0; p < kParts; ++p) r.part[p] = a.part[p] < b.part[p] ? a.part[p] : b.part[p];
  return r;
}

// ---- Tiles: L numbers repeated over the sixteen lanes --------------------------------------------

// L numbers as one unaligned vector. GCC 12 takes no size that depends on a template argument.
template <int L>
struct Numbers;
#define GAT_NUMBERS(L)                                                                                   \
  template <>                                                                                            \
  struct Numbers<L> {                                                                                    \
    using Type __attribute__((vector_size(L * sizeof(Real)), aligned(alignof(Real)), may_alias)) = Real; \
  };
GAT_NUMBERS(2)
GAT_NUMBERS(4)
GAT_NUMBERS(8)
GAT_NUMBERS(16)
#undef GAT_NUMBERS
static_assert(alignof(Numbers<16>::Type) == alignof(Real));

template <class Small, int... I>
GAT_INLINE auto twice(Small v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, (I % static_cast<int>(sizeof...(I) / 2))...);
}

// L numbers repeated in one register, by doubling: every step is one instruction.
template <int L, class Small>
GAT_INLINE Vector repeat(Small v) {
  if constexpr (L == kVector) return v;
  else return repeat<2 * L>(twice(v, std::make_integer_sequence<int, 2 * L>()));
}

/// L numbers from memory, repeated.
template <int L>
GAT_INLINE Lanes tile(const Real* from) {
  if constexpr (L == 1) {
    return all_lanes(*from);
  } else {
    Lanes r;
    if constexpr (L >= kVector) {
      for (int p = 0; p < kParts; ++p) r.part[p] = load_vector(from + p * kVector % L);
    } else {
      if constexpr (L == 2 && sizeof(Real) == 4) {
        std::int64_t both;
        std::memcpy(&both, from, sizeof both);
        using Pairs = std::int64_t __attribute__((vector_size(GAT_SIMD_BYTES)));
        r.part[0] = reinterpret_cast<Vector>(Pairs{} + both);
      } else {
        r.part[0] = repeat<L>(*reinterpret_cast<const typename Numbers<L>::Type*>(from));
      }
      for (int p = 1; p < kParts; ++p) r.part[p] = r.part[0];
    }
    return r;
  }
}
/// Copies L numbers.
template <int L>
GAT_INLINE void copy_numbers(Real* to, const Real* from) {
  if constexpr (L == 1) {
    *to = *from;
  } else {
    using Small = typename Numbers<L>::Type;
    *reinterpret_cast<Small*>(to) = *reinterpret_cast<const Small*>(from);
  }
}
/// Eight numbers from each of two places. (A template, so that the form for other registers is not compiled.)
template <int V = kVector>
GAT_INLINE Lanes join_eights(const Real* low, const Real* high) {
  Lanes r;
  if constexpr (V == 16) {
    using Eight = typename Numbers<V / 2>::Type;
    r.part[0] =
        __builtin_shufflevector(*reinterpret_cast<const Eight*>(low), *reinterpret_cast<const Eight*>(high),
                                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  } else {
    for (int p = 0; p < kParts; ++p) {
      const Real* from = p < kParts / 2 ? low : high;
      r.part[p] = load_vector(from + p % (kParts / 2) * kVector);
    }
  }
  return r;
}
template <class Small, int... I>
GAT_INLINE Small low_lanes(Vector v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, I...);
}
/// The first L lanes to memory.
template <int L>
GAT_INLINE void store_tile(Real* to, const Lanes& v) {
  if constexpr (L == 1) {
    *to = v.part[0][0];
  } else if constexpr (L < kVector) {
    using Small = typename Numbers<L>::Type;
    *reinterpret_cast<Small*>(to) = low_lanes<Small>(v.part[0], std::make_integer_sequence<int, L>());
  } else {
    for (int p = 0; p < L / kVector; ++p) store_vector(to + p * kVector, v.part[p]);
  }
}

// ---- Transposition: heads innermost to heads outermost, and back --------------------------------

template <int... I>
GAT_INLINE Vector zip_low(Vector a, Vector b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (I / 2 + I % 2 * kVector)...);
}
template <int... I>
GAT_INLINE Vector zip_high(Vector a, Vector b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (kVector / 2 + I / 2 + I % 2 * kVector)...);
}
template <int Second, int... I>
GAT_INLINE Vector every_second(Vector a, Vector b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (2 * I + Second)...);
}

/// Splits a stream of N vectors (N even) into its even numbers, then its odd ones.
template <int N>
GAT_INLINE void unzip(Lanes (&stream)[N]) {
  constexpr auto lanes = std::make_integer_sequence<int, kVector>();
  Vector all[N * kParts];
  for (int k = 0; k < N * kParts; ++k) all[k] = stream[k / kParts].part[k % kParts];
#pragma GCC unroll 64
  for (int k = 0; k < N * kParts / 2; ++k) {
    stream[k / kParts].part[k % kParts] = every_second<0>(all[2 * k], all[2 * k + 1], lanes);
    const int odd = N * kParts / 2 + k;
    stream[odd / kParts].part[odd % kParts] = every_second<1>(all[2 * k], all[2 * k + 1], lanes);
  }
}
/// Merges the two halves of a stream of N vectors number by number.
template <int N>
GAT_INLINE void zip(Lanes (&stream)[N]) {
  constexpr auto lanes = std::make_integer_sequence<int, kVector>();
  Vector all[N * kParts];
  for (int k = 0; k < N * kParts; ++k) all[k] = stream[k / kParts].part[k % kParts];
#pragma GCC unroll 64
  for (int k = 0; k < N * kParts / 2; ++k) {
    const Vector even = all[k], odd = all[N * kParts / 2 + k];
    stream[2 * k / kParts].part[2 * k % kParts] = zip_low(even, odd, lanes);
    stream[(2 * k + 1) / kParts].part[(2 * k + 1) % kParts] = zip_high(even, odd, lanes);
  }
}

// ---- Folds: lanes of different edges or features that belong to one head become one --------------

struct AddLanes {
  static GAT_INLINE Vector join(Vector a, Vector b) { return a + b; }
};
struct MaxLanes {
  static GAT_INLINE Vector join(Vector a, Vector b) { return a > b ? a : b; }
};

// Where output lane i of a fold finds its first operand among the 2·kVector lanes of two registers.
template <int S, int Second, int... I>
GAT_INLINE Vector halves(Vector a, Vector b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (I / S * 2 * S + I % S + Second * S)...);
}

/// Folds blocks of 2S lanes of `a`, then of `b`, to blocks of S lanes, which follow each other.
template <class Join, int S>
GAT_INLINE Lanes fold_pair(const Lanes& a, const Lanes& b) {
  Vector all[2 * kParts];
  for (int p = 0; p < kParts; ++p) {
    all[p] = a.part[p];
    all[kParts + p] = b.part[p];
  }
  Lanes r;
  constexpr auto lanes = std::make_integer_sequence<int, kVector>();
  for (int p = 0; p < kParts; ++p) {
    if constexpr (S >= kVector) {
      constexpr int parts = S / kVector;  // registers in a block of S lanes
      const int first = p / parts * 2 * parts + p % parts;
      r.part[p] = Join::join(all[first], all[first + parts]);
    } else {
      r.part[p] = Join::join(halves<S, 0>(all[2 * p], all[2 * p + 1], lanes),
                             halves<S, 1>(all[2 * p], all[2 * p + 1], lanes));
    }
  }
  return r;
}

/// Folds sixteen lanes to L and repeats them.
template <class Join, int L>
GAT_INLINE Lanes fold_to_tile(Lanes v) {
  if constexpr (L <= 8) v = fold_pair<Join, 8>(v, v);
  if constexpr (L <= 4) v = fold_pair<Join, 4>(v, v);
  if constexpr (L <= 2) v = fold_pair<Join, 2>(v, v);
  if constexpr (L <= 1) v = fold_pair<Join, 1>(v, v);
  return v;
}

/// Folds each of 16/L vectors in memory to L lanes; those of vector k end in lanes k·L … k·L + L − 1.
template <int L>
GAT_INLINE Lanes fold_vectors(const Real* vectors) {
  constexpr int count = static_cast<int>(kLanes) / L;
  Lanes v[count];
  for (int k = 0; k < count; ++k) v[k] = load(vectors + k * kLanes);
  if constexpr (count >= 2) {
    for (int k = 0; k < count / 2; ++k) v[k] = fold_pair<AddLanes, 8>(v[2 * k], v[2 * k + 1]);
  }
  if constexpr (count >= 4) {
    for (int k = 0; k < count / 4; ++k) v[k] = fold_pair<AddLanes, 4>(v[2 * k], v[2 * k + 1]);
  }
  if constexpr (count >= 8) {
    for (int k = 0; k < count / 8; ++k) v[k] = fold_pair<AddLanes, 2>(v[2 * k], v[2 * k + 1]);
  }
  if constexpr (count >= 16) v[0] = fold_pair<AddLanes, 1>(v[0], v[1]);
  return v[0];
}

/// Calls visit(std::integral_constant<int, L>) for the lanes of a layout.
template <class Visit>
void with_lanes(const HeadLayout& layout, const Visit& visit) {
  switch (layout.lanes) {
    case 1:
      return visit(std::integral_constant<int, 1>());
    case 2:
      return visit(std::integral_constant<int, 2>());
    case 4:
      return visit(std::integral_constant<int, 4>());
    case 8:
      return visit(std::integral_constant<int, 8>());
    default:
      return visit(std::integral_constant<int, 16>());
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
