/// Dense products C (+)= A B in registers: a tile of rows times a panel of columns.
///
/// B is packed into panels of two registers' width, so that the inner loop reads it in order; A is read
/// where it lies, one element at a time, as broadcasts (after the register blocking of Goto and van de
/// Geijn 2008). Every element of C is a chain of multiply-adds in the order of the depth, kDepth at a time,
/// whatever tile it falls into: its bits do not depend on the other rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/simd/partial_lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Sums of a tile fill most registers: rows × 2 of them, beside two of B and a broadcast.
inline constexpr Index kTileRows = kRegisters == 32 ? 12 : 6;
inline constexpr Index kPanel = 2 * kVector;
/// Panels of this depth stay in the first-level cache.
inline constexpr Index kDepth = 256;

/// Steps of the depth per turn of a tile's loop: what moves pointers takes turns from the multiply-adds.
inline constexpr int kSteps = 2;
inline constexpr Index kLineNumbers = 64 / sizeof(Real);

/// Rows of a first factor, `step` apart, each without gaps.
struct FactorRows {
  const Real* data;
  Index step;
};
/// A second factor: element (k, n) lies at data[k · depth_step + n · column_step].
struct SecondFactor {
  const Real* data;
  Index depth_step, column_step;
};

/// Rows that the next block will read, fetched into the second-level cache while this one is worked on: else
/// every block begins by waiting for memory. One line is asked for with each turn of a tile's loop, the same
/// one several times over where there are fewer lines than turns, and not every one where there are more: a
/// core has few requests under way, and behind a burst of them its products wait, too.
class ReadAhead {
 public:
  /// Nothing to fetch.
  ReadAhead() = default;
  ReadAhead(ConstMatrixView matrix, Index first, Index last) {
    last = std::min(last, matrix.rows);
    if (first >= last) return;
    at_ = address(matrix.row(first));
    end_ = address(matrix.row(last - 1) + matrix.cols);
  }
  Index left() const { return at_ < end_ ? static_cast<Index>(end_ - at_) : 0; }  // bytes
  /// Shares `bytes` out among the turns of all tiles of a product.
  void spread(Index bytes, Index rows, Index width, Index depth) {
    const Index tiles = (rows + kTileRows - 1) / kTileRows * ((width + kPanel - 1) / kPanel);
    const Index turns = std::max<Index>(tiles * (depth / kSteps), 1);
    if (left() > 0) step_ = static_cast<std::uintptr_t>((bytes + turns - 1) / turns);
  }
  GAT_INLINE void next() {
    __builtin_prefetch(reinterpret_cast<const void*>(at_), 0, 2);
    at_ += step_;
  }

 private:
  static std::uintptr_t address(const Real* number) { return reinterpret_cast<std::uintptr_t>(number); }
  static constexpr Real kNothing = 0;
  // Numbers, since turns that are left over go on behind the last row.
  std::uintptr_t at_ = address(&kNothing), end_ = at_, step_ = 0;
};

inline Index panels(Index width) { return (width + kPanel - 1) / kPanel; }
inline Index packed_size(Index depth, Index width) { return panels(width) * kPanel * depth; }

/// Packs panels first … last − 1 of B (depth × width); element (k, n) lies at
/// b[k · depth_step + n · column_step]. Missing columns of the last panel become zero.
inline void pack_panels(const Real* b, Index depth_step, Index column_step, Index depth, Index width,
                        Index first, Index last, Real* packed) {
  for (Index p = first; p < last; ++p) {
    const Index count = std::min(kPanel, width - p * kPanel);
    const Real* from = b + p * kPanel * column_step;
    Real* to = packed + p * kPanel * depth;
    if (column_step == 1 && count == kPanel) {
      for (Index k = 0; k < depth; ++k) {
        store_vector(to + k * kPanel, load_vector(from + k * depth_step));
        store_vector(to + k * kPanel + kVector, load_vector(from + k * depth_step + kVector));
      }
      continue;
    }
    for (Index k = 0; k < depth; ++k) {
      for (Index n = 0; n < kPanel; ++n)
        to[k * kPanel + n] = n < count ? from[k * depth_step + n * column_step] : 0;
    }
  }
}

