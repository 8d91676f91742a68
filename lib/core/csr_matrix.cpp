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

CsrMatrix columns_of(const FeatureView& rows) {
  const CsrView& x = rows.sparse;
  const auto for_each_entry = [&](const auto& visit) {
    for (Index r = 0; r < rows.rows(); ++r) {
      const auto stored = static_cast<std::size_t>(rows.stored_row(r));
      for (EdgeId k = x.row_offsets[stored]; k < x.row_offsets[stored + 1]; ++k)
        visit(r, static_cast<std::size_t>(k));
    }
  };
  CsrMatrix columns;
  columns.rows = x.cols;
  columns.cols = rows.rows();
  columns.row_offsets.assign(static_cast<std::size_t>(x.cols) + 1, 0);
  for_each_entry([&](Index, std::size_t k) {
    ++columns.row_offsets[static_cast<std::size_t>(x.column_indices[k]) + 1];
  });
  for (std::size_t f = 1; f < columns.row_offsets.size(); ++f)
    columns.row_offsets[f] += columns.row_offsets[f - 1];
  columns.column_indices.resize(static_cast<std::size_t>(columns.row_offsets.back()));
  columns.values.resize(columns.column_indices.size());
  std::vector<EdgeId> next(columns.row_offsets.begin(), columns.row_offsets.end() - 1);
  for_each_entry([&](Index r, std::size_t k) {
    const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(x.column_indices[k])]++);
    columns.column_indices[slot] = static_cast<NodeId>(r);
    columns.values[slot] = x.values[k];
  });
  return columns;
}

}  // namespace gat::inline GAT_PRECISION
