/// The loops that everything sparse ends in: sums of gathered rows, and their products with one row.
///
/// The sums stay in registers for a whole row, those of wider rows in the first-level cache, so out-of-order
/// execution hides most of the latency; rows ahead are fetched across the ends of rows, where the matrix
/// is larger than the nearest caches. Weights are one number per head and gathered row, repeated over lanes.
#pragma once

#include "kernels/simd/bf16_lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Rows to gather: `count` ids, of which at least `known` ≥ count may be read ahead.
struct GatherList {
  const NodeId* ids;
  Index count;
  Index known;
};

/// How far ahead rows are fetched, and how near.
struct Ahead {
  Index rows = 0;          ///< 0 = none are fetched
  bool to_second = false;  ///< into the second-level cache instead of the first
};

/// The matrix that is gathered from, from its first column of interest on.
template <class Number>
struct GatheredRows {
  const Number* data;
  Index stride;
  Ahead ahead;
};
using GatherSource = GatheredRows<Real>;

/// Whether gathers from a matrix of this size meet a cache: that of the second or third level.
inline bool lies_in_cache(Index rows, Index width) {
  constexpr Index kCacheBytes = 1 << 20;
  return rows * width * static_cast<Index>(sizeof(Real)) <= kCacheBytes;
}
/// Whether gathers from memory fetch into the second-level cache. Intel's cores have three times as many
/// requests under way to there as to the first-level one; no other processor was found to gain.
inline bool fetches_to_second_cache() {
#if defined(__x86_64__)
  static const bool is_intel = __builtin_cpu_is("intel");
  return is_intel;
#else
  return false;
#endif
}
/// None are fetched from the nearest caches, a few from the others; from memory about as many lines as a core
/// has requests under way. Farther ahead, in the first-level cache, two gathers at once push each other out.
/// \param wide_too  whether rows of more than 256 bytes may go to the second-level cache as well. That pays
///                  where they lie in memory and little is computed on each
inline Ahead ahead_of(Index rows, Index width, bool wide_too = false) {
  constexpr Index kNearBytes = 128 << 10, kFarBytes = 32 << 20, kNarrowBytes = 256;
  constexpr Index kInCache = 8, kLeast = 6, kMost = 48, kMostInSecond = 64;
  const Index row_bytes = width * static_cast<Index>(sizeof(Real));
  if (rows * row_bytes <= kNearBytes) return {};
  if (lies_in_cache(rows, width)) return {kInCache};
  if (rows * row_bytes > kFarBytes && (row_bytes <= kNarrowBytes || wide_too) && fetches_to_second_cache())
    return {std::clamp((32 << 10) / row_bytes, kLeast, kMostInSecond), true};
  return {std::clamp((6 << 10) / row_bytes, kLeast, kMost)};
}

/// Whether there are passes over rows of bf16: where they are narrower than Reals by half.
inline constexpr bool kHasBf16Rows = sizeof(Real) == 2 * sizeof(Bf16);
/// Rows of bf16 from a column on; no data where there are none.
inline GatheredRows<Bf16> gathered_bf16(const Bf16Rows& rows, Index first_column) {
  if (rows.empty()) return {nullptr, 0, {}};
  const Index width = Bf16Rows::memory_cols(rows.cols);
  return {rows.data + first_column, rows.stride, ahead_of(rows.rows, width)};
}

/// N numbers of a row.
template <int N, bool kToSecond, class Number>
GAT_INLINE void fetch_row(const Number* row) {
  constexpr Index kLine = 64 / sizeof(Number);
#pragma GCC unroll 32
  for (Index c = 0; c < N; c += kLine) __builtin_prefetch(row + c, 0, kToSecond ? 2 : 3);
}
template <int N, class Number>
GAT_INLINE void fetch_row(const Number* row, bool to_second) {
  if (to_second) fetch_row<N, true>(row);
  else fetch_row<N, false>(row);
}

