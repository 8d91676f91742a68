/// What the general attention layer can be: score, projections, edges, selection, windows, output.
#pragma once

#include <string>
#include <string_view>

#include "gat/kernels/activation.hpp"
#include "gat/nn/description.hpp"
#include "gat/nn/layers/choices.hpp"

namespace gat::inline GAT_PRECISION {

/// Where rows of queries, keys or values come from.
enum class Projection {
  own,     ///< features times a weight of their own
  shared,  ///< the keys' map: queries W_key x_i, values the rows of the keys themselves
  none     ///< the features as they are, H·D columns (attention pooling, AGNN, rows projected elsewhere)
};

/// What edge features do.
enum class EdgeUse {
  score,        ///< keys are k_j + W_e x_ij (of `gat`: a_edge · W_e x_ij inside LeakyReLU)
  values,       ///< values are v_j + W_v x_ij
  both,         ///< both, with a weight each
  both_shared,  ///< both, with one weight, as in TransformerConv
  ignored,
  log_prior,  ///< one column of edge weights w > 0: log w is added to the score, so α ∝ w exp(score)
  multiplied  ///< one column of edge weights: multiplied with α after the softmax, not renormalised
};

/// Which of a destination's edges take part, per head.
///
/// `argmax` gives scores no gradient: the choice is constant almost everywhere. `sampled` draws one edge
/// with the probabilities α in training and takes the likeliest in evaluation; `SampleGradient` says how
/// scores learn from it.
enum class Selection {
  all,
  top_k,  ///< the k largest scores; the softmax and its gradient run over these alone
  argmax,
  sampled
};

/// How scores learn from a drawn edge; values always get the gradient of the drawn edge. With π the
/// softmax over all open edges and g the loss gradient of a row:
enum class SampleGradient {
  /// de_ij = π_ij (g_i·v_j − Σ_k π_ik g_i·v_k), the gradient as if forward had taken the mean over π (Bengio,
  /// Léonard, Courville 2013). Biased: g is taken at the drawn row and the loss treated as linear from there,
  /// so the bias vanishes only for a loss that is linear in the rows. All edges contribute to every estimate;
  /// its variance is that of g alone, none for a linear loss.
  straight_through,
  /// de_ij = (loss − baseline)([j drawn] − π_ij) (Williams 1992). Unbiased for E[loss], for any loss and any
  /// baseline that does not depend on the draw. Its variance grows with (loss − baseline)² and with the
  /// number
  /// of drawn edges that share a loss; a baseline near the mean loss takes most of the first away.
  /// Needs `Context::loss`.
  score_function
};

/// A Gaussian around a position of each destination (local attention of Luong et al. 2015). Positions are
/// node numbers counted from the start of the node's graph; σ = width / 2.
enum class Window {
  none,
  monotonic,  ///< around the destination's own position, p_i = i
  predictive  ///< around p_i = S·sigmoid(v·tanh(W x_i)), S the number of sources of the graph; learned
};

/// A score with an edge loss, and what of it is the argument of the sigmoid.
struct EdgeLossScore {
  std::string_view score;
  bool scaled = false;  ///< q_i·k_j is divided by √(key width)
};
inline constexpr EdgeLossScore kEdgeLossScores[] = {{"supergat_mx", false}, {"supergat_sd", true}};
/// Null for a score without one.
const EdgeLossScore* edge_loss_of(std::string_view score);

/// Defaults are those of PyG's GATv2Conv but for the number of heads and dropout.
struct AttentionLayerOptions {
  std::string score = "gatv2";  ///< a name or alias of `score_table()`

  Index in_features = 0;           ///< width of the source features
  Index destination_features = 0;  ///< width of destinations with features of their own; 0 = same nodes
  Index value_features = 0;        ///< width of `LayerInput::values`; 0 = values come from the sources
  Index edge_features = 0;         ///< width of the edge features; 0 = none
  EdgeUse edge_use = EdgeUse::score;

  int num_heads = 8;    ///< H
  Index head_dim = 8;   ///< D, width of a value per head
  Index key_dim = 0;    ///< width of a key per head; 0 = head_dim
  Index query_dim = 0;  ///< width of a query per head; 0 = key_dim; others only where the score allows it
  Projection query = Projection::own;
  Projection key = Projection::own;
  Projection value = Projection::shared;
  bool projection_bias = true;  ///< of every projection
  double negative_slope = 0.2;  ///< of scores with LeakyReLU

