#include "gat/train/optimizer.hpp"

#include <cmath>
#include <string>

#include "core/named_values.hpp"
#include "core/parallel.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<EpsilonVariant, 2> kVariants{
    {{EpsilonVariant::corrected, "corrected"}, {EpsilonVariant::uncorrected, "uncorrected"}}};

void require(bool fine, const char* name, double value, const char* range) {
  if (!fine) throw UsageError(std::string(name) + " is " + std::to_string(value) + "; it must be " + range);
}

// The numbers of one step that do not depend on the element.
struct StepFactors {
  Real beta1, beta2, rest1, rest2;  // β and 1 − β
  Real rate;                        // of m
  Real root_scale;                  // of √v, before epsilon is added
  Real epsilon, l2, decay;
};

StepFactors factors(const AdamOptions& o, Index step) {
  const double correction1 = 1 - std::pow(o.beta1, static_cast<double>(step));
  const double correction2 = 1 - std::pow(o.beta2, static_cast<double>(step));
  const bool corrected = o.epsilon_variant == EpsilonVariant::corrected;
  StepFactors f;
  f.beta1 = static_cast<Real>(o.beta1);
  f.beta2 = static_cast<Real>(o.beta2);
  f.rest1 = static_cast<Real>(1 - o.beta1);
  f.rest2 = static_cast<Real>(1 - o.beta2);
  f.rate = static_cast<Real>(o.learning_rate / correction1 * (corrected ? 1.0 : std::sqrt(correction2)));
  f.root_scale = static_cast<Real>(corrected ? 1 / std::sqrt(correction2) : 1.0);
  f.epsilon = static_cast<Real>(o.epsilon);
  f.l2 = static_cast<Real>(o.l2);
  f.decay = static_cast<Real>(o.learning_rate * o.decoupled_decay);
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

void Adam::step(Weights& weights, const Weights& gradients, int num_threads) {
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
  const StepFactors f = factors(options_, ++step_);
  Index begin = 0;
  for (Index i = 0; i < weights.count(); ++i) {
    const ParameterSpec& spec = weights.spec(i);
    const bool decays = options_.decay_biases || spec.group != DecayGroup::bias;
    const Real l2 = decays ? f.l2 : Real(0);
    const Real keep = decays ? 1 - f.decay : Real(1);
    Real* w = weights.values().data() + begin;
    const Real* g = gradients.values().data() + begin;
    Real* m = first_.data() + begin;
    Real* v = second_.data() + begin;
    const Index size = spec.rows * spec.cols;
    parallel_for(num_threads, size, 8, [&](Index first, Index last, int) {
#pragma omp simd
      for (Index k = first; k < last; ++k) {
        const Real d = g[k] + l2 * w[k];
        m[k] = f.beta1 * m[k] + f.rest1 * d;
        v[k] = f.beta2 * v[k] + f.rest2 * d * d;
        w[k] = keep * w[k] - f.rate * m[k] / (f.root_scale * std::sqrt(v[k]) + f.epsilon);
      }
    });
    begin += size;
  }
}

}  // namespace gat::inline GAT_PRECISION
