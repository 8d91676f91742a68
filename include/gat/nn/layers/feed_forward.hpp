/// Two linear maps of single rows with an activation between them.
#pragma once

#include <memory>
#include <vector>

#include "gat/nn/layers/linear.hpp"

namespace gat::inline GAT_PRECISION {

struct FeedForwardOptions {
  Index in_features = 0;
  Index hidden_features = 1;  ///< in Transformers 4 times the width (Vaswani et al. 2017), in GPS twice
  Index out_features = 1;
  Activation activation{ActivationKind::gelu, 1};
  double dropout = 0;  ///< drop probability between the maps
  /// Dropout acts on the activation's argument, as in heterophilous-graphs (Platonov et al. 2023); else on
  /// its result, as in PyTorch's TransformerEncoderLayer and PyG's GPSConv.
  bool dropout_before_activation = false;
  double output_dropout = 0;  ///< drop probability of the result
  LinearInitial initial = LinearInitial::pytorch;

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// out = m₂ ⊙ (W₂ (m₁ ⊙ activation(W₁ x + b₁)) + b₂), row by row.
///
/// Input: N × in_features, dense or CSR. Output: num_destinations × out_features. Parameters: those of two
/// linear layers, prefixed "hidden." and "output.".
class FeedForwardLayer final : public Layer {
 public:
  explicit FeedForwardLayer(const FeedForwardOptions& options);
  /// Makes a layer from named options. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

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
  Context part(const Context& context, int number) const;

  FeedForwardOptions options_;
  LinearLayer hidden_, output_;
  std::vector<ParameterSpec> parameters_;
};

}  // namespace gat::inline GAT_PRECISION
