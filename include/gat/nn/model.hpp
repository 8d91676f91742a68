/// A model: a network with its weights and everything that makes it right on raw data.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gat/graph/graph_builder.hpp"
#include "gat/graph/graph_data.hpp"
#include "gat/graph/positions.hpp"
#include "gat/graph/reorder.hpp"
#include "gat/nn/input_transform.hpp"
#include "gat/nn/network.hpp"

namespace gat::inline GAT_PRECISION {

/// Everything about a model but its numbers.
struct ModelDescription {
  NetworkDescription network;
  GraphPolicy graph_policy;  ///< how raw edges become the graph of every layer
  InputTransform input_transform = InputTransform::none;
  bool multi_label = false;                     ///< sigmoid per class instead of softmax
  std::vector<std::string> class_names;         ///< one per output column
  std::map<std::string, std::string> metadata;  ///< where it came from: seed, split, data, metrics …
  /// Columns behind the transformed features, and part of `network.num_features`.
  std::vector<PositionEncoding> positions = {};
};

/// One raw graph made ready for one model (a batch would count as a single graph): its edges by the model's
/// policy, its features transformed, and behind them encodings of positions in that graph, which are not.
/// Structure is prepared once; changing edge features travel through `edge_features`. Can be moved, not
/// copied.
class PreparedGraph {
 public:
  /// \param num_threads  for the encodings; results do not depend on it
  /// \throws NumericError when an encoding cannot be computed
  PreparedGraph(const GraphData& raw, const GraphPolicy& policy, InputTransform transform,
                std::span<const PositionEncoding> positions = {}, int num_threads = 1);

  const CsrGraph& graph() const { return built_.graph; }
  const BuildReport& report() const { return built_.report; }
  FeatureView features() const { return features_.view(); }
  /// num_edges × D for the raw data's own edge features; empty when it has none.
  ConstMatrixView edge_features() const {
    return edge_features_.empty() ? ConstMatrixView() : edge_features_.view();
  }
  /// Other rows (one per user edge) through reverse copies, merging and loop fill, and the adjoint,
  /// which adds. \param edges the result of the forward call
  Matrix edge_features(ConstMatrixView user_rows) const;
  void add_user_edge_gradient(ConstMatrixView edges, ConstMatrixView d_edges, MatrixView d_user_rows) const;

  /// From now on, passes over the whole graph hold their rows in an order that gathers them faster, if
  /// `order_that_pays` finds one. What goes in and comes out, edge ids and every bit of a forward stay what
  /// they are, but for steps that sum over all nodes (see `Model`). Looking takes some 0.1 µs per edge, which
  /// pays for those who make several passes; the copy takes 32 bytes per edge. Small and bipartite graphs are
  /// left alone.
  /// \param row_bytes  Network::gathered_row_bytes
  void lay_out(Index row_bytes, const ReorderRule& rule = {});
  /// The same in a stated order, whether it pays or not. \throws UsageError for a bipartite graph or an order
  /// that does not name every node once
  void lay_out(std::span<const NodeId> order);
  bool reordered() const { return laid_out_.has_value(); }
  /// The whole graph as laid out: row k is node layout().arrays().node_ids[k], or k where these are empty.
  GraphView layout() const { return laid_out_ ? laid_out_->layer(0) : graph().view(); }

 private:
  GraphPolicy policy_;
  BuiltGraph built_;
  Features features_;
  Matrix edge_features_;
  std::optional<Blocks> laid_out_;
};

/// Immutable; any number of threads may call it, each with its own workspace.
///
/// Where only a part of the graph is computed, or its rows stand in another order, a node has the same bits.
/// Steps that sum over all nodes are the exception: attention over all pairs (`StepEdges::complete`, the
/// global part of GPS), norms over nodes and readouts add in the order of the rows that they hold, and agree
/// to rounding only. In training, dropout of attention over all pairs goes by the numbers of these rows: its
/// masks differ.
class Model {
 public:
  /// \throws UsageError when the weights are not those of the network
  Model(ModelDescription description, Weights weights);

  /// Reads and writes the model file: safetensors with the description in its metadata.
  /// \throws FileError, InputError naming the file and the tensor or key that is wrong
  static Model load(const std::filesystem::path& path);
  void save(const std::filesystem::path& path) const;

  const ModelDescription& description() const { return description_; }
  const Network& network() const { return network_; }
  const Weights& weights() const { return weights_; }
  Index num_classes() const { return network_.output_width(); }

  /// \param reorder  off for those who make one or two passes over the whole graph, see
  ///                 `PreparedGraph::lay_out`
  /// \param num_threads  for encodings of positions; results do not depend on it
  /// \throws ShapeError when the data has other widths than the model was made for, or more nodes than it
  ///         learned positions; NumericError when an encoding of positions cannot be computed
  PreparedGraph prepare(const GraphData& raw, Reorder reorder = Reorder::automatic,
                        int num_threads = 1) const;

  /// Class logits of every node (N × C), or of the graph (1 × C) after a readout, in evaluation mode.
  /// \param attention, hidden  as in `Round`: empty, or one per step
  Matrix class_logits(const PreparedGraph& graph, Workspace& workspace, const Execution& execution = {},
                      std::span<const AttentionSink> attention = {},
                      std::span<const MatrixView> hidden = {}) const;
  /// Class logits of chosen nodes, one row each, computed from their receptive field alone; the same
  /// bits as in the whole graph, with the exception above. A node named twice is computed once and answered
  /// twice.
  /// \throws UsageError for a network that ends in one row per graph
  Matrix class_logits(const PreparedGraph& graph, std::span<const NodeId> nodes, Workspace& workspace,
                      const Execution& execution = {}) const;
  /// Class probabilities from logits: softmax, or sigmoid for several labels per node.
  void to_probabilities(ConstMatrixView logits, MatrixView probabilities) const;

 private:
  ModelDescription description_;
  Network network_;
  Weights weights_;
};

}  // namespace gat::inline GAT_PRECISION
