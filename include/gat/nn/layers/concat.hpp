/// Several inputs side by side.
#pragma once

#include <memory>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// out = [x₀, x₁, …], row by row: jumping knowledge by concatenation (Xu et al. 2018), features beside an
/// aggregate. Inputs: N × F_k, dense. Output: num_destinations × Σ F_k. No parameters, no options.
class ConcatLayer final : public Layer {
 public:
  explicit ConcatLayer(std::span<const Index> in_features);
  /// \throws UsageError for any option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description,
                                                 std::span<const Index> in_features);

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return output_width_; }
  std::span<const ParameterSpec> parameters() const override { return {}; }
  Reach reach(Mode) const override { return Reach::row; }
  LayerDescription describe() const override { return {"concat", {}}; }

 private:
  std::vector<Index> widths_;
  Index output_width_;
};

}  // namespace gat::inline GAT_PRECISION