  HeadMerge merge = HeadMerge::concat;
  Index output_dim = 0;  ///< width of a linear map of the merged heads (multi-head attention); 0 = no map
  Residual residual = Residual::none;
  bool residual_bias = false;  ///< of a learned residual, as TransformerConv's lin_skip
  /// out = b r + (1 − b) m with m the heads, r the residual, b = sigmoid(w·[m, r, m − r]): TransformerConv's
  /// beta. Its documentation writes [r, m, r − m], its code has this order.
  bool gate = false;
  bool bias = true;  ///< added last, width of the output
  Activation activation;

  double feature_dropout = 0;    ///< drop probability of input features
  double attention_dropout = 0;  ///< drop probability of coefficients; no second normalisation

  Selection selection = Selection::all;
  int top_k = 0;  ///< edges per destination and head with Selection::top_k
  SampleGradient sample_gradient = SampleGradient::straight_through;

  Window window = Window::none;
  Index window_width = 0;   ///< D: σ = D/2
  bool renormalize = true;  ///< the Gaussian stands inside the softmax; else α is multiplied with it
  /// Only edges with |j − p_i| ≤ D take part; the others are not even visited. The graph of these edges is
  /// made anew in every pass; which edges it has counts as fixed for gradients.
  bool window_edges = false;
  Index position_dim = 16;  ///< rows of W of a predictive window

  /// Weight of SuperGAT's edge loss (Kim and Oh 2021), which training adds to the loss of every layer that
  /// has one: the mean over drawn pairs of nodes of the binary cross-entropy between "an edge joins them" and
  /// sigmoid(mean over heads of q_i·k_j), of supergat_sd q_i·k_j / √(key width). 0 = none; other scores have
  /// none. The pairs are drawn anew in each round; loops and edges that a mask closes are drawn like others.
  /// Trains on one stored graph, never on a part of it.
  double edge_loss = 0;
  double edge_loss_share = 0.8;  ///< of the edges that are drawn, in (0, 1]; PyG's edge_sample_ratio, there 1
  double edge_loss_others = 0.5;  ///< pairs without an edge per drawn edge; PyG's neg_sample_ratio

  InitialScheme initial = InitialScheme::pyg;

  Index key_width() const { return key_dim > 0 ? key_dim : head_dim; }
  Index query_width() const { return query_dim > 0 ? query_dim : key_width(); }
  /// Columns of the merged heads.
  Index merged_width() const { return merge == HeadMerge::concat ? num_heads * head_dim : head_dim; }
  Index output_width() const { return output_dim > 0 ? output_dim : merged_width(); }
  /// Width of what queries and residuals are made from.
  Index receiver_features() const { return destination_features > 0 ? destination_features : in_features; }

  /// The projections that the score's authors have (`ScoreDescription::maps`): GATv2 takes values from the
  /// keys; GAT and SuperGAT have one map without bias for all three; the others have three maps. What a
  /// description that leaves them out gets. \throws UsageError for an unknown score
  static AttentionLayerOptions for_score(std::string_view score);
  /// \throws UsageError naming the options that are out of range or contradict each other
  void validate() const;
  /// The options by name, and back. Widths that a description leaves out are those given.
  LayerDescription describe() const;
  static AttentionLayerOptions from_description(const LayerDescription& description, Index in_features,
                                                Index edge_features);
};

std::string_view name_of(Projection value);
std::string_view name_of(EdgeUse value);
std::string_view name_of(Selection value);
std::string_view name_of(SampleGradient value);
std::string_view name_of(Window value);
/// \throws UsageError for an unknown name, with the known ones
Projection projection_named(std::string_view name);
EdgeUse edge_use_named(std::string_view name);
Selection selection_named(std::string_view name);
SampleGradient sample_gradient_named(std::string_view name);
Window window_named(std::string_view name);

/// Options of known layers that differ from `for_score` in more than the score; to be completed with widths,
/// heads and dropout.
namespace presets {
/// PyG's TransformerConv. \param root_weight, beta  as there
AttentionLayerOptions transformer(bool root_weight = true, bool beta = false);
/// PyTorch's MultiheadAttention over the edges of a graph, model width H·D.
AttentionLayerOptions multi_head(int num_heads, Index head_dim);
/// AGNN's propagation (Thekumparampil et al. 2018): one head, no projection, β cos.
AttentionLayerOptions agnn(Index in_features);
}  // namespace presets

}  // namespace gat::inline GAT_PRECISION
