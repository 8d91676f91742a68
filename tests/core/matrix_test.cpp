#include "gat/core/matrix.hpp"

#include <cstdint>
#include <utility>

#include "catch.hpp"
#include "gat/core/eigen.hpp"
#include "numbers.hpp"
#include "reserved_numbers.hpp"

using namespace gat;
using gat::test::matrix_of;

TEST_CASE("a matrix with a zero in its shape is given, a default one is not", "[core][matrix][unit]") {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{0, 5}, {5, 0}, {0, 0}}) {
    const Matrix matrix(rows, cols);
    CHECK(matrix.rows() == rows);
    CHECK(matrix.cols() == cols);
    CHECK(matrix.empty());
    CHECK_FALSE(matrix.view().empty());
    CHECK(Matrix(matrix).cols() == cols);
  }
  CHECK(Matrix().view().empty());
  CHECK(ConstMatrixView().empty());
}

TEST_CASE("the memory of every matrix is aligned to 64 bytes", "[core][matrix][unit]") {
  for (Index size = 0; size < 200; ++size) {
    const Matrix matrix(1, size);
    CHECK(reinterpret_cast<std::uintptr_t>(matrix.data()) % 64 == 0);
  }
}

TEST_CASE("resizing gives zeros, reshaping keeps memory that is large enough", "[core][matrix][unit]") {
  Matrix matrix = matrix_of({{1, 2}, {3, 4}});
  const Real* const memory = matrix.data();
  matrix.reshape(4, 1);
  CHECK(matrix.data() == memory);
  CHECK(matrix(3, 0) == 4);
  matrix.resize(1, 3);
  CHECK(matrix.data() == memory);
  CHECK(test::same_bits(matrix, matrix_of({{0, 0, 0}})));
  matrix.resize(10, 10);
  CHECK(test::same_bits(matrix, Matrix(10, 10)));
}

TEST_CASE("copies own their numbers, moves hand them over", "[core][matrix][unit]") {
  const Matrix first = matrix_of({{1, 2}, {3, 4}});
  Matrix copy = first;
  copy(0, 0) = 9;
  CHECK(first(0, 0) == 1);
  const Real* const memory = copy.data();
  const Matrix moved = std::move(copy);
  CHECK(moved.data() == memory);
  CHECK(moved(0, 0) == 9);
}

TEST_CASE("a copy of some columns is packed", "[core][matrix][unit]") {
  Matrix matrix = matrix_of({{1, 2, 3}, {4, 5, 6}});
  const MatrixView last = matrix.view().columns(1, 2);
  CHECK(last.stride == 3);
  CHECK(last(1, 0) == 5);
  CHECK(test::same_bits(Matrix(last), matrix_of({{2, 3}, {5, 6}})));
  last.fill(0);
  CHECK(test::same_bits(matrix, matrix_of({{1, 0, 0}, {4, 0, 0}})));
}

TEST_CASE("Eigen matrices and ours are views of each other", "[core][matrix][eigen][unit]") {
  EigenMatrix eigen(2, 3);
  eigen << 1, 2, 3, 4, 5, 6;
  CHECK(test::same_bits(as_view(eigen), matrix_of({{1, 2, 3}, {4, 5, 6}})));
  CHECK(test::same_bits(as_view(eigen.rightCols(2)), matrix_of({{2, 3}, {5, 6}})));
  Matrix ours(2, 3);
  as_eigen(ours.view().columns(0, 2)) = eigen.leftCols(2);
  CHECK(test::same_bits(ours, matrix_of({{1, 2, 0}, {4, 5, 0}})));
}

TEST_CASE("B47: elements beyond 2^31 are found by 64-bit offsets", "[core][matrix][cases]") {
  struct Shape {
    Index rows, cols, offset_of_last;
  };
  for (const Shape& shape : {Shape{300000000, 8, 2399999999}, Shape{40000000, 64, 2559999999}}) {
    const test::ReservedNumbers memory(shape.rows * shape.cols);
    if (!memory.given()) {
      WARN("skipped: this system gives no addresses for " << shape.rows * shape.cols << " numbers");
      continue;
    }
    const MatrixView matrix(memory.numbers(), shape.rows, shape.cols);
    matrix(shape.rows - 1, shape.cols - 1) = 7;
    CHECK(memory.numbers()[shape.offset_of_last] == 7);
    CHECK(ConstMatrixView(matrix).row(shape.rows - 1)[shape.cols - 1] == 7);
    CHECK(matrix.columns(shape.cols - 1, 1)(shape.rows - 1, 0) == 7);
  }
}
