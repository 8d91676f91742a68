#include "gat/nn/input_transform.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>

#include "core/named_values.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<InputTransform, 2> kNames{
    {{InputTransform::none, "none"}, {InputTransform::row_normalize, "row-normalize"}}};

void normalize(std::span<Real> row) {
  double sum = 0;
  for (const Real x : row) sum += std::abs(static_cast<double>(x));
  if (sum == 0) return;
  for (Real& x : row) x = static_cast<Real>(x / sum);
}

CsrMatrix with_sparse_columns(const CsrMatrix& matrix, ConstMatrixView columns) {
  CsrMatrix joined;
  joined.rows = matrix.rows;
  joined.cols = matrix.cols + columns.cols;
  const auto entries = static_cast<std::size_t>(matrix.num_entries() + columns.rows * columns.cols);
  joined.column_indices.reserve(entries);
  joined.values.reserve(entries);
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (auto e = static_cast<std::size_t>(matrix.row_offsets[at]);
         e < static_cast<std::size_t>(matrix.row_offsets[at + 1]); ++e) {
      joined.column_indices.push_back(matrix.column_indices[e]);
      joined.values.push_back(matrix.values[e]);
    }
    for (Index j = 0; j < columns.cols; ++j) {
      if (columns(i, j) == 0) continue;
      joined.column_indices.push_back(static_cast<NodeId>(matrix.cols + j));
      joined.values.push_back(columns(i, j));
    }
    joined.row_offsets.push_back(joined.num_entries());
  }
  return joined;
}

}  // namespace

std::string_view name_of(InputTransform transform) { return name_in(kNames, transform); }
InputTransform input_transform_named(std::string_view name) {
  return value_in(kNames, name, "input transform");
}

Features apply(InputTransform transform, const Features& features) {
  Features result = features;
  if (transform == InputTransform::none) return result;
  for (Index i = 0; i < result.rows(); ++i) {
    if (result.is_sparse) {
      const auto at = static_cast<std::size_t>(i);
      const auto begin = static_cast<std::size_t>(result.sparse.row_offsets[at]);
      const auto end = static_cast<std::size_t>(result.sparse.row_offsets[at + 1]);
      normalize(std::span(result.sparse.values).subspan(begin, end - begin));
    } else {
      normalize({result.dense.row(i), static_cast<std::size_t>(result.dense.cols())});
    }
  }
  return result;
}

Features with_columns(Features features, ConstMatrixView columns) {
  assert(features.rows() == columns.rows);
  if (columns.cols == 0) return features;
  Features joined;
  joined.is_sparse = features.is_sparse && features.cols() > 0;
  if (joined.is_sparse) {
    joined.sparse = with_sparse_columns(features.sparse, columns);
    return joined;
  }
  joined.dense.resize(columns.rows, features.cols() + columns.cols);
  for (Index i = 0; i < columns.rows; ++i) {
    if (features.cols() > 0) std::copy_n(features.dense.row(i), features.dense.cols(), joined.dense.row(i));
    std::copy_n(columns.row(i), columns.cols, joined.dense.row(i) + features.cols());
  }
  return joined;
}

}  // namespace gat::inline GAT_PRECISION
