/// The activations as textbooks write them, in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "gat/kernels/activation.hpp"

namespace gat::test {

struct KnownActivation {
  Activation activation;
  std::function<double(double)> value, slope;
};

inline double gelu_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }
inline double gelu_share(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
inline double gelu_inner(double x) { return std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x); }

/// Each of them once; ELU and leaky ReLU with a parameter of their own, and with one that hides the sign.
inline const std::vector<KnownActivation>& known_activations() {
  static const std::vector<KnownActivation> known{
      {{ActivationKind::identity, 1}, [](double x) { return x; }, [](double) { return 1.0; }},
      {{ActivationKind::relu, 1},
       [](double x) { return std::max(x, 0.0); },
       [](double x) { return x > 0 ? 1.0 : 0.0; }},
      {{ActivationKind::leaky_relu, 0.1},
       [](double x) { return x > 0 ? x : 0.1 * x; },
       [](double x) { return x > 0 ? 1 : 0.1; }},
      {{ActivationKind::leaky_relu, -0.5},
       [](double x) { return x > 0 ? x : -0.5 * x; },
       [](double x) { return x > 0 ? 1 : -0.5; }},
      {{ActivationKind::elu, 0.5},
       [](double x) { return x > 0 ? x : 0.5 * (std::exp(x) - 1); },
       [](double x) { return x > 0 ? 1 : 0.5 * std::exp(x); }},
      {{ActivationKind::elu, -0.5},
       [](double x) { return x > 0 ? x : -0.5 * (std::exp(x) - 1); },
       [](double x) { return x > 0 ? 1 : -0.5 * std::exp(x); }},
      {{ActivationKind::gelu, 1},
       [](double x) { return x * gelu_share(x); },
       [](double x) { return gelu_share(x) + x * gelu_density(x); }},
      {{ActivationKind::gelu_tanh, 1},
       [](double x) { return x / 2 * (1 + std::tanh(gelu_inner(x))); },
       [](double x) {
         const double t = std::tanh(gelu_inner(x));
         const double d_inner = std::sqrt(2 / std::acos(-1.0)) * (1 + 3 * 0.044715 * x * x);
         return (1 + t) / 2 + x / 2 * (1 - t * t) * d_inner;
       }},
      {{ActivationKind::sigmoid, 1},
       [](double x) { return 1 / (1 + std::exp(-x)); },
       [](double x) { return 1 / (2 + std::exp(x) + std::exp(-x)); }},
      {{ActivationKind::tanh, 1},
       [](double x) { return std::tanh(x); },
       [](double x) { return 1 - std::tanh(x) * std::tanh(x); }}};
  return known;
}

}  // namespace gat::test
