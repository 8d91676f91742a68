/// SuperGAT's edge loss (Kim and Oh 2021): attention learns to tell edges from other pairs of nodes.
///
///     x_ij = scale · q_i·k_j        loss = weight · mean over the drawn pairs of
///                                          log(1 + exp(−x_ij)) of edges, log(1 + exp(x_ij)) of others
#pragma once

#include <vector>

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/random.hpp"
#include "gat/graph/graph_view.hpp"

namespace gat::inline GAT_PRECISION {

/// Pairs of rows, edges first.
struct NodePairs {
  std::vector<NodeId> destinations, sources;
  Index num_edges = 0;

  Index count() const { return static_cast<Index>(destinations.size()); }
};

/// Each edge of a stored graph with the probability `edge_share`, and `others` · `edge_share` · E other
/// pairs: drawn from all pairs of two nodes until no edge joins them either way, 32 times at most, so that
/// graphs where nearly all pairs are joined have fewer. A pair may be drawn twice; PyG draws without repeats.
/// A function of the stream and of global ids alone. \pre the graph is whole: its sources are its
/// destinations, and all of its edges are there
NodePairs draw_pairs(const GraphView& graph, double edge_share, double others, const RandomStream& random);

struct EdgeLoss {
  const NodePairs& pairs;
  ConstMatrixView queries, keys;  ///< rows of heads in kernel order, of one width
  double scale = 1;
  double weight = 1;

  /// \param d_products  1 × pairs, overwritten: the derivative by each q_i·k_j
  /// \return the loss; 0 without pairs
  double forward(MatrixView d_products, const Execution& execution) const;
  /// Adds to the gradients of the rows.
  void backward(ConstMatrixView d_products, MatrixView d_queries, MatrixView d_keys,
                const Execution& execution) const;
};

}  // namespace gat::inline GAT_PRECISION
