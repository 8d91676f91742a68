/// Walks over the elements of a stored array, in C order, and loads numbers of every width.
#pragma once

#include <vector>

#include "gat/io/stored_array.hpp"
#include "io/bytes.hpp"

namespace gat::inline GAT_PRECISION {

/// A half-precision number (IEEE binary16) as a float; exact.
inline float widen_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1f;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0) {
    const float tiny = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -tiny : tiny;
  }
  const std::uint32_t wide_exponent = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide_exponent << 23 | fraction << 13);
}

/// A bfloat16 number as a float; exact.
inline float widen_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Calls use(loader), where loader(bytes) gives one number of the type: a signed or unsigned 64-bit
/// integer, a float or a double. \pre the type is a number
template <class Use>
void visit_loader(const ElementType& type, Use use) {
  using Kind = ElementType::Kind;
  const bool big = type.big_endian;
  if (type.kind == Kind::boolean) {
    use([](const char* p) { return std::uint64_t{*p != 0}; });
  } else if (type.kind == Kind::integer) {
    switch (type.width) {
      case 1:
        use([](const char* p) { return std::int64_t{load<std::int8_t>(p)}; });
        break;
      case 2:
        use([big](const char* p) { return std::int64_t{load<std::int16_t>(p, big)}; });
        break;
      case 4:
        use([big](const char* p) { return std::int64_t{load<std::int32_t>(p, big)}; });
        break;
      default:
        use([big](const char* p) { return load<std::int64_t>(p, big); });
        break;
    }
  } else if (type.kind == Kind::natural) {
    switch (type.width) {
      case 1:
        use([](const char* p) { return std::uint64_t{load<std::uint8_t>(p)}; });
        break;
      case 2:
        use([big](const char* p) { return std::uint64_t{load<std::uint16_t>(p, big)}; });
        break;
      case 4:
        use([big](const char* p) { return std::uint64_t{load<std::uint32_t>(p, big)}; });
        break;
      default:
        use([big](const char* p) { return load<std::uint64_t>(p, big); });
        break;
    }
  } else if (type.kind == Kind::bfloat) {
    use([big](const char* p) { return widen_bfloat(load<std::uint16_t>(p, big)); });
  } else {
    switch (type.width) {
      case 2:
        use([big](const char* p) { return widen_half(load<std::uint16_t>(p, big)); });
        break;
      case 4:
        use([big](const char* p) { return load<float>(p, big); });
        break;
      default:
        use([big](const char* p) { return load<double>(p, big); });
        break;
    }
  }
}

/// Calls take(i, bytes of the element) for i = 0, 1, … in C order, wherever the element lies.
template <class Take>
void for_each_position(const StoredArray& array, Take take) {
  const auto size = static_cast<std::size_t>(array.size());
  const auto width = static_cast<std::size_t>(array.type().width);
  const char* const bytes = array.bytes().data();
  if (!array.fortran_order() || array.rank() < 2) {
    for (std::size_t i = 0; i < size; ++i) take(i, bytes + i * width);
    return;
  }
  // In Fortran order the first index is the fastest. `index` counts in C order, like an odometer.
  const std::vector<Index>& shape = array.shape();
  const std::size_t rank = shape.size();
  std::vector<std::size_t> strides(rank, width);
  for (std::size_t d = 1; d < rank; ++d) strides[d] = strides[d - 1] * static_cast<std::size_t>(shape[d - 1]);
  std::vector<Index> index(rank, 0);
  std::size_t position = 0;
  for (std::size_t i = 0; i < size; ++i) {
    take(i, bytes + position);
    for (std::size_t d = rank; d-- > 0;) {
      position += strides[d];
      if (++index[d] < shape[d]) break;
      position -= strides[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
