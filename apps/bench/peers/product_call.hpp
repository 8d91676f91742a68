/// A dense product as other libraries are asked for it; includes nothing that has inline functions, because
/// files of every instruction level include it.
#pragma once

#include <cstdint>

namespace gat::app {

/// C = A B, or C = Aᵀ B; row-major, each with the distance of its rows.
struct ProductCall {
  bool transposed;  ///< A is depth × rows
  std::int64_t rows, cols, depth;
  const float* a;
  std::int64_t a_step;
  const float* b;
  std::int64_t b_step;
  float* c;
  std::int64_t c_step;
};

/// A product on the calling thread alone; several threads may call at once.
using Multiply = void (*)(const ProductCall&);

}  // namespace gat::app
