#include "gat/kernels/activation.hpp"

#include <cmath>
#include <numbers>

#include "core/named_values.hpp"
#include "core/parallel.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<ActivationKind, 8> kNames{{{ActivationKind::identity, "identity"},
                                                 {ActivationKind::relu, "relu"},
                                                 {ActivationKind::leaky_relu, "leaky-relu"},
                                                 {ActivationKind::elu, "elu"},
                                                 {ActivationKind::gelu, "gelu"},
                                                 {ActivationKind::gelu_tanh, "gelu-tanh"},
                                                 {ActivationKind::sigmoid, "sigmoid"},
                                                 {ActivationKind::tanh, "tanh"}}};

// One activation: its value and, below it, its derivative.
struct Identity {
  Real value(Real x) const { return x; }
  Real slope(Real) const { return 1; }
};
struct Relu {
  Real value(Real x) const { return x > 0 ? x : 0; }
  Real slope(Real x) const { return x > 0 ? Real(1) : Real(0); }
};
struct LeakyRelu {
  Real negative_slope;
  Real value(Real x) const { return x > 0 ? x : negative_slope * x; }
  Real slope(Real x) const { return x > 0 ? Real(1) : negative_slope; }
};
struct Elu {
  Real alpha;
  Real value(Real x) const { return x > 0 ? x : alpha * std::expm1(x); }
  Real slope(Real x) const { return x > 0 ? Real(1) : alpha * std::exp(x); }
};
struct Gelu {
  Real value(Real x) const { return x * cumulative(x); }
  Real slope(Real x) const { return cumulative(x) + x * density(x); }
  // Φ(x) by erfc, which keeps its relative precision in the left tail.
  static Real cumulative(Real x) { return Real(0.5) * std::erfc(-x / std::numbers::sqrt2_v<Real>); }
  static Real density(Real x) {
    return std::numbers::inv_sqrtpi_v<Real> / std::numbers::sqrt2_v<Real> * std::exp(Real(-0.5) * x * x);
  }
};
struct GeluTanh {
  static constexpr Real kScale = static_cast<Real>(0.79788456080286535588);  // √(2/π)
  static constexpr Real kCubic = static_cast<Real>(0.044715);
  Real value(Real x) const { return Real(0.5) * x * (1 + std::tanh(kScale * (x + kCubic * x * x * x))); }
  Real slope(Real x) const {
    const Real t = std::tanh(kScale * (x + kCubic * x * x * x));
    return Real(0.5) * (1 + t) + Real(0.5) * x * (1 - t * t) * kScale * (1 + 3 * kCubic * x * x);
  }
};
struct Sigmoid {
  // Never exponentiates a positive number, so nothing overflows.
  Real value(Real x) const {
    const Real e = std::exp(-std::abs(x));
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
  }
  Real slope(Real x) const {
    const Real e = std::exp(-std::abs(x));
    return e / ((1 + e) * (1 + e));
  }
};
struct Tanh {
  Real value(Real x) const { return std::tanh(x); }
  Real slope(Real x) const {
    const Real t = std::tanh(x);
    return 1 - t * t;
  }
};

template <class Visit>
void with_function(const Activation& activation, const Visit& visit) {
  const auto parameter = static_cast<Real>(activation.parameter);
  switch (activation.kind) {
    case ActivationKind::identity:
      return visit(Identity{});
    case ActivationKind::relu:
      return visit(Relu{});
    case ActivationKind::leaky_relu:
      return visit(LeakyRelu{parameter});
    case ActivationKind::elu:
      return visit(Elu{parameter});
    case ActivationKind::gelu:
      return visit(Gelu{});
    case ActivationKind::gelu_tanh:
      return visit(GeluTanh{});
    case ActivationKind::sigmoid:
      return visit(Sigmoid{});
    case ActivationKind::tanh:
      return visit(Tanh{});
  }
}

constexpr Index kWorkPerElement = 8;  // an exponential, in multiply-adds

}  // namespace

std::string_view name_of(ActivationKind kind) { return name_in(kNames, kind); }
ActivationKind activation_named(std::string_view name) { return value_in(kNames, name, "activation"); }

void activation_forward(const Activation& activation, ConstMatrixView x, MatrixView out, int num_threads) {
  with_function(activation, [&](const auto& f) {
    parallel_for(num_threads, x.rows, x.cols * kWorkPerElement, [&](Index first, Index last, int) {
      for (Index i = first; i < last; ++i) {
        for (Index j = 0; j < x.cols; ++j) out(i, j) = f.value(x(i, j));
      }
    });
  });
}

void activation_backward(const Activation& activation, ConstMatrixView x, ConstMatrixView d_out,
                         MatrixView d_x, int num_threads) {
  with_function(activation, [&](const auto& f) {
    parallel_for(num_threads, x.rows, x.cols * kWorkPerElement, [&](Index first, Index last, int) {
      for (Index i = first; i < last; ++i) {
        for (Index j = 0; j < x.cols; ++j) d_x(i, j) = d_out(i, j) * f.slope(x(i, j));
      }
    });
  });
}

}  // namespace gat::inline GAT_PRECISION