/// Calls body(k, row) for every gathered row, R vectors wide, and fetches rows ahead. A loop for each kind of
/// fetch: a decision within would cost the sums of the body their registers.
template <int R, class Number, class Body>
GAT_INLINE void for_gathered(const GatherList& list, const GatheredRows<Number>& source, const Body& body) {
  const Index ahead = source.ahead.rows;
  Index k = 0;
  const auto fetch_and_call = [&](auto to_second) GAT_INLINE_BODY {
    const Index last = std::min(list.count, list.known - ahead);
    for (; k < last; ++k) {
      fetch_row<R * kLanes, to_second>(source.data + list.ids[k + ahead] * source.stride);
      body(k, source.data + list.ids[k] * source.stride);
    }
  };
  if (ahead > 0) {
    if (source.ahead.to_second) fetch_and_call(std::true_type());
    else fetch_and_call(std::false_type());
  }
  for (; k < list.count; ++k) body(k, source.data + list.ids[k] * source.stride);
}
/// Fetches what edges k … k + count − 1 plus the distance read: N numbers per row.
template <int N>
GAT_INLINE void fetch_numbers(const GatherList& list, const GatherSource& source, Index k, Index count) {
  if (source.ahead.rows == 0 || k + count + source.ahead.rows > list.known) return;
  for (Index e = k; e < k + count; ++e)
    fetch_row<N>(source.data + list.ids[e + source.ahead.rows] * source.stride, source.ahead.to_second);
}
/// Fetches what the edges `distance` behind those of a list read, into the second-level cache: N numbers per
/// row.
template <int N>
GAT_INLINE void fetch_later(const GatherList& list, const GatherSource& source, Index distance) {
  constexpr Index kLine = 64 / sizeof(Real);
  const Index last = std::min(list.count, list.known - distance);
  for (Index k = 0; k < last; ++k) {
    const Real* row = source.data + list.ids[k + distance] * source.stride;
    fetch_row<N, true>(row);
    if (N % kLine != 0 && N > 1) fetch_row<1, true>(row + N - 1);
  }
}
/// Calls body(k, numbers) for N numbers of every gathered row, and fetches rows ahead.
template <int N, class Body>
GAT_INLINE void for_gathered_numbers(const GatherList& list, const GatherSource& source, const Body& body) {
  for (Index k = 0; k < list.count; ++k) {
    fetch_numbers<N>(list, source, k, 1);
    body(k, source.data + list.ids[k] * source.stride);
  }
}

/// Splits `lanes` vectors into blocks whose sums fit the registers and calls
/// body(std::integral_constant<int, R>, first vector) for each. Few sizes, since every loop is compiled for
/// each of them.
template <class Body>
GAT_INLINE void for_lane_blocks(Index lanes, const Body& body) {
  Index at = 0;
  for (; lanes - at >= kSumLanes; at += kSumLanes) body(std::integral_constant<int, kSumLanes>(), at);
  if constexpr (kSumLanes > 8) {
    if (lanes - at > 8) {
      body(std::integral_constant<int, 8>(), at);
      at += 8;
    }
  }
  if constexpr (kSumLanes > 4) {
    if (lanes - at > 4 && lanes - at < 8) {
      body(std::integral_constant<int, 4>(), at);
      at += 4;
    }
  }
  switch (lanes - at) {
#define GAT_BLOCK(R)                                                                 \
  case R:                                                                            \
    if constexpr (R <= kSumLanes) return body(std::integral_constant<int, R>(), at); \
    break;
    GAT_BLOCK(1)
    GAT_BLOCK(2)
    GAT_BLOCK(3)
    GAT_BLOCK(4)
    GAT_BLOCK(8)
#undef GAT_BLOCK
    default:
      break;
  }
}

// Rows wider than the registers, several at once: their sum lies in the first-level cache. Blocks of columns
// would come back to every row once per block, which reaches two thirds of the rate.
template <int Ways, class Number>
struct WideRows {
  WideRows(const GatherList& list, const GatheredRows<Number>& source, Index k)
      : fetches(source.ahead.rows > 0 && k + Ways + source.ahead.rows <= list.known),
        to_second(source.ahead.to_second) {
    for (int i = 0; i < Ways; ++i) {
      row[i] = source.data + list.ids[k + i] * source.stride;
      next[i] = fetches ? source.data + list.ids[k + i + source.ahead.rows] * source.stride : row[i];
    }
  }
  GAT_INLINE void fetch(Index v) const {
    for (int i = 0; fetches && i < Ways; ++i) fetch_row<kLanes>(next[i] + v * kLanes, to_second);
  }
  const Number* row[Ways];
  const Number* next[Ways];
  bool fetches, to_second;
};

// out += Σ w ⊙ row over rows k … k + Ways − 1, one after the other
template <int Ways, int L, class Number>
GAT_INLINE void add_wide(const Real* weights, const GatherList& list, const GatheredRows<Number>& source,
                         Index k, Index lanes, Real* out) {
  const WideRows<Ways, Number> rows(list, source, k);
  Lanes weight[Ways];
  for (int i = 0; i < Ways; ++i) weight[i] = tile<L>(weights + (k + i) * L);
  for (Index v = 0; v < lanes; ++v) {
    rows.fetch(v);
    Lanes sum = load(out + v * kLanes);
#pragma GCC unroll 4
    for (int i = 0; i < Ways; ++i) sum = multiply_add(weight[i], load(rows.row[i] + v * kLanes), sum);
    store(out + v * kLanes, sum);
  }
}

