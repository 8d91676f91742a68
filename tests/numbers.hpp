/// Small matrices for tests: written out, drawn at random, compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "gat/core/csr_matrix.hpp"
#include "gat/core/random.hpp"

namespace gat::test {

inline Matrix matrix_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix matrix(static_cast<Index>(rows.size()),
                rows.size() == 0 ? 0 : static_cast<Index>(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) {
    Index j = 0;
    for (const double value : row) matrix(i, j++) = static_cast<Real>(value);
    ++i;
  }
  return matrix;
}

/// One column.
inline Matrix column_of(std::initializer_list<double> values) {
  Matrix matrix(static_cast<Index>(values.size()), 1);
  Index i = 0;
  for (const double value : values) matrix(i++, 0) = static_cast<Real>(value);
  return matrix;
}

/// Uniform in [−1, 1).
inline Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Matrix matrix(rows, cols);
  const RandomStream stream(seed);
  for (Index k = 0; k < matrix.size(); ++k) {
    matrix.data()[k] = static_cast<Real>(2 * stream.uniform(static_cast<std::uint64_t>(k)) - 1);
  }
  return matrix;
}

/// The same with about half of the elements zero.
inline Matrix random_half_empty(Index rows, Index cols, std::uint64_t seed) {
  Matrix matrix = random_matrix(rows, cols, seed);
  for (Index k = 0; k < matrix.size(); ++k) matrix.data()[k] = std::max(matrix.data()[k], Real(0));
  return matrix;
}

/// The non-zeros of a dense matrix, row by row.
inline CsrMatrix sparse_copy(ConstMatrixView dense) {
  CsrMatrix sparse;
  sparse.rows = dense.rows;
  sparse.cols = dense.cols;
  for (Index i = 0; i < dense.rows; ++i) {
    for (Index j = 0; j < dense.cols; ++j) {
      if (dense(i, j) == 0) continue;
      sparse.column_indices.push_back(static_cast<NodeId>(j));
      sparse.values.push_back(dense(i, j));
    }
    sparse.row_offsets.push_back(sparse.num_entries());
  }
  return sparse;
}

/// Some rows of a matrix, copied.
inline Matrix rows_of(ConstMatrixView matrix, const std::vector<NodeId>& rows) {
  Matrix chosen(static_cast<Index>(rows.size()), matrix.cols);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::copy_n(matrix.row(rows[k]), matrix.cols, chosen.row(static_cast<Index>(k)));
  }
  return chosen;
}

inline bool same_bits(ConstMatrixView a, ConstMatrixView b) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  for (Index i = 0; i < a.rows && a.cols > 0; ++i) {
    if (std::memcmp(a.row(i), b.row(i), static_cast<std::size_t>(a.cols) * sizeof(Real)) != 0) return false;
  }
  return true;
}

/// max |a − b| / max |b| (the plain maximum where b vanishes); infinite when shapes differ or a is NaN.
inline double relative_difference(ConstMatrixView a, ConstMatrixView b) {
  if (a.rows != b.rows || a.cols != b.cols) return INFINITY;
  double worst = 0;
  double scale = 0;
  for (Index i = 0; i < b.rows; ++i) {
    for (Index j = 0; j < b.cols; ++j) {
      const double difference = std::abs(static_cast<double>(a(i, j)) - static_cast<double>(b(i, j)));
      if (std::isnan(difference)) return INFINITY;
      worst = std::max(worst, difference);
      scale = std::max(scale, std::abs(static_cast<double>(b(i, j))));
    }
  }
  return scale > 0 ? worst / scale : worst;
}

}  // namespace gat::test
