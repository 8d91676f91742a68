/// From the rows of a graph's nodes to one row per graph.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// How the rows of a graph become one.
enum class Pooling {
  sum,
  mean,
  max,       ///< column by column; the gradient goes to the first row that has the maximum
  attention  ///< Σ α_i x_i, α the softmax over the graph of one learned score w·x_i per node (Li et al. 2016;
             ///< PyG's AttentionalAggregation with a linear gate, whose bias the softmax would cancel)
};

/// One row for each graph of a batch (`GraphView::num_segments`), zeros for a graph without nodes.
///
/// Input: N × F, dense. Output: num_segments × F. Parameters (shapes in files): weight [1, F] of attention.
class ReadoutLayer final : public Layer {
 public:
  ReadoutLayer(Index in_features, Pooling pooling);
  /// Options: pooling. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return in_features_; }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  Reach reach(Mode) const override { return Reach::whole_graph; }
  bool per_graph() const override { return true; }
  LayerDescription describe() const override;

 private:
  Index in_features_;
  Pooling pooling_;
  std::vector<ParameterSpec> parameters_;
};

std::string_view name_of(Pooling value);
Pooling pooling_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
