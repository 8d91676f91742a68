/// Learned positions: a trainable row for every node.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// How the row of a position joins the input.
enum class PositionJoin {
  add,    ///< out = x + p, as in Transformers (Gehring et al. 2017; Devlin et al. 2019)
  concat  ///< out = [x, p]
};

struct LearnedPositionsOptions {
  Index in_features = 0;      ///< F
  Index num_positions = 512;  ///< rows of the table, at least 1; the default is BERT's longest sequence
  PositionJoin join = PositionJoin::add;
  Index width = 16;  ///< of p where it is concatenated, at least 1; an added row has the width F

  /// The kind "learned_positions" with these options.
  LayerDescription describe() const;
  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// out_i = x_i + P_i or [x_i, P_i], where P_i is row i of a trained table and i the number of the node in the
/// whole graph: a part of the graph, and rows in another order, read the same rows of the table. So a model
/// is bound to the numbering of the nodes that it was trained on. In a batch that says where its graphs begin
/// (`GraphView::Arrays::segment_begins`), i counts from the first row of the node's own graph. A graph may
/// have fewer nodes than the table has rows.
///
/// Input: N × F, dense or CSR (a CSR input gets no gradient, and the output is dense). Output:
/// num_destinations × F or × (F + width). Parameters (shapes in files): weight [num_positions, F or width],
/// drawn from N(0, 0.02²) as in GPT (Radford et al. 2018) and BERT, whose own code draws again what lies
/// beyond two deviations. In the gradient, rows of nodes that were not computed are 0; optimisers treat them
/// like any other weight.
class LearnedPositionsLayer final : public Layer {
 public:
  explicit LearnedPositionsLayer(const LearnedPositionsOptions& options);
  /// Options: num_positions, join, width. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  const LearnedPositionsOptions& options() const { return options_; }

  /// \throws ShapeError for a graph with more nodes than positions, too; of a part of a graph, where a row of
  ///         its has none. `Model::prepare` and `train` look at the whole graph.
  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void check_num_nodes(Index num_nodes) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return first_column_ + parameters_.front().cols; }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  Reach reach(Mode) const override { return Reach::row; }
  LayerDescription describe() const override { return options_.describe(); }

 private:
  LearnedPositionsOptions options_;
  Index first_column_;  // of p within the output
  std::vector<ParameterSpec> parameters_;
};

std::string_view name_of(PositionJoin value);
/// \throws UsageError for an unknown name, with the known ones
PositionJoin position_join_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
