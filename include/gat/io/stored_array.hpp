/// `StoredArray`: an array as a file stores it. npy files, pickles and safetensors files all give and
/// take this one type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gat/core/csr_matrix.hpp"
#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// What one element of a stored array is.
struct ElementType {
  enum class Kind {
    boolean,  // width 1
    integer,  // signed; width 1, 2, 4, 8
    natural,  // unsigned; width 1, 2, 4, 8
    real,     // IEEE; width 2, 4, 8
    bfloat,   // the upper half of a 32-bit real; width 2; not in npy files
    text,     // UTF-32, 4 bytes per character, filled up with zeros
    bytes,    // filled up with zeros
    object    // Python objects; the array's bytes are a pickle
  };
  Kind kind = Kind::real;
  Index width = 4;  // bytes per element; 0 for objects
  bool big_endian = false;

  /// In NumPy's notation, for example `<f4`, `|b1`, `>i8`, `<U7`, `|S3`, `|O`; `bf2` for bfloat.
  std::string name() const;
  bool operator==(const ElementType&) const = default;
};

/// Understands `<f4`, `=i8`, `|b1`, `>U12`, `f8` (little-endian) and so on; `InputError` at `place`
/// for all others (complex numbers, dates, records, long doubles).
ElementType parse_element_type(std::string_view dtype, const std::string& place);

/// A multi-dimensional array with its element type, not yet converted.
///
/// The `as_…` functions convert every element, in C order (last index fastest) whatever order the
/// file has. They throw `InputError`, starting with `place()`, when the type does not fit, when the
/// array holds Python objects or when a value does not fit: no value is cut, wrapped or rounded to an
/// integer.
class StoredArray {
 public:
  StoredArray() = default;
  /// \param bytes  holds the elements from byte `first` on; there must be exactly size() · width of
  ///               them (any number for objects), else `InputError`
  StoredArray(std::string place, ElementType type, std::vector<Index> shape, bool fortran_order,
              std::string bytes, std::size_t first = 0);

  /// Copies of numbers of ours, little-endian, in C order. `ShapeError` unless `shape` has as many elements.
  static StoredArray of(ConstMatrixView matrix);
  static StoredArray of(std::span<const Real> values, std::vector<Index> shape);
  static StoredArray of(std::span<const std::int64_t> values, std::vector<Index> shape);

  const std::string& place() const { return place_; }
  const ElementType& type() const { return type_; }
  const std::vector<Index>& shape() const { return shape_; }
  Index rank() const { return static_cast<Index>(shape_.size()); }
  /// The number of elements: 1 for rank 0, 0 when a dimension is 0.
  Index size() const { return size_; }
  bool fortran_order() const { return fortran_order_; }
  bool is_object() const { return type_.kind == ElementType::Kind::object; }
  /// The elements as stored; the pickle when the array holds objects.
  std::string_view bytes() const { return std::string_view(bytes_).substr(first_); }

  /// From booleans, integers and those reals that are whole numbers.
  std::vector<std::int64_t> as_integers() const;
  /// From booleans, integers and reals. Integers are rounded to the nearest real; NaN and infinities
  /// pass through; a finite number beyond the range of Real is an error.
  std::vector<Real> as_reals() const;
  /// 0 or 1, from booleans and from integers that are 0 or 1.
  std::vector<std::uint8_t> as_booleans() const;
  /// UTF-8, from text and bytes, without the zeros at the end.
  std::vector<std::string> as_strings() const;
  /// As `as_reals`; the array must have two dimensions.
  Matrix as_matrix() const;

 private:
  std::string place_;
  ElementType type_;
  std::vector<Index> shape_;
  Index size_ = 0;
  bool fortran_order_ = false;
  std::string bytes_;
  std::size_t first_ = 0;
};

/// Puts SciPy's three arrays together. Columns within a row stay in their order, repeated ones stay
/// repeated. \param shape two numbers: rows, columns (columns < 2^31). `InputError` at `place` unless
/// the offsets rise from 0 to the number of entries and every column lies in [0, columns).
CsrMatrix csr_from_arrays(std::span<const std::int64_t> shape, const StoredArray& row_offsets,
                          const StoredArray& column_indices, const StoredArray& values,
                          const std::string& place);

}  // namespace gat::inline GAT_PRECISION
