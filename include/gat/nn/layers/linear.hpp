/// A linear map of single rows with bias, activation and dropout.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gat/kernels/activation.hpp"
#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// Whose initial values: `pytorch` draws weight and bias from U(±1/√F) (torch.nn.Linear), `glorot` the weight
/// from U(±√(6/(F + out))) and starts the bias at 0 (Glorot and Bengio 2010; Keras).
enum class LinearInitial { pytorch, glorot };

struct LinearLayerOptions {
  Index in_features = 0;   ///< F
  Index out_features = 1;  ///< at least 1
  bool bias = true;
  Activation activation;
  double dropout = 0;  ///< drop probability of the input
  /// Drop probability of x W + b, before the activation as in heterophilous-graphs (Platonov et al. 2023);
  /// the output's where there is no activation. Elsewhere dropout follows the activation: give it to the next
  /// layer.
  double argument_dropout = 0;
  LinearInitial initial = LinearInitial::pytorch;

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// out = activation(m₂ ⊙ ((m₁ ⊙ x) Wᵀ + b)), row by row.
///
/// Input: N × F, dense or CSR (a CSR input gets no gradient). Output: num_destinations × out_features.
/// Parameters (shapes in files): weight [out, F], bias [out].
class LinearLayer final : public Layer {
 public:
  explicit LinearLayer(const LinearLayerOptions& options);
  /// Makes a layer from named options. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  const LinearLayerOptions& options() const { return options_; }

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return options_.out_features; }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  Reach reach(Mode) const override { return Reach::row; }
  LayerDescription describe() const override;

 private:
  LinearLayerOptions options_;
  std::vector<ParameterSpec> parameters_;
};

std::string_view name_of(LinearInitial value);
LinearInitial linear_initial_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
