/// One part of a split as a training run computes it.
#pragma once

#include <span>
#include <vector>

#include "gat/kernels/loss.hpp"
#include "gat/train/trainer.hpp"

namespace gat::inline GAT_PRECISION {

/// The blocks that compute a part's rows, and where these are among the results.
struct Part {
  /// \param prune  whether the receptive field is computed alone, unless it is most of the graph
  Part(const Network& network, const PreparedGraph& graph, std::span<const NodeId> part_nodes, Mode mode,
       bool prune);
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
