#include "gat/core/csr_matrix.hpp"

#include <string>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

void validate(const CsrView& matrix, const char* what) {
  const std::string name = what;
  const auto entries = static_cast<EdgeId>(matrix.column_indices.size());
  if (static_cast<Index>(matrix.row_offsets.size()) != matrix.rows + 1) {
    throw ShapeError(name + ": " + std::to_string(matrix.row_offsets.size()) + " row offsets for " +
                     std::to_string(matrix.rows) + " rows; expected one more than rows");
  }
  if (matrix.row_offsets.front() != 0 || matrix.row_offsets.back() != entries ||
      matrix.values.size() != matrix.column_indices.size()) {
    throw ShapeError(name + ": row offsets run from " + std::to_string(matrix.row_offsets.front()) + " to " +
                     std::to_string(matrix.row_offsets.back()) + ", but there are " +
                     std::to_string(entries) + " column indices and " + std::to_string(matrix.values.size()) +
                     " values");
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (matrix.row_offsets[at] > matrix.row_offsets[at + 1]) {
      throw ShapeError(name + ": row offsets fall after row " + std::to_string(i));
    }
  }
  for (const NodeId column : matrix.column_indices) {
    if (column < 0 || column >= matrix.cols) {
      throw ShapeError(name + ": column index " + std::to_string(column) + " is outside 0.." +
                       std::to_string(matrix.cols - 1));
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
