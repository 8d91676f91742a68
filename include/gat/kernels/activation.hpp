/// Pointwise activations and their derivatives.
#pragma once

#include <string_view>

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// Which function is applied to each element x.
enum class ActivationKind {
  identity,
  relu,        ///< max(0, x); derivative 0 at 0
  leaky_relu,  ///< x > 0 ? x : p·x; derivative p at 0
  elu,         ///< x > 0 ? x : p·(eˣ − 1) (Clevert et al. 2016); derivative p at 0
  gelu,        ///< x·Φ(x), exact by the error function (Hendrycks and Gimpel 2016)
  gelu_tanh,   ///< ½x(1 + tanh(√(2/π)(x + 0.044715x³))), their approximation
  sigmoid,
  tanh
};

struct Activation {
  ActivationKind kind = ActivationKind::identity;
  double parameter = 1;  ///< slope of leaky_relu, alpha of elu; else without meaning
};

std::string_view name_of(ActivationKind kind);
/// \throws UsageError for an unknown name, with the known ones
ActivationKind activation_named(std::string_view name);

/// Whether f'(x) can be told from f(x), so that only the result need be kept for backward.
bool slope_from_value(const Activation& activation);

/// out = f(x); the two may be the same memory.
void activation_forward(const Activation& activation, ConstMatrixView x, MatrixView out,
                        const Execution& execution);

/// d_x = d_out · f'(x), overwritten; `d_x` may be the memory of `d_out`.
/// \param x  the argument of the forward call; its result where slope_from_value() says so and
///           `from_value` is set
void activation_backward(const Activation& activation, ConstMatrixView x, ConstMatrixView d_out,
                         MatrixView d_x, const Execution& execution, bool from_value = false);

}  // namespace gat::inline GAT_PRECISION
