#include "gat/io/stored_array.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "gat/core/error.hpp"
#include "io/bytes.hpp"
#include "io/elements.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

using Kind = ElementType::Kind;

constexpr std::size_t kHighestRank = 64;

// The number of elements; every product is checked. A dimension of 0 makes the array empty.
Index count_elements(const std::vector<Index>& shape, const std::string& place) {
  Index size = 1;
  for (const Index extent : shape) {
    if (extent < 0) throw InputError(place, "a dimension of " + std::to_string(extent));
    if (extent == 0) return 0;
  }
  for (const Index extent : shape) {
    if (__builtin_mul_overflow(size, extent, &size))
      throw InputError(place, "the shape has more than 2^63 elements");
  }
  return size;
}

bool is_number(Kind kind) {
  return kind == Kind::boolean || kind == Kind::integer || kind == Kind::natural || kind == Kind::real ||
         kind == Kind::bfloat;
}

[[noreturn]] void refuse(const StoredArray& array, const char* wanted) {
  if (array.is_object()) {
    throw InputError(array.place(), "holds Python objects, which are not read; expected " +
                                        std::string(wanted) + ". Save it again as a plain array");
  }
  throw InputError(array.place(), "holds elements of type " + array.type().name() + "; expected " + wanted);
}

[[noreturn]] void refuse_element(const StoredArray& array, std::size_t i, const std::string& found) {
  throw InputError(array.place(), "element " + std::to_string(i) + ": " + found);
}

// Calls take(i, number) for all elements in C order.
template <class Take>
void for_each_number(const StoredArray& array, const char* wanted, Take take) {
  if (!is_number(array.type().kind)) refuse(array, wanted);
  visit_loader(array.type(), [&](auto loader) {
    for_each_position(array, [&](std::size_t i, const char* element) { take(i, loader(element)); });
  });
}

}  // namespace

std::string ElementType::name() const {
  const std::string digits = std::to_string(kind == Kind::text ? width / 4 : width);
  const std::string order = width <= 1 ? "|" : big_endian ? ">" : "<";
  switch (kind) {
    case Kind::boolean:
      return "|b1";
    case Kind::integer:
      return order + "i" + digits;
    case Kind::natural:
      return order + "u" + digits;
    case Kind::real:
      return order + "f" + digits;
    case Kind::bfloat:
      return "bf2";
    case Kind::text:
      return (big_endian ? ">U" : "<U") + digits;
    case Kind::bytes:
      return "|S" + digits;
    case Kind::object:
      break;
  }
  return "|O";
}

ElementType parse_element_type(std::string_view dtype, const std::string& place) {
  std::string_view rest = dtype;
  const auto unknown = [&] {
    return InputError(place, "element type " + shown(dtype) +
                                 " is not supported; expected booleans, integers, f2, f4, f8 or text");
  };
  ElementType type;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    type.big_endian = rest[0] == '>';
    rest.remove_prefix(1);
  }
  if (rest.empty() || rest.size() > 16) throw unknown();
  const char letter = rest[0];
  rest.remove_prefix(1);
  if (letter == 'O' && (rest.empty() || rest == "8" || rest == "4")) return {Kind::object, 0, false};
  Index width = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), width);
  constexpr Index kLongest = Index{1} << 28;
  if (error != std::errc() || end != rest.data() + rest.size() || width < 0 || width > kLongest)
    throw unknown();
  const bool one_to_eight = width == 1 || width == 2 || width == 4 || width == 8;
  type.width = letter == 'U' ? 4 * width : width;
  switch (letter) {
    case 'b':
      type.kind = Kind::boolean;
      break;
    case 'i':
      type.kind = Kind::integer;
      break;
    case 'u':
      type.kind = Kind::natural;
      break;
    case 'f':
      type.kind = Kind::real;
      break;
    case 'U':
      type.kind = Kind::text;
      break;
    case 'S':
      type.kind = Kind::bytes;
      break;
    default:
      throw unknown();
  }
  if (letter == 'b' && width != 1) throw unknown();
  if ((letter == 'i' || letter == 'u') && !one_to_eight) throw unknown();
  if (letter == 'f' && (!one_to_eight || width == 1)) throw unknown();
  return type;
}

StoredArray::StoredArray(std::string place, ElementType type, std::vector<Index> shape, bool fortran_order,
                         std::string bytes, std::size_t first)
    : place_(std::move(place)),
      type_(type),
      shape_(std::move(shape)),
      fortran_order_(fortran_order),
      bytes_(std::move(bytes)),
      first_(first) {
  if (shape_.size() > kHighestRank) throw InputError(place_, std::to_string(shape_.size()) + " dimensions");
  size_ = count_elements(shape_, place_);
  if (is_object()) return;
  Index expected = 0;
  const auto found = static_cast<Index>(bytes_.size() - first_);
  if (__builtin_mul_overflow(size_, type_.width, &expected) || expected != found) {
    throw InputError(place_, std::to_string(found) + " bytes of data for " + std::to_string(size_) +
                                 " elements of type " + type_.name() + "; the file is damaged or cut off");
  }
}

