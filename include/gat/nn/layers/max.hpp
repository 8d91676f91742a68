/// The largest of several inputs, element by element.
#pragma once

#include <memory>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// out = max(x₀, x₁, …), row by row: jumping knowledge by maximum (Xu et al. 2018). The gradient goes to the
/// first input that has the maximum. Inputs: N × F, dense, of one width. Output: num_destinations × F. No
/// parameters, no options.
class MaxLayer final : public Layer {
 public:
  /// \throws UsageError for widths that differ
  explicit MaxLayer(std::span<const Index> in_features);
  /// \throws UsageError for any option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description,
                                                 std::span<const Index> in_features);

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return widths_.front(); }
  std::span<const ParameterSpec> parameters() const override { return {}; }
  Reach reach(Mode) const override { return Reach::row; }
  LayerDescription describe() const override { return {"max", {}}; }

 private:
  std::vector<Index> widths_;
};

}  // namespace gat::inline GAT_PRECISION
