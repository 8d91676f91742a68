/// What the loops behind the yardsticks take; includes nothing that has inline functions.
#pragma once

#include <cstdint>

namespace gat::app {

/// Sums of gathered rows: for each row r of a part of a graph, Σ rows[columns[e]] over its edges.
struct GatherTask {
  const std::int64_t* offsets;  ///< last_row + 1 numbers
  const std::int32_t* columns;  ///< readable up to `kColumnPadding` past the last edge
  std::int64_t first_row, last_row;
  const float* rows;        ///< 64-byte aligned
  std::int64_t stride;      ///< floats per row: a power of two below 16, or a multiple of 16
  float* out;               ///< one row per row of the graph
  std::int64_t out_stride;  ///< 0 = every sum overwrites the same row
  int distance;             ///< rows are fetched this many edges ahead; 0 = not
  bool to_second = false;   ///< into the second-level cache instead of the first
};

constexpr int kColumnPadding = 96;

/// One level's loops. All count on pointers aligned to 64 bytes.
struct Loops {
  const char* name;
  /// a = b + s c; `streaming` goes past the caches. \pre count is a multiple of 64
  void (*triad)(float* a, const float* b, const float* c, float s, std::int64_t count, bool streaming);
  /// Multiply-adds on registers; returns the floating-point operations done.
  double (*multiply_add)(std::int64_t iterations, float* sink);
  /// Sums numbers `repeats` times; `ahead` fetches them 4 KiB before they are read.
  /// \pre count is a multiple of 512. \param sink  64 floats
  void (*read)(const float* data, std::int64_t count, std::int64_t repeats, bool ahead, float* sink);
  void (*gather)(const GatherTask& task);
};

}  // namespace gat::app