namespace {

template <class Number>
StoredArray store(std::span<const Number> values, Kind kind, std::vector<Index> shape) {
  if (count_elements(shape, "StoredArray") != static_cast<Index>(values.size())) {
    throw ShapeError("StoredArray: the shape has " + std::to_string(count_elements(shape, "StoredArray")) +
                     " elements, but " + std::to_string(values.size()) + " values were given");
  }
  std::string bytes;
  bytes.reserve(values.size() * sizeof(Number));
  for (const Number value : values) append_little_endian(bytes, value);
  return {"array", {kind, sizeof(Number), false}, std::move(shape), false, std::move(bytes)};
}

}  // namespace

StoredArray StoredArray::of(ConstMatrixView matrix) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(matrix.rows * matrix.cols) * sizeof(Real));
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) append_little_endian(bytes, matrix(i, j));
  }
  return {"array", {Kind::real, sizeof(Real), false}, {matrix.rows, matrix.cols}, false, std::move(bytes)};
}

StoredArray StoredArray::of(std::span<const Real> values, std::vector<Index> shape) {
  return store(values, Kind::real, std::move(shape));
}

StoredArray StoredArray::of(std::span<const std::int64_t> values, std::vector<Index> shape) {
  return store(values, Kind::integer, std::move(shape));
}

std::vector<std::int64_t> StoredArray::as_integers() const {
  std::vector<std::int64_t> result(static_cast<std::size_t>(size_));
  for_each_number(*this, "integers", [&](std::size_t i, auto number) {
    if constexpr (std::is_floating_point_v<decltype(number)>) {
      // 2^63 is a real, 2^63 − 1 is not.
      if (!(number >= -0x1p63 && number < 0x1p63) || number != std::trunc(number)) {
        refuse_element(*this, i, "a real that is not a whole number, or too large for 64 bits");
      }
    } else if constexpr (std::is_same_v<decltype(number), std::uint64_t>) {
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        refuse_element(*this, i, std::to_string(number) + " is too large for a signed 64-bit integer");
      }
    }
    result[i] = static_cast<std::int64_t>(number);
  });
  return result;
}

namespace {

void copy_reals(const StoredArray& array, Real* to) {
  for_each_number(array, "numbers", [&](std::size_t i, auto number) {
    to[i] = static_cast<Real>(number);
    if constexpr (sizeof(number) > sizeof(Real) && std::is_floating_point_v<decltype(number)>) {
      if (std::isinf(to[i]) && !std::isinf(number)) {
        refuse_element(array, i, "a number too large for single precision; rescale it or use doubles");
      }
    }
  });
}

}  // namespace

std::vector<Real> StoredArray::as_reals() const {
  std::vector<Real> result(static_cast<std::size_t>(size_));
  copy_reals(*this, result.data());
  return result;
}

Matrix StoredArray::as_matrix() const {
  if (rank() != 2)
    throw InputError(place_, "has " + std::to_string(rank()) + " dimensions; expected a matrix");
  if (!is_number(type_.kind)) refuse(*this, "numbers");
  Matrix result(shape_[0], shape_[1]);
  copy_reals(*this, result.data());
  return result;
}

std::vector<std::uint8_t> StoredArray::as_booleans() const {
  if (type_.kind == Kind::real || type_.kind == Kind::bfloat) refuse(*this, "booleans");
  std::vector<std::uint8_t> result(static_cast<std::size_t>(size_));
  const bool any_byte = type_.kind == Kind::boolean;  // NumPy takes all but 0 for true
  for_each_number(*this, "booleans", [&](std::size_t i, auto number) {
    if (!any_byte && number != 0 && number != 1) refuse_element(*this, i, "expected 0 or 1");
    result[i] = number != 0;
  });
  return result;
}

std::vector<std::string> StoredArray::as_strings() const {
  if (type_.kind != Kind::text && type_.kind != Kind::bytes) refuse(*this, "text");
  std::vector<std::string> result(static_cast<std::size_t>(size_));
  const auto width = static_cast<std::size_t>(type_.width);
  for_each_position(*this, [&](std::size_t i, const char* element) {
    std::size_t used = width;
    while (used > 0 && element[used - 1] == '\0') --used;
    if (type_.kind == Kind::bytes) {
      result[i].assign(element, used);
      if (find_invalid_utf8(result[i]) != std::string::npos)
        refuse_element(*this, i, "bytes that are not UTF-8 text");
      return;
    }
    // Big-endian characters end in zeros that count, so whole characters are dropped, not bytes.
    std::size_t characters = width / 4;
    const auto character = [&](std::size_t k) {
      return load<std::uint32_t>(element + 4 * k, type_.big_endian);
    };
    while (characters > 0 && character(characters - 1) == 0) --characters;
    for (std::size_t k = 0; k < characters; ++k) {
      if (!append_utf8(result[i], character(k))) refuse_element(*this, i, "a character that is not Unicode");
    }
  });
  return result;
}

}  // namespace gat::inline GAT_PRECISION
