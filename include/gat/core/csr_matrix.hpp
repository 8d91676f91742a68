/// Sparse matrices in compressed row form, and `FeatureView`: dense or sparse rows under one type.
#pragma once

#include <span>
#include <vector>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// A read-only sparse matrix: row i holds entries row_offsets[i] … row_offsets[i+1] − 1.
struct CsrView {
  Index rows = 0;
  Index cols = 0;
  std::span<const EdgeId> row_offsets;     // rows + 1
  std::span<const NodeId> column_indices;  // one per entry, in [0, cols)
  std::span<const Real> values;            // one per entry
};

/// An owning sparse matrix; columns within a row keep the order they were given in.
struct CsrMatrix {
  Index rows = 0;
  Index cols = 0;
  std::vector<EdgeId> row_offsets{0};
  std::vector<NodeId> column_indices;
  std::vector<Real> values;

  Index num_entries() const { return static_cast<Index>(values.size()); }
  CsrView view() const { return {rows, cols, row_offsets, column_indices, values}; }
};

/// Throws `ShapeError` unless the offsets rise from 0 to the number of entries, the arrays have the
/// lengths that they imply, and every column lies in [0, cols). \param what names the matrix.
void validate(const CsrView& matrix, const char* what);

/// Rows of node features, dense or sparse, read through optional row ids: row i of the view is row
/// row_ids[i] of the matrix behind it (row i itself when there are none), so a part is not copied.
struct FeatureView {
  ConstMatrixView dense;            // empty when the rows are sparse
  CsrView sparse;                   // used when `dense` is empty
  std::span<const NodeId> row_ids;  // empty = every row in order
  /// Of sparse rows, optional: their transpose (`columns_of`), which gradients of weights read. Without
  /// it every gradient makes its own.
  CsrView columns;

  FeatureView() = default;
  FeatureView(ConstMatrixView matrix) : dense(matrix) {}
  FeatureView(MatrixView matrix) : dense(matrix) {}
  FeatureView(const Matrix& matrix) : dense(matrix.view()) {}
  FeatureView(const CsrView& matrix) : sparse(matrix) {}

  bool empty() const { return dense.empty() && sparse.row_offsets.empty(); }
  bool is_sparse() const { return dense.empty() && !sparse.row_offsets.empty(); }
  Index cols() const { return is_sparse() ? sparse.cols : dense.cols; }
  Index rows() const {
    if (!row_ids.empty()) return static_cast<Index>(row_ids.size());
    return is_sparse() ? sparse.rows : dense.rows;
  }
  Index stored_row(Index i) const { return row_ids.empty() ? i : row_ids[static_cast<std::size_t>(i)]; }
};

/// The first rows of a view; nothing is copied.
inline FeatureView first_rows(FeatureView rows, Index count) {
  const auto n = static_cast<std::size_t>(count);
  if (count != rows.rows()) rows.columns = {};
  if (!rows.row_ids.empty()) {
    rows.row_ids = rows.row_ids.first(n);
  } else if (rows.is_sparse()) {
    rows.sparse.rows = count;
    rows.sparse.row_offsets = rows.sparse.row_offsets.first(n + 1);
  } else {
    rows.dense.rows = count;
  }
  return rows;
}

/// The transpose of sparse rows: row f lists, in order, the rows of the view with an entry in column f.
/// \pre rows.is_sparse()
CsrMatrix columns_of(const FeatureView& rows);

/// Node features as a data set holds them: exactly one of the two forms is used.
struct Features {
  Matrix dense;
  CsrMatrix sparse;
  bool is_sparse = false;

  Index rows() const { return is_sparse ? sparse.rows : dense.rows(); }
  Index cols() const { return is_sparse ? sparse.cols : dense.cols(); }
  FeatureView view() const { return is_sparse ? FeatureView(sparse.view()) : FeatureView(dense); }
};

}  // namespace gat::inline GAT_PRECISION
