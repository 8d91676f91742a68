/// Numbers of 16 bits in the format bf16: the sign, the eight exponent bits and the upper seven mantissa bits
/// of a float. They are a way to store rows; arithmetic is done in `Real`.
#pragma once

#include <bit>
#include <cstdint>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

struct Bf16 {
  std::uint16_t bits;
};

/// The nearest bf16, of two equally near ones that with an even last bit; what lies beyond the largest one
/// becomes infinite. NaN stays NaN, made quiet, with its sign.
inline Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return {static_cast<std::uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
/// The same number.
inline float to_float(Bf16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

/// A window on row-major bf16 numbers, as `MatrixView` is one on Reals; empty stands for "not given".
struct Bf16Rows {
  Bf16* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;

  Bf16Rows() = default;
  /// Rows of `num_cols` numbers in the memory of rows of `memory_cols(num_cols)` Reals.
  Bf16Rows(MatrixView memory, Index num_cols)
      : data(reinterpret_cast<Bf16*>(memory.data)),
        rows(memory.rows),
        cols(num_cols),
        stride(memory.stride * kPerReal) {}
  static Index memory_cols(Index num_cols) { return (num_cols + kPerReal - 1) / kPerReal; }

  Bf16* row(Index i) const { return data + i * stride; }
  bool empty() const { return data == nullptr; }

 private:
  static constexpr Index kPerReal = sizeof(Real) / sizeof(Bf16);
};

}  // namespace gat::inline GAT_PRECISION
