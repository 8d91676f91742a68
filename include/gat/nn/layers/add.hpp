/// The sum of several inputs, row by row: residual connections.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// How inputs after the first join the sum.
enum class AddMap {
  identity,            ///< as they are; all widths agree
  learned,             ///< through a learned map without bias, as PyG's residuals
  identity_or_learned  ///< as they are where the width is that of the first, else through a map, as DGL's
};

/// out = x₀ + Σ_k (x_k or x_k W_kᵀ): the first input is the branch, those after it are what is carried past
/// it.
///
/// Inputs: at least two, N × F_k, dense. Output: num_destinations × F₀. Parameters (shapes in files):
/// weight_k [F₀, F_k] for every input k ≥ 1 that has a map.
class AddLayer final : public Layer {
 public:
  /// \throws UsageError for fewer than two inputs, and for widths that differ where the map is the identity
  AddLayer(std::span<const Index> in_features, AddMap map);
  /// Options: map. \throws UsageError for an unknown or wrong option
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
  LayerDescription describe() const override;

 private:
  std::vector<Index> widths_;
  AddMap map_;
  std::vector<Index> weights_;  // position of each input's map in `parameters_`, −1 = none
  std::vector<ParameterSpec> parameters_;
};

std::string_view name_of(AddMap value);
AddMap add_map_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
