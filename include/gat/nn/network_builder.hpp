/// Descriptions of networks of the usual shapes around an attention layer that the caller chooses.
///
/// The attention of a block is any `LayerDescription` of a layer with one input: `gat`, or whatever else the
/// table of layers has. Widths need not agree: a residual whose two sides differ goes through a learned map.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gat/kernels/activation.hpp"
#include "gat/nn/layers/learned_positions.hpp"
#include "gat/nn/layers/readout.hpp"
#include "gat/nn/network.hpp"

namespace gat::inline GAT_PRECISION {

/// How the parts of a block follow each other: A the attention, N a norm, F two linear maps with an
/// activation f between them, D dropout. Every N and F has weights of its own.
enum class BlockForm {
  plain,      ///< f(A(x))
  classic,    ///< D f(N(A(x) + W x)): tunedGNN (Luo et al. 2024), whose W has a bias besides
  pre_norm,   ///< y = x + D A(N(x)), then y + F(N(y)): Xiong et al. 2020; the GT of heterophilous-graphs
  post_norm,  ///< y = N(x + D A(x)), then N(y + F(y)): Vaswani et al. 2017
  residual,   ///< x + F(A(N(x))): the GAT of heterophilous-graphs (Platonov et al. 2023)
  separate,  ///< x + F([N(x), A(N(x))]): their GAT-sep, where one linear map before A and the side by side is
             ///< shared; here it is a part of A, and of F
  gps  ///< y = N(x + D A(x)) + N(x + D G(x)), then N(y + F(y)): GPS (Rampášek et al. 2022) as in PyG's
       ///< GPSConv; G is attention over all pairs of nodes
};

/// What has mean 0 and variance 1 after a norm: the columns of each node (`layer_norm`), all nodes and
/// columns of a graph (`graph_layer_norm`: `LayerNormMode::graph`, the default of PyG's LayerNorm, with
/// epsilon where PyG has it for a batch), or each column over the nodes (`batch_norm`).
enum class NormKind { none, layer_norm, graph_layer_norm, batch_norm };

/// How the results of all blocks become the input of the output map (Xu et al. 2018; `sum` as in tunedGNN).
/// `lstm` is their attention by an LSTM, with the width of PyG (gat/nn/layers/lstm_attention.hpp).
enum class JumpingKnowledge { none, concat, max, sum, lstm };

/// Defaults are those of heterophilous-graphs' GAT-sep (Platonov et al. 2023), two blocks.
struct BlockNetworkOptions {
  Index num_features = 0;
  Index edge_features = 0;  ///< width of the edge features, 0 = none
  Index num_outputs = 1;
  Index hidden = 512;  ///< width between blocks
  int num_blocks = 2;
  BlockForm form = BlockForm::separate;
  LayerDescription attention;
  LayerDescription global_attention;  ///< G of `gps`
  NormKind norm = NormKind::layer_norm;
  Activation activation{ActivationKind::gelu, 1};
  double dropout = 0.2;
  double feed_forward_factor = 1;  ///< hidden width of F by that of x: 4 in Transformers, 2 in GPS
  /// Dropout in F before its activation as in heterophilous-graphs, else after it as in PyTorch and GPS.
  bool dropout_before_activation = true;
  /// A linear map to `hidden`, dropout and, if `input_activation` is set, the activation before the first
  /// block; heterophilous-graphs has both, tunedGNN no activation.
  bool input_map = true, input_activation = true;
  /// Learned positions: added to what the first block reads, or columns behind the features. Their
  /// `in_features` are not read.
  std::optional<LearnedPositionsOptions> positions;
  JumpingKnowledge jumping = JumpingKnowledge::none;
  std::optional<Pooling> readout;  ///< one row per graph instead of one per node

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// input, [positions,] blocks.0.…, blocks.1.…, [jumping,] [norm,] [readout,] output. Positions that are
/// columns come before the input. A norm stands before the output where blocks begin with one (pre_norm,
/// residual, separate); the output is a linear map.
/// \throws UsageError from BlockNetworkOptions::validate
NetworkDescription block_network(const BlockNetworkOptions& options);

/// Layers one after the other, called layers.0, layers.1, …
NetworkDescription plain_stack(Index num_features, Index edge_features,
                               const std::vector<LayerDescription>& layers);

/// Appends steps to a description; every call returns the name of the new result. For shapes of your own.
class NetworkBuilder {
 public:
  NetworkBuilder(Index num_features, Index edge_features) : description_{num_features, edge_features, {}} {}

  std::string step(std::string name, LayerDescription layer, InputNames inputs,
                   StepEdges edges = StepEdges::graph);
  /// branch + carried, the latter through a learned map where widths differ.
  std::string residual(std::string name, const std::string& branch, const std::string& carried);
  /// Steps that make no difference are left out: the name of `input` comes back.
  std::string norm(std::string name, NormKind kind, const std::string& input);
  std::string dropout(std::string name, double probability, const std::string& input);
  std::string jumping(std::string name, JumpingKnowledge kind, const std::vector<std::string>& results);

  /// One block of the form and the parts that the options name; the names of its steps begin with `prefix`.
  std::string block(const BlockNetworkOptions& options, std::string prefix, const std::string& input);

  const NetworkDescription& description() const { return description_; }

 private:
  NetworkDescription description_;
};

std::string_view name_of(BlockForm value);
std::string_view name_of(NormKind value);
std::string_view name_of(JumpingKnowledge value);
/// \throws UsageError for an unknown name, with the known ones
BlockForm block_form_named(std::string_view name);
NormKind norm_kind_named(std::string_view name);
JumpingKnowledge jumping_knowledge_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
