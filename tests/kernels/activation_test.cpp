#include "gat/kernels/activation.hpp"

#include <cmath>
#include <functional>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "numbers.hpp"

using namespace gat;

namespace {

struct Known {
  Activation activation;
  std::function<double(double)> value, slope;
};

double gelu_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }
double gelu_share(double x) { return (1 + std::erf(x / std::sqrt(2.0))) / 2; }

const std::vector<Known> kKnown{
    {{ActivationKind::identity, 1}, [](double x) { return x; }, [](double) { return 1.0; }},
    {{ActivationKind::relu, 1},
     [](double x) { return std::max(x, 0.0); },
     [](double x) { return x > 0 ? 1.0 : 0.0; }},
    {{ActivationKind::leaky_relu, 0.1},
     [](double x) { return x > 0 ? x : 0.1 * x; },
     [](double x) { return x > 0 ? 1 : 0.1; }},
    {{ActivationKind::elu, 0.5},
     [](double x) { return x > 0 ? x : 0.5 * (std::exp(x) - 1); },
     [](double x) { return x > 0 ? 1 : 0.5 * std::exp(x); }},
    {{ActivationKind::gelu, 1},
     [](double x) { return x * gelu_share(x); },
     [](double x) { return gelu_share(x) + x * gelu_density(x); }},
    {{ActivationKind::sigmoid, 1},
     [](double x) { return 1 / (1 + std::exp(-x)); },
     [](double x) { return 1 / (2 + std::exp(x) + std::exp(-x)); }},
    {{ActivationKind::tanh, 1},
     [](double x) { return std::tanh(x); },
     [](double x) { return 1 - std::tanh(x) * std::tanh(x); }}};

}  // namespace

TEST_CASE("activations have their textbook values and slopes", "[kernels][activation][unit]") {
  const Matrix x = test::matrix_of({{-3, -1, -0.25, 0}, {0.25, 1, 2, 5}});
  const Matrix d_out = test::random_matrix(2, 4, 1);
  for (const Known& known : kKnown) {
    INFO(name_of(known.activation.kind));
    Matrix out(2, 4), d_x(2, 4), value(2, 4), gradient(2, 4);
    activation_forward(known.activation, x, out, 1);
    activation_backward(known.activation, x, d_out, d_x, 1);
    for (Index k = 0; k < 8; ++k) {
      value.data()[k] = static_cast<Real>(known.value(static_cast<double>(x.data()[k])));
      gradient.data()[k] = d_out.data()[k] * static_cast<Real>(known.slope(static_cast<double>(x.data()[k])));
    }
    CHECK(test::relative_difference(out, value) < 1e-6);
    CHECK(test::relative_difference(d_x, gradient) < 1e-6);
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

TEST_CASE("activations are finite at extreme arguments", "[kernels][activation][extreme]") {
  const Matrix x = test::matrix_of({{-1e30, -100, 100}});
  for (const Known& known : kKnown) {
    INFO(name_of(known.activation.kind));
    Matrix out(1, 3), d_x(1, 3);
    activation_forward(known.activation, x, out, 1);
    activation_backward(known.activation, x, out, d_x, 1);
    for (Index k = 0; k < 3; ++k) CHECK(std::isfinite(out(0, k)));
    for (Index k = 0; k < 3; ++k) CHECK(std::isfinite(d_x(0, k)));
  }
}

TEST_CASE("activations work in place and with any number of threads", "[kernels][activation][determinism]") {
  const Matrix x = test::random_matrix(1000, 10, 2);
  for (const Known& known : kKnown) {
    Matrix out(1000, 10);
    activation_forward(known.activation, x, out, 1);
    for (const int threads : {1, 2, 3, 8}) {
      Matrix same = x;
      activation_forward(known.activation, same, same, threads);
      CHECK(test::same_bits(same, out));
    }
  }
}

TEST_CASE("activations have names, and unknown ones answer with the nearest",
          "[kernels][activation][names]") {
  for (const char* name : {"identity", "relu", "leaky-relu", "elu", "gelu", "gelu-tanh", "sigmoid", "tanh"}) {
    CHECK(name_of(activation_named(name)) == name);
  }
  CHECK_THROWS_AS(activation_named("eluu"), UsageError);
  CHECK(lacking(message_of([] { activation_named("eluu"); }), {"activation", "did you mean \"elu\""}) == "");
}
