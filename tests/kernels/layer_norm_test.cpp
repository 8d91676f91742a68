#include "gat/kernels/layer_norm.hpp"

#include <cmath>

#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::random_matrix;
using gat::test::relative_difference;

namespace {

constexpr double kEpsilon = 1e-5;

// One row after another, in double.
struct Reference {
  Reference(const Matrix& x, const Matrix& gain, const Matrix& shift, const Matrix& d_out)
      : out(x.rows(), x.cols()), d_x(x.rows(), x.cols()), d_gain(1, x.cols()), d_shift(1, x.cols()) {
    const auto width = static_cast<double>(x.cols());
    for (Index r = 0; r < x.rows(); ++r) {
      double mean = 0, variance = 0, a = 0, b = 0;
      for (Index c = 0; c < x.cols(); ++c) mean += x(r, c) / width;
      for (Index c = 0; c < x.cols(); ++c) variance += (x(r, c) - mean) * (x(r, c) - mean) / width;
      const double inverse = 1 / std::sqrt(variance + kEpsilon);
      const auto hat = [&](Index c) { return (x(r, c) - mean) * inverse; };
      const auto g = [&](Index c) { return static_cast<double>(d_out(r, c)) * gain(0, c); };
      for (Index c = 0; c < x.cols(); ++c) a += g(c) / width;
      for (Index c = 0; c < x.cols(); ++c) b += g(c) * hat(c) / width;
      for (Index c = 0; c < x.cols(); ++c) {
        out(r, c) = static_cast<Real>(hat(c) * gain(0, c) + shift(0, c));
        d_x(r, c) = static_cast<Real>(inverse * (g(c) - a - hat(c) * b));
        d_gain(0, c) += static_cast<Real>(d_out(r, c) * hat(c));
        d_shift(0, c) += d_out(r, c);
      }
    }
  }
  Matrix out, d_x, d_gain, d_shift;
};

struct Computed {
  Computed(const Matrix& x, const Matrix& gain, const Matrix& shift, const Matrix& d_out,
           const Execution& execution)
      : moments(x.rows(), 2),
        out(x.rows(), x.cols()),
        d_x(x.rows(), x.cols()),
        d_gain(1, x.cols()),
        d_shift(1, x.cols()) {
    NormalizedRows rows{x, moments, gain.data(), shift.data()};
    layer_norm_rows(rows, kEpsilon, moments, out, execution);
    Workspace workspace;
    normalize_rows_backward(rows, {d_out, {}, d_x, false, d_gain, d_shift}, execution, workspace);
  }
  Matrix moments, out, d_x, d_gain, d_shift;
};

}  // namespace

TEST_CASE("a row of 1, 3 is normalised to minus one and one", "[kernels][layer_norm][unit]") {
  const Matrix x = test::matrix_of({{1, 3}});
  test::at_every_level([&](SimdLevel level) {
    Matrix moments(1, 2), out(1, 2);
    row_moments(x, moments, {1, level});
    CHECK(moments(0, 0) == 2);
    CHECK(moments(0, 1) == 1);
    layer_norm_rows({x, {}, nullptr, nullptr}, 0, moments, out, {1, level});
    CHECK(out(0, 0) == -1);
    CHECK(out(0, 1) == 1);
  });
}

TEST_CASE("normalised rows and their gradients agree with plain loops", "[kernels][layer_norm][reference]") {
  for (const Index width : {1, 3, 15, 16, 17, 64, 100}) {
    const Matrix x = random_matrix(50, width, 1), d_out = random_matrix(50, width, 2);
    const Matrix gain = random_matrix(1, width, 3), shift = random_matrix(1, width, 4);
    const Reference expected(x, gain, shift, d_out);
    test::at_every_level([&](SimdLevel level) {
      INFO(width << " columns");
      const Computed run(x, gain, shift, d_out, {1, level});
      CHECK(relative_difference(run.out, expected.out) < 1e-5);
      CHECK(relative_difference(run.d_shift, expected.d_shift) < 1e-5);
      if (width == 1) return;  // the others vanish
      CHECK(relative_difference(run.d_x, expected.d_x) < 1e-5);
      CHECK(relative_difference(run.d_gain, expected.d_gain) < 1e-5);
    });
  }
}

TEST_CASE("means handed in replace those of the row, and missing rows of d_out are zeros",
          "[kernels][layer_norm][unit]") {
  const Matrix x = random_matrix(6, 20, 1), moments = random_matrix(6, 2, 2), means = random_matrix(6, 2, 3);
  const Matrix gain = random_matrix(1, 20, 4), d_out = random_matrix(4, 20, 5),
               before = random_matrix(6, 20, 6);
  Matrix expected = before, sums(4, 2), expected_sums(4, 2);
  for (Index r = 0; r < 6; ++r) {
    for (Index c = 0; c < 20; ++c) {
      const double hat = (static_cast<double>(x(r, c)) - moments(r, 0)) * moments(r, 1);
      const double g = r < 4 ? static_cast<double>(d_out(r, c)) * gain(0, c) : 0;
      expected(r, c) += static_cast<Real>(moments(r, 1) * (g - means(r, 0) - hat * means(r, 1)));
      if (r < 4) expected_sums(r, 0) += static_cast<Real>(g);
      if (r < 4) expected_sums(r, 1) += static_cast<Real>(g * hat);
    }
  }
  test::at_every_level([&](SimdLevel level) {
    Matrix d_x = before;
    Workspace workspace;
    const NormalizedRows rows{x, moments, gain.data(), nullptr};
    normalize_rows_backward(rows, {d_out, means, d_x, true, {}, {}}, {1, level}, workspace);
    CHECK(relative_difference(d_x, expected) < 1e-5);
    normalized_row_sums(rows, d_out, sums, {1, level});
    CHECK(relative_difference(sums, expected_sums) < 1e-5);
  });
}

TEST_CASE("normalised rows have the same bits for any number of threads",
          "[kernels][layer_norm][determinism]") {
  const Matrix x = random_matrix(2000, 30, 1), d_out = random_matrix(2000, 30, 2);
  const Matrix gain = random_matrix(1, 30, 3), shift = random_matrix(1, 30, 4);
  test::at_every_level([&](SimdLevel level) {
    const Computed serial(x, gain, shift, d_out, {1, level});
    for (const int threads : test::kThreads) {
      const Computed run(x, gain, shift, d_out, {threads, level});
      CHECK(test::same_bits(run.out, serial.out));
      CHECK(test::same_bits(run.d_x, serial.d_x));
      CHECK(test::same_bits(run.d_gain, serial.d_gain));
      CHECK(test::same_bits(run.d_shift, serial.d_shift));
    }
  });
}

TEST_CASE("constant, tiny and large rows stay finite", "[kernels][layer_norm][extreme]") {
  Matrix x(3, 20);
  for (Index c = 0; c < 20; ++c) {
    x(0, c) = 7;
    x(1, c) = static_cast<Real>(1e-20 * static_cast<double>(c));
    x(2, c) = static_cast<Real>(1e15 * static_cast<double>(c));
  }
  Matrix ones(1, 20);
  ones.view().fill(1);
  test::at_every_level([&](SimdLevel level) {
    const Computed run(x, ones, ones, x, {1, level});
    for (Index k = 0; k < 60; ++k) CHECK(std::isfinite(run.out.data()[k]));
    for (Index k = 0; k < 60; ++k) CHECK(std::isfinite(run.d_x.data()[k]));
    CHECK(run.out(0, 3) == 1);
  });
}
