/// One part of a split as a training run computes it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gat/kernels/loss.hpp"
#include "gat/train/trainer.hpp"

namespace gat::inline GAT_PRECISION {

/// What the parts of a run have in common: the network and the graph, which is laid out in another order
/// when the first part needs every row and an order pays.
class WholeGraph {
 public:
  /// Network and graph are borrowed.
  WholeGraph(const Network& network, const PreparedGraph& graph, Reorder reorder)
      : network_(network), graph_(graph), reorder_(reorder) {}
  WholeGraph(const WholeGraph&) = delete;

  const Network& network() const { return network_; }
  const PreparedGraph& prepared() const { return graph_; }
  /// Every row in the order to compute them; the first call decides. Valid as long as this object and the
  /// graph.
  GraphView every_row();

 private:
  const Network& network_;
  const PreparedGraph& graph_;
  Reorder reorder_;
  bool decided_ = false;
  std::optional<Blocks> laid_out_;
};

/// The blocks that compute a part's rows, and where these are among the results.
struct Part {
  /// \param prune  whether the receptive field is computed alone, unless it is most of the graph
  Part(WholeGraph& whole, std::span<const NodeId> part_nodes, Mode mode, bool prune);
  Part(const Part&) = delete;

  LossRows rows() const { return {logit_rows, nodes}; }

  std::span<const NodeId> nodes;
  ComputedRows computed = ComputedRows::whole;
  Blocks blocks;
  std::vector<NodeId> logit_rows;  ///< of each node
  Matrix logits;
  CsrMatrix feature_columns;  ///< of sparse features, for their gradients
};

}  // namespace gat::inline GAT_PRECISION
