#include <limits>

#include "gat/core/error.hpp"
#include "gat/io/stored_array.hpp"

namespace gat::inline GAT_PRECISION {

CsrMatrix csr_from_arrays(std::span<const std::int64_t> shape, const StoredArray& row_offsets,
                          const StoredArray& column_indices, const StoredArray& values,
                          const std::string& place) {
  constexpr std::int64_t kMost = std::numeric_limits<NodeId>::max();
  if (shape.size() != 2) {
    throw InputError(
        place, "a sparse matrix with a shape of " + std::to_string(shape.size()) + " numbers; expected 2");
  }
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > kMost) {
      throw InputError(place, "a sparse matrix with " + std::to_string(extent) +
                                  " rows or columns; at most " + std::to_string(kMost) + " are supported");
    }
  }
  CsrMatrix matrix;
  matrix.rows = shape[0];
  matrix.cols = shape[1];
  matrix.row_offsets = row_offsets.as_integers();
  matrix.values = values.as_reals();
  const std::vector<std::int64_t> columns = column_indices.as_integers();
  matrix.column_indices.reserve(columns.size());
  for (const std::int64_t column : columns) {
    if (column < 0 || column >= matrix.cols) {
      throw InputError(column_indices.place(), "column index " + std::to_string(column) + " is outside 0.." +
                                                   std::to_string(matrix.cols - 1));
    }
    matrix.column_indices.push_back(static_cast<NodeId>(column));
  }
  try {
    validate(matrix.view(), "sparse matrix");
  } catch (const ShapeError& error) {
    throw InputError(place, error.what());
  }
  return matrix;
}

}  // namespace gat::inline GAT_PRECISION
