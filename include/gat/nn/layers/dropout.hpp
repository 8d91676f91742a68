/// Dropout of single rows, as a layer of its own.
#pragma once

#include <memory>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// out = m ⊙ x in training, survivors scaled by 1/(1 − p) (Srivastava et al. 2014, inverted); x in
/// evaluation. Input: N × F, dense. Output: num_destinations × F. No parameters.
class DropoutLayer final : public Layer {
 public:
  /// \throws UsageError unless the drop probability lies in [0, 1)
  DropoutLayer(Index in_features, double dropout);
  /// Options: dropout. \throws UsageError for an unknown or wrong option
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
  void drop(const Context& context, ConstMatrixView from, RowGradient to) const;

  Index in_features_;
  double dropout_;
};

}  // namespace gat::inline GAT_PRECISION
