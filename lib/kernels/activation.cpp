#include "gat/kernels/activation.hpp"

#include "core/named_values.hpp"

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

}  // namespace

std::string_view name_of(ActivationKind kind) { return name_in(kNames, kind); }
ActivationKind activation_named(std::string_view name) { return value_in(kNames, name, "activation"); }

bool slope_from_value(const Activation& activation) {
  switch (activation.kind) {
    case ActivationKind::identity:
    case ActivationKind::relu:
      return true;
    case ActivationKind::leaky_relu:
    case ActivationKind::elu:
      return activation.parameter > 0;  // the value has the argument's sign
    default:
      return false;
  }
}

}  // namespace gat::inline GAT_PRECISION
