/// Several graphs side by side as one graph without edges between them: batches of graphs.
///
/// Nodes, edges and listed edges of graph k follow those of graph k − 1, in their own order. So each node has
/// the in-edges that it had, in the order that they had, and attention gives it the same bits as in its own
/// graph.
#pragma once

#include <span>
#include <vector>

#include "gat/graph/graph_data.hpp"
#include "gat/graph/segments.hpp"

namespace gat::inline GAT_PRECISION {

struct GraphUnion {
  CsrGraph graph;
  SegmentPointer segments;  ///< the first rows of each graph

  /// As layers read it: with the graph of each row. Valid while the union stays where it is.
  GraphView view() const { return segments.attach(graph.view()); }
};

/// \param graphs  all of them bipartite or none
/// \throws UsageError for a mixture; LimitError for more nodes than node ids can number
GraphUnion disjoint_union(std::span<const CsrGraph* const> graphs);

/// A union with features.
struct GraphBatch {
  GraphData data;
  SegmentPointer segments;

  GraphView view() const { return segments.attach(data.graph.view()); }
};

/// Node features and edge features (weights are a column of these) of all graphs one below the other.
/// Features that depend on a whole graph, such as encodings of positions, belong there before. \param graphs
/// at least one; features of one form, dense or sparse, and of one width \throws ShapeError naming the graph
/// whose features do not fit, UsageError for no graph and for mixtures,
///         and what `disjoint_union` throws
GraphBatch make_batch(std::span<const GraphData* const> graphs);
GraphBatch make_batch(std::span<const GraphData> graphs);

}  // namespace gat::inline GAT_PRECISION
