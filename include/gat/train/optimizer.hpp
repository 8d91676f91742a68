/// Optimisers: one step on weights and their gradients.
#pragma once

#include <string_view>

#include "gat/core/execution.hpp"
#include "gat/nn/parameters.hpp"

namespace gat::inline GAT_PRECISION {

/// An update rule with its state. Bound to the layout of the first weights it sees.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// \throws ShapeError when the layout is another than in the first step
  virtual void step(Weights& weights, const Weights& gradients, const Execution& execution) = 0;
};

/// Where Adam adds epsilon.
enum class EpsilonVariant {
  /// m̂ / (√v̂ + ε), moments corrected first: Kingma and Ba's algorithm 1, PyTorch.
  corrected,
  /// α_t · m / (√v + ε) with α_t = α √(1 − β2ᵗ) / (1 − β1ᵗ): the end of their section 2, TensorFlow and
  /// so the original GAT code. The same as `corrected` for ε = 0.
  uncorrected
};

std::string_view name_of(EpsilonVariant variant);
EpsilonVariant epsilon_variant_named(std::string_view name);

struct AdamOptions {
  double learning_rate = 0.005;                       ///< Veličković et al. 2018, Cora and Citeseer
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  ///< Kingma and Ba 2015
  EpsilonVariant epsilon_variant = EpsilonVariant::corrected;
  /// Added to the gradient as l2 · w, that is l2/2 · Σ w² in the loss: PyTorch's Adam `weight_decay`
  /// and the original GAT code, where it acts on every variable, biases too.
  double l2 = 0;
  /// w −= learning_rate · decay · w before the step: AdamW, Loshchilov and Hutter 2019.
  double decoupled_decay = 0;
  bool decay_biases = true;  ///< false as in gnn-benchmark: biases are left out of both
  /// Whether gain and shift of norms decay too. They do in PyTorch's optimisers, which decay whatever they
  /// are given; left out as in BERT's code (Devlin et al. 2019) and most Transformers since.
  bool decay_norms = false;

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// Adam and AdamW. Statistics among the parameters (`ParameterSpec::trained` is false) are not touched.
class Adam final : public Optimizer {
 public:
  explicit Adam(const AdamOptions& options);
  void step(Weights& weights, const Weights& gradients, const Execution& execution) override;
  /// The running means of the gradient and of its square, in the order of the weights' values.
  const Matrix& first_moment() const { return first_; }
  const Matrix& second_moment() const { return second_; }

 private:
  AdamOptions options_;
  Index step_ = 0;
  Matrix first_, second_;
};

}  // namespace gat::inline GAT_PRECISION
