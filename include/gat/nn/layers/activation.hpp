/// An activation of single rows, as a layer of its own.
#pragma once

#include <memory>

#include "gat/kernels/activation.hpp"
#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// out = f(x). Input: N × F, dense. Output: num_destinations × F. No parameters.
class ActivationLayer final : public Layer {
 public:
  ActivationLayer(Index in_features, const Activation& activation)
      : in_features_(in_features), activation_(activation) {}
  /// Options: activation, activation_parameter. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return in_features_; }
  std::span<const ParameterSpec> parameters() const override { return {}; }
  Reach reach(Mode) const override { return Reach::row; }
  LayerDescription describe() const override;

 private:
  Index in_features_;
  Activation activation_;
};

}  // namespace gat::inline GAT_PRECISION
