#include "gat/kernels/batch_norm.hpp"

#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::random_matrix;
using gat::test::relative_difference;

TEST_CASE("moments of columns agree with plain loops", "[kernels][batch_norm][reference]") {
  for (const Index rows : {1, 2, 17, 3000}) {
    const Matrix x = random_matrix(rows, 19, 1);
    Matrix expected(2, 19);
    for (Index c = 0; c < 19; ++c) {
      double mean = 0, variance = 0;
      for (Index r = 0; r < rows; ++r) mean += x(r, c) / static_cast<double>(rows);
      for (Index r = 0; r < rows; ++r)
        variance += (x(r, c) - mean) * (x(r, c) - mean) / static_cast<double>(rows);
      expected(0, c) = static_cast<Real>(mean);
      expected(1, c) = static_cast<Real>(variance);
    }
    test::at_every_level([&](SimdLevel level) {
      Matrix moments(2, 19);
      Workspace workspace;
      column_moments(x, moments, {1, level}, workspace);
      CHECK(relative_difference(moments, expected) < 1e-6);
    });
  }
}

TEST_CASE("a large offset does not spoil the variance of a column", "[kernels][batch_norm][extreme]") {
  Matrix x(1024, 1);
  for (Index r = 0; r < 1024; ++r) x(r, 0) = static_cast<Real>(4096 + r % 2);
  test::at_every_level([&](SimdLevel level) {
    Matrix moments(2, 1);
    Workspace workspace;
    column_moments(x, moments, {1, level}, workspace);
    CHECK(moments(0, 0) == Approx(4096.5));
    CHECK(moments(1, 0) == Approx(0.25));
  });
}

TEST_CASE("the map of columns and its gradient agree with plain loops", "[kernels][batch_norm][reference]") {
  const Index rows = 40, outputs = 30;
  for (const Index width : {1, 16, 23}) {
    const Matrix x = random_matrix(rows, width, 1), columns = random_matrix(4, width, 2);
    const Matrix d_out = random_matrix(outputs, width, 3), before = random_matrix(rows, width, 4);
    Matrix out(outputs, width), d_x = before, sums(2, width);
    for (Index c = 0; c < width; ++c) {
      for (Index r = 0; r < rows; ++r) {
        const double left = static_cast<double>(x(r, c)) - columns(0, c);
        const double d = r < outputs ? static_cast<double>(d_out(r, c)) : 0;
        if (r < outputs) out(r, c) = static_cast<Real>(left * columns(1, c) + columns(2, c));
        d_x(r, c) += static_cast<Real>(columns(1, c) * d - columns(2, c) - left * columns(3, c));
        sums(0, c) += static_cast<Real>(d);
        sums(1, c) += static_cast<Real>(d * left);
      }
    }
    test::at_every_level([&](SimdLevel level) {
      INFO(width << " columns");
      Workspace workspace;
      Matrix mapped(outputs, width), added = before, fresh(rows, width), summed(2, width);
      ConstMatrixView forward_columns = columns.view();
      forward_columns.rows = 3;
      scale_columns(x, forward_columns, mapped, {1, level});
      scale_columns_backward(x, columns, d_out, added, true, {1, level});
      scale_columns_backward(x, columns, d_out, fresh, false, {1, level});
      centred_column_sums(x, columns.data(), d_out, summed, {1, level}, workspace);
      CHECK(relative_difference(mapped, out) < 1e-6);
      CHECK(relative_difference(added, d_x) < 1e-6);
      for (Index k = 0; k < fresh.size(); ++k) fresh.data()[k] += before.data()[k];
      CHECK(relative_difference(fresh, d_x) < 1e-6);
      CHECK(relative_difference(summed, sums) < 1e-5);
    });
  }
}

TEST_CASE("normalised columns have the same bits for any number of threads",
          "[kernels][batch_norm][determinism]") {
  const Matrix x = random_matrix(3000, 20, 1), d_out = random_matrix(3000, 20, 2);
  test::at_every_level([&](SimdLevel level) {
    Workspace workspace;
    Matrix moments(2, 20), sums(2, 20);
    column_moments(x, moments, {1, level}, workspace);
    centred_column_sums(x, moments.data(), d_out, sums, {1, level}, workspace);
    for (const int threads : test::kThreads) {
      Matrix again(2, 20), sums_again(2, 20);
      column_moments(x, again, {threads, level}, workspace);
      centred_column_sums(x, moments.data(), d_out, sums_again, {threads, level}, workspace);
      CHECK(test::same_bits(again, moments));
      CHECK(test::same_bits(sums_again, sums));
    }
  });
}