// The same, and dots[k] = z ⊙ row_k; the sums of products have the shape that blocks of columns give them.
template <int Ways, int L, bool kSum, class Number>
GAT_INLINE void dot_wide(const Number* z, const Real* weights, const GatherList& list,
                         const GatheredRows<Number>& source, Index k, Index lanes, Real* dots, Real* out) {
  const WideRows<Ways, Number> rows(list, source, k);
  Lanes weight[Ways], dot[Ways] = {};
  for (int i = 0; kSum && i < Ways; ++i) weight[i] = tile<L>(weights + (k + i) * L);
  const auto add = [&](Index v, Lanes(&to)[Ways]) GAT_INLINE_BODY {
    rows.fetch(v);
    const Lanes own = load(z + v * kLanes);
    Lanes sum{};
    if constexpr (kSum) sum = load(out + v * kLanes);
#pragma GCC unroll 4
    for (int i = 0; i < Ways; ++i) {
      const Lanes value = load(rows.row[i] + v * kLanes);
      to[i] = multiply_add(own, value, to[i]);
      if constexpr (kSum) sum = multiply_add(weight[i], value, sum);
    }
    if constexpr (kSum) store(out + v * kLanes, sum);
  };
  for (Index first = 0; first < lanes; first += kSumLanes) {
    const Index last = std::min<Index>(first + kSumLanes, lanes);
    Lanes odd[Ways] = {};
    Index v = first;
    for (; v + 1 < last; v += 2) {
      add(v, dot);
      add(v + 1, odd);
    }
    if (v < last) add(v, dot);
    for (int i = 0; i < Ways; ++i) dot[i] = dot[i] + odd[i];
  }
  for (int i = 0; i < Ways; ++i) store(dots + (k + i) * kLanes, dot[i]);
}

/// out = (Σ_k w_k ⊙ row_k) ⊙ scale over `lanes` vectors; w holds L numbers per gathered row.
/// With `add` the sum begins with what stands in `out`.
template <int L, class Number = Real>
GAT_NOINLINE void sum_rows(const Real* weights, const GatherList& list, GatheredRows<Number> source,
                           Index lanes, const Lanes& scale, Real* out, bool add = false) {
  if (lanes > kSumLanes) {
    constexpr int kWays = 4;
    for (Index v = 0; v < lanes && !add; ++v) store(out + v * kLanes, Lanes{});
    Index k = 0;
    for (; k + kWays <= list.count; k += kWays) add_wide<kWays, L>(weights, list, source, k, lanes, out);
    for (; k < list.count; ++k) add_wide<1, L>(weights, list, source, k, lanes, out);
    for (Index v = 0; v < lanes; ++v) store(out + v * kLanes, load(out + v * kLanes) * scale);
    return;
  }
  for_lane_blocks(lanes, [&](auto block, Index first) {
    constexpr int R = block;
    GatheredRows<Number> part = source;
    part.data += first * kLanes;
    Lanes sum[R];
    for (int r = 0; r < R; ++r) sum[r] = add ? load(out + (first + r) * kLanes) : Lanes{};
    for_gathered<R>(list, part, [&](Index k, const Number* row) GAT_INLINE_BODY {
      const Lanes weight = tile<L>(weights + k * L);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) sum[r] = multiply_add(weight, load(row + r * kLanes), sum[r]);
    });
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) store(out + (first + r) * kLanes, sum[r] * scale);
  });
}

/// dots[k] (sixteen lanes that still have to be folded) = z ⊙ row_k summed over vectors, and, with
/// kSum, out = Σ_k w_k ⊙ row_k in the same pass over the rows.
template <int L, bool kSum, class Number>
GAT_NOINLINE void dot_rows(const Number* z, const Real* weights, const GatherList& list,
                           GatheredRows<Number> source, Index lanes, Real* dots, Real* out) {
  if (lanes > kSumLanes) {
    constexpr int kWays = 2;
    for (Index v = 0; v < lanes && kSum; ++v) store(out + v * kLanes, Lanes{});
    Index k = 0;
    for (; k + kWays <= list.count; k += kWays)
      dot_wide<kWays, L, kSum>(z, weights, list, source, k, lanes, dots, out);
    for (; k < list.count; ++k) dot_wide<1, L, kSum>(z, weights, list, source, k, lanes, dots, out);
    return;
  }
  for_lane_blocks(lanes, [&](auto block, Index first) {
    constexpr int R = block;
    GatheredRows<Number> part = source;
    part.data += first * kLanes;
    const Number* z_part = z + first * kLanes;
    Lanes sum[R] = {};
    for_gathered<R>(list, part, [&](Index k, const Number* row) GAT_INLINE_BODY {
      Lanes even = first > 0 ? load(dots + k * kLanes) : Lanes{};
      Lanes odd{};
      Lanes weight{};
      if constexpr (kSum) weight = tile<L>(weights + k * L);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const Lanes value = load(row + r * kLanes);
        Lanes& dot = r % 2 == 0 ? even : odd;
        dot = multiply_add(load(z_part + r * kLanes), value, dot);
        if constexpr (kSum) sum[r] = multiply_add(weight, value, sum[r]);
      }
      store(dots + k * kLanes, even + odd);
    });
    if constexpr (kSum) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) store(out + (first + r) * kLanes, sum[r]);
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
