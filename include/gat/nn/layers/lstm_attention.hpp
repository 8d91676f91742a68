/// Attention over several inputs of a node, scored by an LSTM that reads them one after the other.
#pragma once

#include <memory>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// out = Σ_k α_k x_k with α = softmax_k(a · [h_k, h'_k]): h are the states of an LSTM that reads x₀, x₁, …,
/// h' those of another that reads them from the last to the first. With the results of all blocks as inputs
/// this is the third way of jumping knowledge (Xu et al. 2018, LSTM-attention; PyG's JumpingKnowledge with
/// mode "lstm"). The cell is that of PyTorch: i, f, o = σ(…), g = tanh(…), c_k = f c_{k−1} + i g,
/// h_k = o tanh(c_k), and zeros before the first.
///
/// Inputs: N × F, dense, of one width. Output: num_destinations × F. H = hidden_features. Parameters (shapes
/// in files; gates in PyTorch's order i, f, g, o): forward.weight and reverse.weight [4H, F + H], PyTorch's
/// weight_ih and weight_hh side by side; forward.bias and reverse.bias [4H], where PyTorch adds two;
/// attention.weight [1, 2H], without the bias that PyG has and the softmax cancels. All start in U(±1/√H),
/// the attention in U(±1/√(2H)). Rows are worked on in chunks whose states are computed again in backward,
/// so memory grows with the nodes by N × F alone. Backward also holds kSumBlocks × (F + H) × 4H numbers, the
/// partial sums of a weight's gradient, which every chunk, direction and step writes and adds up.
class LstmAttentionLayer final : public Layer {
 public:
  /// \param hidden_features  0 = half of all inputs' columns together, as PyG has it, but at least 1
  /// \throws UsageError for widths that differ and a negative hidden width
  explicit LstmAttentionLayer(std::span<const Index> in_features, Index hidden_features = 0);
  /// Options: hidden_features. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description,
                                                 std::span<const Index> in_features);

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return widths_.front(); }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  Reach reach(Mode) const override { return Reach::row; }
  LayerDescription describe() const override { return {"lstm_attention", {{"hidden_features", hidden_}}}; }

 private:
  std::vector<Index> widths_;
  Index hidden_;
  std::vector<ParameterSpec> parameters_;
};

}  // namespace gat::inline GAT_PRECISION
