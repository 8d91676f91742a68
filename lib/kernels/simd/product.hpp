/// Dense products C (+)= A B in registers: a tile of rows times a panel of columns.
///
/// B is packed into panels of two registers' width, so that the inner loop reads it in order; A is read
/// where it lies, one element at a time, as broadcasts (after the register blocking of Goto and van de
/// Geijn 2008). Every element of C is a chain of multiply-adds in the order of the depth, kDepth at a time,
/// whatever tile it falls into: its bits do not depend on the other rows.
#pragma once

#include <algorithm>

#include "kernels/simd/partial_lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Sums of a tile fill most registers: rows × 2 of them, beside two of B and a broadcast.
inline constexpr Index kTileRows = kRegisters == 32 ? 12 : 6;
inline constexpr Index kPanel = 2 * kVector;
/// Panels of this depth stay in the first-level cache.
inline constexpr Index kDepth = 256;

/// A matrix seen through two steps: element (i, k) lies at data[i · row_step + k · depth_step].
struct Steps {
  const Real* data;
  Index row_step, depth_step;
};

/// Rows that the next block will read, fetched into the second-level cache a few lines per tile while this
/// one is worked on: else every block begins by waiting for memory.
class ReadAhead {
 public:
  ReadAhead() = default;
  ReadAhead(ConstMatrixView matrix, Index first, Index last) {
    last = std::min(last, matrix.rows);
    if (first >= last) return;
    at_ = matrix.row(first);
    end_ = matrix.row(last - 1) + matrix.cols;
  }
  /// Shares the lines out among the tiles of a product. \param passes  over the whole depth of a tile
  void spread(Index rows, Index width, Index passes) {
    const Index steps = (rows + kTileRows - 1) / kTileRows * ((width + kPanel - 1) / kPanel) * passes;
    numbers_ = ((end_ - at_) / kLineNumbers / std::max<Index>(steps, 1) + 1) * kLineNumbers;
  }
  void step() {
    const Index count = std::min(numbers_, end_ - at_);
    for (Index k = 0; k < count; k += kLineNumbers) __builtin_prefetch(at_ + k, 0, 2);
    at_ += count;
  }

 private:
  static constexpr Index kLineNumbers = 64 / sizeof(Real);
  const Real* at_ = nullptr;
  const Real* end_ = nullptr;
  Index numbers_ = 0;  // per step
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

template <int Rows, int Vectors>
inline void multiply_tile(const Steps& a, const Real* panel, Index depth, Real* c, Index c_step, bool add) {
  // C is written after the whole depth: its lines arrive meanwhile.
#pragma GCC unroll 12
  for (int m = 0; m < Rows; ++m) {
    for (int v = 0; v < Vectors; ++v) __builtin_prefetch(c + m * c_step + v * kVector, 1);
  }
  Vector sum[Rows][Vectors];
#pragma GCC unroll 12
  for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) sum[m][v] = Vector{};
  }
  // Three rows share a pointer and reach each other by multiples of the step.
  constexpr int kPointers = (Rows + 2) / 3;
  const Real* rows[kPointers];
  for (int g = 0; g < kPointers; ++g) rows[g] = a.data + 3 * g * a.row_step;
  for (Index k = 0; k < depth; ++k) {
    Vector b[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) b[v] = load_vector(panel + k * kPanel + v * kVector);
#pragma GCC unroll 12
    for (int m = 0; m < Rows; ++m) {
      const Vector factor = broadcast(rows[m / 3][m % 3 * a.row_step]);
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) sum[m][v] = factor * b[v] + sum[m][v];
    }
#pragma GCC unroll 4
    for (int g = 0; g < kPointers; ++g) rows[g] += a.depth_step;
  }
#pragma GCC unroll 12
  for (int m = 0; m < Rows; ++m) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      Real* to = c + m * c_step + v * kVector;
      store_vector(to, add ? load_vector(to) + sum[m][v] : sum[m][v]);
    }
  }
}

template <int Vectors>
inline void multiply_rows(Index rows, const Steps& a, const Real* panel, Index depth, Real* c, Index c_step,
                          bool add) {
  switch (rows) {
#define GAT_TILE(n) \
  case n:           \
    return multiply_tile<n, Vectors>(a, panel, depth, c, c_step, add);
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

/// One panel of C: `rows` rows times the panel's `width` columns; each tile fetches its share of `ahead`.
inline void multiply_panel(Index rows, const Steps& a, const Real* panel, Index depth, Index width, Real* c,
                           Index c_step, bool add, ReadAhead& ahead) {
  const bool whole = width % kVector == 0;
  for (Index m = 0; m < rows; m += kTileRows) {
    const Index count = std::min(kTileRows, rows - m);
    const Steps tile{a.data + m * a.row_step, a.row_step, a.depth_step};
    Real* to = c + m * c_step;
    ahead.step();
    if (whole && width > kVector) {
      multiply_rows<2>(count, tile, panel, depth, to, c_step, add);
    } else if (whole) {
      multiply_rows<1>(count, tile, panel, depth, to, c_step, add);
    } else {
      // Columns that do not fill a register go through a tile of their own.
      Real sums[kTileRows * kPanel];
      if (add) {
        std::fill_n(sums, count * kPanel, Real(0));
        for (Index i = 0; i < count; ++i) std::copy_n(to + i * c_step, width, sums + i * kPanel);
      }
      if (width > kVector) multiply_rows<2>(count, tile, panel, depth, sums, kPanel, add);
      else multiply_rows<1>(count, tile, panel, depth, sums, kPanel, add);
      for (Index i = 0; i < count; ++i) std::copy_n(sums + i * kPanel, width, to + i * c_step);
    }
  }
}

/// C (+)= Aᵀ B for A (depth × rows) and packed B (depth × width), depth ≤ kDepth. A is read where it lies:
/// one line per row and tile, which the second-level cache delivers in time as long as A is there.
inline void multiply_transposed(Index rows, const Steps& a, const Real* packed, Index depth, Index width,
                                Real* c, Index c_step, bool add, ReadAhead next_a, ReadAhead next_b) {
  next_a.spread(rows, width, 1);
  next_b.spread(rows, width, 1);
  // A panel stays in the first-level cache while the columns of A pass by.
  for (Index p = 0; p < panels(width); ++p) {
    for (Index m = 0; m < rows; m += kTileRows) {
      next_a.step();
      multiply_panel(std::min(kTileRows, rows - m), {a.data + m, 1, a.row_step}, packed + p * depth * kPanel,
                     depth, std::min(kPanel, width - p * kPanel), c + m * c_step + p * kPanel, c_step, add,
                     next_b);
    }
  }
}

/// C (+)= A B for packed B (depth × width).
inline void multiply(Index rows, const Steps& a, const Real* packed, Index depth, Index width, Real* c,
                     Index c_step, bool add, ReadAhead ahead = {}) {
  ahead.spread(rows, width, (depth + kDepth - 1) / kDepth);
  if (depth == 0 && !add) {
    for (Index i = 0; i < rows; ++i) std::fill_n(c + i * c_step, width, Real(0));
  }
  for (Index k = 0; k < depth; k += kDepth) {
    const Steps part{a.data + k * a.depth_step, a.row_step, a.depth_step};
    for (Index p = 0; p < panels(width); ++p) {
      multiply_panel(rows, part, packed + (p * depth + k) * kPanel, std::min(kDepth, depth - k),
                     std::min(kPanel, width - p * kPanel), c + p * kPanel, c_step, add || k > 0, ahead);
    }
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