/// A panel of B as it was packed.
struct PackedPanel {
  GAT_INLINE Vector load(int k, int v) const { return load_vector(at + k * kPanel + v * kVector); }
  GAT_INLINE void advance(int steps) { at += steps * kPanel; }
  const Real* at;
};
/// One that is packed while it is read for the first time.
struct PackingPanel {
  GAT_INLINE Vector load(int k, int v) const {
    const Vector numbers = load_vector(from + k * depth_step + v * kVector);
    store_vector(to + k * kPanel + v * kVector, numbers);
    return numbers;
  }
  GAT_INLINE void advance(int steps) { from += steps * depth_step, to += steps * kPanel; }
  const Real* from;
  Index depth_step;
  Real* to;
};

/// Rows of A, each in order: every third one has a pointer, and three offsets move along them.
template <int Rows>
struct RowsOfA {
  explicit RowsOfA(const FactorRows& a) {
    for (int g = 0; g < kPointers; ++g) rows[g] = a.data + 3 * g * a.step;
    for (int o = 0; o < 3; ++o) offset[o] = o * a.step;
  }
  GAT_INLINE Vector at(int m, int k) const { return broadcast(*(rows[m / 3] + offset[m % 3] + k)); }
  GAT_INLINE void advance(int steps) {
#pragma GCC unroll 3
    for (int o = 0; o < 3; ++o) offset[o] += steps;
  }
  static constexpr int kPointers = (Rows + 2) / 3;
  const Real* rows[kPointers];
  Index offset[3];
};
/// Columns of A, which lie side by side.
template <int Rows>
struct ColumnsOfA {
  explicit ColumnsOfA(const FactorRows& a) : columns(a.data), step(a.step) {}
  GAT_INLINE Vector at(int m, int k) const { return broadcast(columns[k * step + m]); }
  GAT_INLINE void advance(int steps) { columns += steps * step; }
  const Real* columns;
  Index step;
};

/// Columns of C that belong to one panel, from some row on.
struct Target {
  Target row(Index m) const { return {data + m * step, step, width, add}; }
  Real* data;
  Index step, width;
  bool add;
};

template <int Rows, int Vectors, class Factor, class Panel>
GAT_INLINE void sum_tile(Factor a, Panel panel, Index depth, const Target& c, ReadAhead& fetched) {
  // C is written after the whole depth: its lines arrive meanwhile, those of a tall tile row by row.
  constexpr bool kTall = Rows * Vectors * kVector > 12 * kLineNumbers;
  const Real* arriving = c.data;
  const Real* const last_row = arriving + (Rows - 1) * c.step;
  const auto fetch_row = [&]() GAT_INLINE_BODY {
    for (Index n = 0; n < Vectors * kVector; n += kLineNumbers) __builtin_prefetch(arriving + n, 1);
    arriving = std::min(arriving + c.step, last_row);
  };
  for (int m = 0; !kTall && m < Rows; ++m) fetch_row();

  Vector sum[Rows][Vectors];
#pragma GCC unroll 12
  for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) sum[m][v] = Vector{};
  }
  const auto add_products = [&](int k) GAT_INLINE_BODY {
    Vector b[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) b[v] = panel.load(k, v);
#pragma GCC unroll 12
    for (int m = 0; m < Rows; ++m) {
      const Vector factor = a.at(m, k);
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) sum[m][v] = factor * b[v] + sum[m][v];
    }
  };
  ReadAhead ahead = fetched;
  for (; depth >= kSteps; depth -= kSteps) {
    ahead.next();
    if (kTall) fetch_row();
#pragma GCC unroll 2
    for (int k = 0; k < kSteps; ++k) add_products(k);
    a.advance(kSteps);
    panel.advance(kSteps);
  }
  if (depth > 0) add_products(0);
  fetched = ahead;
#pragma GCC unroll 12
  for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      Real* to = c.data + m * c.step + v * kVector;
      const Index count = v + 1 < Vectors ? kVector : c.width - v * kVector;
      if (c.add) sum[m][v] = load_lanes(to, count, Vector{}) + sum[m][v];
      store_lanes(to, sum[m][v], count);
    }
  }
}
template <int Rows, int Vectors>
GAT_INLINE void multiply_tile(const RowsOfA<Rows>& a, const PackedPanel& panel, Index depth, const Target& c,
                              ReadAhead& ahead) {
  sum_tile<Rows, Vectors>(a, panel, depth, c, ahead);
}
// A call, since the loops around it would leave too few registers for pointers.
template <int Rows, int Vectors, class Panel>
GAT_NOINLINE void multiply_tile(const ColumnsOfA<Rows>& a, const Panel& panel, Index depth, const Target& c,
                                ReadAhead& ahead) {
  sum_tile<Rows, Vectors>(a, panel, depth, c, ahead);
}

