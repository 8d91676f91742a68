#include "gat/kernels/activation.hpp"

#include "data/expectations.hpp"
#include "kernels/activation_reference.hpp"
#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::known_activations;
using gat::test::KnownActivation;

namespace {

// What textbooks say about every element of x.
Matrix expected_values(const KnownActivation& known, const Matrix& x) {
  Matrix value(x.rows(), x.cols());
  for (Index k = 0; k < x.size(); ++k)
    value.data()[k] = static_cast<Real>(known.value(static_cast<double>(x.data()[k])));
  return value;
}
Matrix expected_gradient(const KnownActivation& known, const Matrix& x, const Matrix& d_out) {
  Matrix gradient(x.rows(), x.cols());
  for (Index k = 0; k < x.size(); ++k) {
    const double slope = known.slope(static_cast<double>(x.data()[k]));
    gradient.data()[k] = static_cast<Real>(static_cast<double>(d_out.data()[k]) * slope);
  }
  return gradient;
}

// From −8 to 8, so that every branch and both tails are met.
Matrix wide_matrix(Index rows, Index cols) {
  Matrix x = test::random_matrix(rows, cols, 3);
  for (Index k = 0; k < x.size(); ++k) x.data()[k] *= 8;
  return x;
}

}  // namespace

TEST_CASE("activations have their textbook values and slopes", "[kernels][activation][unit]") {
  const Matrix x = test::matrix_of({{-3, -1, -0.25, 0}, {0.25, 1, 2, 5}});
  const Matrix d_out = test::random_matrix(2, 4, 1);
  test::at_every_level([&](SimdLevel level) {
    for (const KnownActivation& known : known_activations()) {
      INFO(name_of(known.activation.kind));
      Matrix out(2, 4), d_x(2, 4);
      activation_forward(known.activation, x, out, {1, level});
      activation_backward(known.activation, x, d_out, d_x, {1, level});
      CHECK(test::relative_difference(out, expected_values(known, x)) < 1e-6);
      CHECK(test::relative_difference(d_x, expected_gradient(known, x, d_out)) < 1e-6);
    }
  });
}

TEST_CASE("activations agree with the plain formulas at every width, from argument and from value",
          "[kernels][activation][reference]") {
  for (const Index width : {1, 7, 15, 16, 17, 40}) {
    const Matrix x = wide_matrix(9, width);
    const Matrix d_out = test::random_matrix(9, width, 4);
    test::at_every_level([&](SimdLevel level) {
      for (const KnownActivation& known : known_activations()) {
        INFO(name_of(known.activation.kind) << ", " << width << " columns");
        Matrix out(9, width), d_x(9, width), from_value = d_out;
        activation_forward(known.activation, x, out, {1, level});
        activation_backward(known.activation, x, d_out, d_x, {1, level});
        CHECK(test::relative_difference(out, expected_values(known, x)) < 1e-6);
        CHECK(test::relative_difference(d_x, expected_gradient(known, x, d_out)) < 1e-6);
        if (!slope_from_value(known.activation)) continue;
        activation_backward(known.activation, out, from_value, from_value, {1, level}, true);
        CHECK(test::relative_difference(from_value, d_x) < 1e-6);
      }
    });
  }
}

TEST_CASE("the tanh form of GELU stays within 1e-3 of the exact one", "[kernels][activation][unit]") {
  const Matrix x = test::matrix_of({{-3, -1, -0.25, 0, 0.25, 1, 3}});
  Matrix exact(1, 7), approximate(1, 7);
  activation_forward({ActivationKind::gelu, 1}, x, exact, 1);
  activation_forward({ActivationKind::gelu_tanh, 1}, x, approximate, 1);
  CHECK(test::relative_difference(approximate, exact) < 1e-3);
  CHECK_FALSE(test::same_bits(approximate, exact));
  CHECK(approximate(0, 5) == Approx(0.841192).epsilon(1e-6));
}

TEST_CASE("GELU keeps its relative precision in the left tail", "[kernels][activation][extreme]") {
  Matrix x(1, 4000), out(1, 4000), d(1, 4000), ones(1, 4000);
  ones.view().fill(1);
  for (Index k = 0; k < 4000; ++k) x(0, k) = static_cast<Real>(-12 + 0.006 * static_cast<double>(k));
  test::at_every_level([&](SimdLevel level) {
    activation_forward({ActivationKind::gelu, 1}, x, out, {1, level});
    activation_backward({ActivationKind::gelu, 1}, x, ones, d, {1, level});
    double worst = 0, worst_slope = 0;
    for (Index k = 0; k < 4000; ++k) {
      const auto at = static_cast<double>(x(0, k));
      const double value = at * test::gelu_share(at),
                   slope = test::gelu_share(at) + at * test::gelu_density(at);
      if (at != 0) worst = std::max(worst, std::abs(static_cast<double>(out(0, k)) / value - 1));
      worst_slope = std::max(worst_slope, std::abs(static_cast<double>(d(0, k)) - slope));
    }
    CHECK(worst < 1e-5);
    CHECK(worst_slope < 1e-6);
  });
}

TEST_CASE("activations are finite at extreme arguments", "[kernels][activation][extreme]") {
  const Matrix x = test::matrix_of({{-1e30, -100, 100}});
  test::at_every_level([&](SimdLevel level) {
    for (const KnownActivation& known : known_activations()) {
      INFO(name_of(known.activation.kind));
      Matrix out(1, 3), d_x(1, 3);
      activation_forward(known.activation, x, out, {1, level});
      activation_backward(known.activation, x, out, d_x, {1, level});
      for (Index k = 0; k < 3; ++k) CHECK(std::isfinite(out(0, k)));
      for (Index k = 0; k < 3; ++k) CHECK(std::isfinite(d_x(0, k)));
    }
  });
}

TEST_CASE("activations work in place and with any number of threads", "[kernels][activation][determinism]") {
  const Matrix x = test::random_matrix(1000, 10, 2);
  test::at_every_level([&](SimdLevel level) {
    for (const KnownActivation& known : known_activations()) {
      Matrix out(1000, 10), d_x(1000, 10);
      activation_forward(known.activation, x, out, {1, level});
      activation_backward(known.activation, x, out, d_x, {1, level});
      for (const int threads : test::kThreads) {
        Matrix same = x, gradient = out;
        activation_forward(known.activation, same, same, {threads, level});
        CHECK(test::same_bits(same, out));
        activation_backward(known.activation, x, gradient, gradient, {threads, level});
        CHECK(test::same_bits(gradient, d_x));
      }
    }
  });
}

TEST_CASE("activations have names, and unknown ones answer with the nearest",
          "[kernels][activation][names]") {
  for (const char* name : {"identity", "relu", "leaky-relu", "elu", "gelu", "gelu-tanh", "sigmoid", "tanh"}) {
    CHECK(name_of(activation_named(name)) == name);
  }
  CHECK_THROWS_AS(activation_named("eluu"), UsageError);
  CHECK(lacking(message_of([] { activation_named("eluu"); }), {"activation", "did you mean \"elu\""}) == "");
}
