/// The general attention layer: any score, any choice of edges, any way from rows to output.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gat/nn/layer.hpp"
#include "gat/nn/layers/attention_options.hpp"

namespace gat::inline GAT_PRECISION {

/// q_i = W_query x_i + b, k_j = W_key x_j + b, v_j = W_value x_j + b per head; the attention operator
/// (gat/kernels/attention.hpp) with a score of q_i and k_j; then
/// out_i = activation(W_out merge_h Σ_j α_ij v_j [+ residual of x_i, gated or not] + bias).
///
/// Input: sources N × F, dense or CSR (a CSR input gets no gradient); destinations are the first rows of
/// the sources, have features of their own (`destination_features`), or none where the score needs no
/// query (`gat`, `constant`, `custom`). Values come from the sources or from `LayerInput::values`, one row
/// per source. Output: num_destinations × output_width.
///
/// The graph says who is asked: a stored graph, or complete, causal and banded views, for which nothing is
/// stored per edge. Ties of a selection go to the edge that comes first in its row. Dropout: features
/// under one mask per side, coefficients by edge and head.
///
/// Parameters, where the options ask for them. Shapes in files:
///
///     query_weight [H·D_q, F_dst], key_weight [H·D_k, F], value_weight [H·D, F], and query_bias, key_bias,
///         value_bias
///     edge_weight [H·D_k, D_e], value_edge_weight [H·D, D_e]: of edge features; edge_weight alone under
///         `both_shared`
///     score.NAME: per head [H], per feature [H, D_k] or a matrix per head [H, D_q, D_k], as the score says
///     score.a_src, score.a_dst [H, D_k]: of scores that read a number per node; score.a_edge of `gat`
///     position_weight [A, F_dst], position_vector [A]: of predictive windows
///     output_weight [out, merged], residual_weight [out, F_dst], residual_bias [out], gate_weight [3·out],
///         bias [out]
class AttentionLayer final : public Layer {
 public:
  explicit AttentionLayer(const AttentionLayerOptions& options);
  /// Makes a layer from named options. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  const AttentionLayerOptions& options() const { return options_; }

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  /// \throws UsageError when a score-function gradient is asked for and the context has no loss per graph
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  Index output_width() const override { return options_.output_width(); }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  double added_loss(Tape& tape) const override;
  bool trains_on_whole_graph() const override { return options_.edge_loss > 0; }
  /// A predicted position depends on the length of the whole sequence.
  Reach reach(Mode) const override {
    return options_.window == Window::predictive ? Reach::whole_graph : Reach::neighbourhood;
  }
  int num_heads() const override { return options_.num_heads; }
  LayerDescription describe() const override { return options_.describe(); }

 private:
  struct Run;
  // Positions in `parameters_`; −1 = the layer has no such parameter.
  struct Numbers {
    Index query_weight = -1, query_bias = -1, key_weight = -1, key_bias = -1, value_weight = -1,
          value_bias = -1, edge_weight = -1, value_edge_weight = -1, first_score = -1, a_src = -1, a_dst = -1,
          a_edge = -1, position_weight = -1, position_vector = -1, output_weight = -1, residual_weight = -1,
          residual_bias = -1, gate_weight = -1, bias = -1;
  };

  void add_projections();
  void add_score();
  void add_output();
  Index add(ParameterSpec spec);
  Index add_map(const char* name, Index in, Index heads, Index dim);
  Index add_vector(const char* name, Index width, Initializer initializer, Index in);
  void check_destinations_and_values(const GraphView& graph, const LayerInput& input) const;
  void check_edges(const GraphView& graph, const LayerInput& input) const;

  AttentionLayerOptions options_;
  int score_ = 0;  // position in the score table
  std::vector<ParameterSpec> parameters_;
  Numbers numbers_;
};

}  // namespace gat::inline GAT_PRECISION
