/// Row-major matrices: the owning `Matrix` and the views that every kernel takes.
///
/// Views borrow: they are valid as long as the memory they were made from. Element (i, j) of a view
/// lies at data[i · stride + j]; sizes and offsets are 64-bit, so i · stride never overflows.
#pragma once

#include <cassert>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// A read-only window on row-major numbers; an empty view (`empty()`) stands for "not given".
struct ConstMatrixView {
  const Real* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;

  ConstMatrixView() = default;
  ConstMatrixView(const Real* first, Index num_rows, Index num_cols)
      : data(first), rows(num_rows), cols(num_cols), stride(num_cols) {}
  ConstMatrixView(const Real* first, Index num_rows, Index num_cols, Index row_stride)
      : data(first), rows(num_rows), cols(num_cols), stride(row_stride) {}

  const Real* row(Index i) const { return data + i * stride; }
  Real operator()(Index i, Index j) const { return data[i * stride + j]; }
  bool empty() const { return data == nullptr; }
  ConstMatrixView columns(Index first, Index count) const { return {data + first, rows, count, stride}; }
};

/// A writable window on row-major numbers.
struct MatrixView {
  Real* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;

  MatrixView() = default;
  MatrixView(Real* first, Index num_rows, Index num_cols)
      : data(first), rows(num_rows), cols(num_cols), stride(num_cols) {}
  MatrixView(Real* first, Index num_rows, Index num_cols, Index row_stride)
      : data(first), rows(num_rows), cols(num_cols), stride(row_stride) {}

  Real* row(Index i) const { return data + i * stride; }
  Real& operator()(Index i, Index j) const { return data[i * stride + j]; }
  bool empty() const { return data == nullptr; }
  MatrixView columns(Index first, Index count) const { return {data + first, rows, count, stride}; }
  operator ConstMatrixView() const { return {data, rows, cols, stride}; }

  void fill(Real value) const {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) (*this)(i, j) = value;
    }
  }
};

/// Memory for `count` numbers, aligned to 64 bytes; large blocks ask for huge pages, where gathers of
/// random rows miss fewer address translations. \throws std::bad_alloc
Real* allocate_numbers(Index count);
void release_numbers(Real* memory) noexcept;

/// An owning row-major buffer, aligned to 64 bytes whatever instruction set the caller is built for.
/// A new matrix holds zeros. `resize` keeps the memory when it is large enough.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols) { resize(rows, cols); }
  explicit Matrix(ConstMatrixView other) { *this = other; }
  Matrix(const Matrix& other) { *this = ConstMatrixView(other.view()); }
  Matrix(Matrix&& other) noexcept { swap(other); }
  Matrix& operator=(const Matrix& other) {
    if (this != &other) *this = ConstMatrixView(other.view());
    return *this;
  }
  Matrix& operator=(Matrix&& other) noexcept {
    swap(other);
    return *this;
  }
  Matrix& operator=(ConstMatrixView other) {
    reserve(other.rows * other.cols);
    rows_ = other.rows;
    cols_ = other.cols;
    for (Index i = 0; i < rows_; ++i) {
      for (Index j = 0; j < cols_; ++j) (*this)(i, j) = other(i, j);
    }
    return *this;
  }

  /// Gives the matrix a new shape; every element becomes zero.
  void resize(Index rows, Index cols) {
    reserve(rows * cols);
    rows_ = rows;
    cols_ = cols;
    if (rows * cols > 0) std::memset(data(), 0, static_cast<std::size_t>(rows * cols) * sizeof(Real));
  }

  /// Gives the matrix a new shape without touching its elements; used by buffers that are
  /// overwritten in each round.
  void reshape(Index rows, Index cols) {
    reserve(rows * cols);
    rows_ = rows;
    cols_ = cols;
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  bool empty() const { return rows_ * cols_ == 0; }
  Index capacity() const { return capacity_; }  ///< numbers that fit into its memory
  Real* data() { return data_.get(); }
  const Real* data() const { return data_.get(); }
  Real* row(Index i) { return data() + i * cols_; }
  const Real* row(Index i) const { return data() + i * cols_; }
  Real& operator()(Index i, Index j) { return data()[i * cols_ + j]; }
  Real operator()(Index i, Index j) const { return data()[i * cols_ + j]; }

  MatrixView view() { return {data(), rows_, cols_}; }
  ConstMatrixView view() const { return {data(), rows_, cols_}; }
  operator MatrixView() { return view(); }
  operator ConstMatrixView() const { return view(); }

  void swap(Matrix& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
  }

 private:
  struct Release {
    void operator()(Real* memory) const { release_numbers(memory); }
  };

  void reserve(Index size) {
    assert(size >= 0);
    if (size <= capacity_ && data_) return;
    // A shape with a zero keeps one element, so that its view is not taken for "not given".
    const Index wanted = size > 0 ? size : 1;
    // The old numbers first: both at once would be the peak.
    data_.reset();
    capacity_ = rows_ = cols_ = 0;
    data_.reset(allocate_numbers(wanted));
    capacity_ = wanted;
  }

  std::unique_ptr<Real, Release> data_;
  Index capacity_ = 0;
  Index rows_ = 0;
  Index cols_ = 0;
};

}  // namespace gat::inline GAT_PRECISION
