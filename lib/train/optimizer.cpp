#include "gat/train/optimizer.hpp"

#include <cmath>
#include <string>

#include "core/named_values.hpp"
#include "gat/kernels/adam.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<EpsilonVariant, 2> kVariants{
    {{EpsilonVariant::corrected, "corrected"}, {EpsilonVariant::uncorrected, "uncorrected"}}};

void require(bool fine, const char* name, double value, const char* range) {
  if (!fine) throw UsageError(std::string(name) + " is " + std::to_string(value) + "; it must be " + range);
}

AdamFactors factors(const AdamOptions& o, Index step) {
  const double correction1 = 1 - std::pow(o.beta1, static_cast<double>(step));
  const double correction2 = 1 - std::pow(o.beta2, static_cast<double>(step));
  const bool corrected = o.epsilon_variant == EpsilonVariant::corrected;
  AdamFactors f;
  f.beta1 = static_cast<Real>(o.beta1);
  f.beta2 = static_cast<Real>(o.beta2);
  f.rest1 = static_cast<Real>(1 - o.beta1);
  f.rest2 = static_cast<Real>(1 - o.beta2);
  f.rate = static_cast<Real>(o.learning_rate / correction1 * (corrected ? 1.0 : std::sqrt(correction2)));
  f.root_scale = static_cast<Real>(corrected ? 1 / std::sqrt(correction2) : 1.0);
  f.epsilon = static_cast<Real>(o.epsilon);
  f.l2 = static_cast<Real>(o.l2);
  f.keep = static_cast<Real>(1 - o.learning_rate * o.decoupled_decay);
  return f;
}

}  // namespace

std::string_view name_of(EpsilonVariant variant) { return name_in(kVariants, variant); }
EpsilonVariant epsilon_variant_named(std::string_view name) {
  return value_in(kVariants, name, "epsilon variant");
}

void AdamOptions::validate() const {
  require(learning_rate > 0 && std::isfinite(learning_rate), "learning_rate", learning_rate, "positive");
  require(beta1 >= 0 && beta1 < 1, "beta1", beta1, "in [0, 1)");
  require(beta2 >= 0 && beta2 < 1, "beta2", beta2, "in [0, 1)");
  require(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "at least 0");
  require(l2 >= 0 && std::isfinite(l2), "l2", l2, "at least 0");
  require(decoupled_decay >= 0 && std::isfinite(decoupled_decay), "decoupled_decay", decoupled_decay,
          "at least 0");
}

Adam::Adam(const AdamOptions& options) : options_(options) { options_.validate(); }

void Adam::step(Weights& weights, const Weights& gradients, const Execution& execution) {
  const Index count = weights.num_values();
  if (step_ == 0) {
    first_.resize(1, count);
    second_.resize(1, count);
  }
  if (gradients.num_values() != count || first_.cols() != count) {
    throw ShapeError("Adam: " + std::to_string(count) + " weights, " +
                     std::to_string(gradients.num_values()) + " gradients, " + std::to_string(first_.cols()) +
                     " moments; the layout must stay the same");
  }
  const AdamFactors all = factors(options_, ++step_);
  for (Index i = 0; i < weights.count(); ++i) {
    const ParameterSpec& spec = weights.spec(i);
    if (!spec.trained) continue;
    AdamFactors f = all;
    if ((!options_.decay_biases && spec.group == DecayGroup::bias) ||
        (!options_.decay_norms && spec.group == DecayGroup::norm)) {
      f.l2 = 0;
      f.keep = 1;
    }
    Real* w = weights[i].data;
    const Index begin = w - weights.values().data();
    adam_update(f, gradients[i].data, w, first_.data() + begin, second_.data() + begin, spec.rows * spec.cols,
                execution);
  }
}

}  // namespace gat::inline GAT_PRECISION
