/// Layer normalisation of nodes or of whole graphs.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// Over what mean and variance are taken.
enum class LayerNormMode {
  node,  ///< the columns of each row (Ba, Kiros and Hinton 2016), as torch.nn.LayerNorm
  graph  ///< all rows and columns of each graph of a batch: the default mode of PyG's LayerNorm
};

/// Where epsilon is added.
enum class NormEpsilon {
  to_variance,  ///< (x − mean) / √(variance + ε): PyTorch; PyG with a batch vector
  to_deviation  ///< (x − mean) / (√variance + ε): PyG's graph mode without a batch vector
};

struct LayerNormOptions {
  Index in_features = 1;  ///< F, at least 1
  LayerNormMode mode = LayerNormMode::node;
  double epsilon = 1e-5;  ///< PyTorch, PyG
  NormEpsilon epsilon_is_added = NormEpsilon::to_variance;
  bool affine = true;  ///< gain and shift per column

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// out = (x − mean) / deviation ⊙ gain + shift, with the biased variance. Where a deviation is 0, x − mean
/// passes no gradient to it.
///
/// Input: N × F, dense. Output: num_destinations × F. Parameters: gain [F], shift [F].
class LayerNormLayer final : public Layer {
 public:
  explicit LayerNormLayer(const LayerNormOptions& options);
  /// Makes a layer from named options. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return options_.in_features; }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  Reach reach(Mode) const override {
    return options_.mode == LayerNormMode::node ? Reach::row : Reach::whole_graph;
  }
  LayerDescription describe() const override;

 private:
  bool by_row() const;

  LayerNormOptions options_;
  std::vector<ParameterSpec> parameters_;
};

std::string_view name_of(LayerNormMode value);
std::string_view name_of(NormEpsilon value);
LayerNormMode layer_norm_mode_named(std::string_view name);
NormEpsilon norm_epsilon_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