/// One tile of C: at most kTileRows rows.
template <int Vectors, template <int> class Factor>
GAT_INLINE void multiply_rows(Index rows, const FactorRows& a, const PackedPanel& panel, Index depth,
                              const Target& c, ReadAhead& ahead) {
  switch (rows) {
#define GAT_TILE(n) \
  case n:           \
    return multiply_tile<n, Vectors>(Factor<n>(a), panel, depth, c, ahead);
    GAT_TILE(1)
    GAT_TILE(2)
    GAT_TILE(3)
    GAT_TILE(4)
    GAT_TILE(5)
    GAT_TILE(6)
#if GAT_SIMD_BYTES == 64
    GAT_TILE(7)
    GAT_TILE(8)
    GAT_TILE(9)
    GAT_TILE(10)
    GAT_TILE(11)
    GAT_TILE(12)
#endif
#undef GAT_TILE
  }
}
template <template <int> class Factor>
GAT_INLINE void multiply_rows(Index rows, const FactorRows& a, const PackedPanel& panel, Index depth,
                              const Target& c, ReadAhead& ahead) {
  if (c.width > kVector) multiply_rows<2, Factor>(rows, a, panel, depth, c, ahead);
  else multiply_rows<1, Factor>(rows, a, panel, depth, c, ahead);
}

/// C (+)= Aᵀ B for A (depth × rows) and B (depth × width), depth ≤ kDepth; `packed` has room for one panel
/// of B. A is read where it lies: one line per row and tile, which the second-level cache delivers in time
/// as long as A is there.
inline void multiply_transposed(Index rows, const FactorRows& a, const SecondFactor& b, Real* packed,
                                Index depth, Index width, Real* c, Index c_step, bool add, ReadAhead next_a,
                                ReadAhead next_b) {
  const Index bytes = next_a.left() + next_b.left();
  next_a.spread(bytes, rows, width, depth);
  next_b.spread(bytes, rows, width, depth);
  const auto ahead = [&]() -> ReadAhead& { return next_a.left() > 0 ? next_a : next_b; };
  // A panel stays in the first-level cache while the columns of A pass by.
  for (Index p = 0; p < panels(width); ++p) {
    const Target target{c + p * kPanel, c_step, std::min(kPanel, width - p * kPanel), add};
    const SecondFactor panel{b.data + p * kPanel * b.column_step, b.depth_step, b.column_step};
    Index m = 0;
    if (target.width == kPanel && panel.column_step == 1 && rows >= kTileRows) {
      multiply_tile<kTileRows, 2>(ColumnsOfA<kTileRows>(a),
                                  PackingPanel{panel.data, panel.depth_step, packed}, depth, target, ahead());
      m = kTileRows;
    } else {
      pack_panels(panel.data, panel.depth_step, panel.column_step, depth, target.width, 0, 1, packed);
    }
    for (; m < rows; m += kTileRows) {
      multiply_rows<ColumnsOfA>(std::min(kTileRows, rows - m), {a.data + m, a.step}, {packed}, depth,
                                target.row(m), ahead());
    }
  }
}

/// C (+)= A B for packed B (depth × width).
inline void multiply(Index rows, const FactorRows& a, const Real* packed, Index depth, Index width, Real* c,
                     Index c_step, bool add, ReadAhead ahead = {}) {
  ahead.spread(ahead.left(), rows, width, depth);
  if (depth == 0 && !add) {
    for (Index i = 0; i < rows; ++i) std::fill_n(c + i * c_step, width, Real(0));
  }
  for (Index k = 0; k < depth; k += kDepth) {
    for (Index p = 0; p < panels(width); ++p) {
      const Target target{c + p * kPanel, c_step, std::min(kPanel, width - p * kPanel), add || k > 0};
      for (Index m = 0; m < rows; m += kTileRows) {
        const FactorRows part{a.data + m * a.step + k, a.step};
        multiply_rows<RowsOfA>(std::min(kTileRows, rows - m), part, {packed + (p * depth + k) * kPanel},
                               std::min(kDepth, depth - k), target.row(m), ahead);
      }
    }
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
