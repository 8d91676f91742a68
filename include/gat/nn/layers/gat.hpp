/// The graph attention layer of Veličković et al. 2018.
#pragma once

#include <memory>
#include <vector>

#include "gat/kernels/activation.hpp"
#include "gat/nn/layer.hpp"
#include "gat/nn/layers/choices.hpp"

namespace gat::inline GAT_PRECISION {

struct GatLayerOptions {
  Index in_features = 0;           ///< F, width of the source features
  Index destination_features = 0;  ///< width of destinations with features of their own; 0 = same nodes
  Index edge_features = 0;         ///< width of edge features in the score; 0 = none
  int num_heads = 8;               ///< H
  Index head_dim = 8;              ///< D
  HeadMerge merge = HeadMerge::concat;
  Residual residual = Residual::none;
  bool bias = true;                   ///< added after merging, width of the output
  bool score_bias = false;            ///< two scalars per head inside LeakyReLU, as in the original code only
  double negative_slope = 0.2;        ///< fixed at 0.2 in the paper
  double feature_dropout = 0;         ///< drop probability of the layer's input
  bool dropout_per_head = false;      ///< one input mask per head, as in the original code; else one for all
  double value_dropout = 0;           ///< drop probability of the projected features on their way into the
                                      ///< sum, not into the scores: the original's second feature dropout
  double attention_dropout = 0;       ///< drop probability of coefficients; no second normalisation
  bool ignore_edge_features = false;  ///< accept edge features and leave them out of the score
  Activation activation;
  InitialScheme initial = InitialScheme::pyg;

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// z = X W per head;  e_ij = LeakyReLU(a_src·z_j + a_dst·z_i [+ a_edge·W_e x_ij] [+ b_src + b_dst]);
/// out_i = activation(merge_h Σ_j α_ij z_j [+ residual] + bias).
///
/// Input: sources N × F, dense or CSR (a CSR input gets no gradient); destinations are the first rows
/// of the sources, or have features of their own (then `weight_dst`), or none (then e_ij has no
/// destination term and a_dst gets no gradient). Output: num_destinations × (H·D or D).
/// Order of operations: input dropout, projection, scores from undropped z, softmax, dropout of
/// coefficients and of values, sum, merge, residual, bias, activation. The residual reads the input
/// after dropout, as in the original code and in DGL; with one mask per head it reads the first.
/// Parameters (shapes in files): weight [H·D, F], weight_dst [H·D, F_dst], a_src and a_dst [H, D],
/// score_bias_src and score_bias_dst [H], edge_weight [H·D, D_e], a_edge [H, D], residual_weight
/// [width, F_dst], bias [width].
class GatLayer final : public Layer {
 public:
  explicit GatLayer(const GatLayerOptions& options);
  /// Makes a layer from named options. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  const GatLayerOptions& options() const { return options_; }

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  bool overlays_gradients() const override { return true; }
  Index output_width() const override;
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  Reach reach(Mode) const override { return Reach::neighbourhood; }
  int num_heads() const override { return options_.num_heads; }
  LayerDescription describe() const override;

 private:
  struct Run;

  Index add_parameter(ParameterSpec spec);
  void add_parameters();

  GatLayerOptions options_;
  std::vector<ParameterSpec> parameters_;
  // Positions in `parameters_`; −1 = the layer has no such parameter.
  Index weight_ = -1, weight_dst_ = -1, a_src_ = -1, a_dst_ = -1, score_bias_src_ = -1, score_bias_dst_ = -1,
        edge_weight_ = -1, a_edge_ = -1, residual_weight_ = -1, bias_ = -1;
};

}  // namespace gat::inline GAT_PRECISION
