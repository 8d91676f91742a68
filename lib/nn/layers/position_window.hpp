/// Gaussian windows around positions, and the graph of the edges inside of them.
#pragma once

#include <vector>

#include "gat/graph/graph_view.hpp"
#include "gat/kernels/attention.hpp"

namespace gat::inline GAT_PRECISION {

/// Where the graph of each destination begins among the node numbers of either side, and how many sources it
/// has.
class GraphLines {
 public:
  /// \throws ShapeError, UsageError for a batch of graphs that does not say which rows are whose
  explicit GraphLines(const GraphView& graph);
  NodeId first(Index destination) const { return lines_[line(destination)].first; }
  /// Of destinations that are no sources.
  NodeId first_destination(Index destination) const { return lines_[line(destination)].first_destination; }
  Index length(Index destination) const { return lines_[line(destination)].length; }

 private:
  struct Line {
    NodeId first = 0, first_destination = 0;
    Index length = 0;
  };
  void add_source(const GraphView& graph, Index row, std::int32_t segment);
  std::size_t line(Index destination) const {
    return line_of_.empty() ? 0 : static_cast<std::size_t>(line_of_[static_cast<std::size_t>(destination)]);
  }

  std::vector<std::int32_t> line_of_;  // of destination rows; empty = one line
  std::vector<Line> lines_;
};

/// exp(−u²/(2σ²)) or its logarithm, u the distance of a source's position from a destination's, σ = width/2.
class PositionWindow final : public EdgeFunction {
 public:
  /// \param positions   one per destination row, counted from the start of its graph; empty = its own
  /// \param d_positions added to; empty = not wanted
  PositionWindow(const GraphView& graph, Index width, bool logarithm, ConstMatrixView positions,
                 MatrixView d_positions);

  Real value(NodeId destination, NodeId source, int head) const override;
  void add_gradient(NodeId destination, NodeId source, int head, Real d_value) const override;
  /// u; the numbers are those of the whole graph.
  Real distance(NodeId destination, NodeId source) const;
  /// Where the window of a destination row stands among the node numbers.
  double center(Index row) const;

 private:
  std::size_t row_of(NodeId destination) const {
    return rows_.empty() ? static_cast<std::size_t>(destination)
                         : static_cast<std::size_t>(rows_[static_cast<std::size_t>(destination)]);
  }

  const GraphView& graph_;
  Real inverse_variance_;
  bool logarithm_;
  ConstMatrixView positions_;
  MatrixView d_positions_;
  GraphLines lines_;
  std::vector<NodeId> rows_;  // of global destinations; empty = the same numbers, or nobody asks
};

/// The edges of a graph with |u| ≤ width, stored in both directions with the ids that they have there.
/// Costs O(edges kept + nodes) on implicit graphs, O(edges) on stored ones.
class WindowEdges {
 public:
  WindowEdges(const GraphView& graph, const PositionWindow& window, Index width);
  WindowEdges(const WindowEdges&) = delete;
  WindowEdges& operator=(const WindowEdges&) = delete;
  const GraphView& view() const { return view_; }

 private:
  void add_row(const GraphView& graph, const PositionWindow& window, Index width, Index row);
  void transpose(Index num_sources, Index num_destinations);

  std::vector<EdgeId> in_offsets_{0}, in_ids_, out_offsets_, out_ids_, out_places_;
  std::vector<NodeId> in_nodes_, out_nodes_;
  GraphView view_;
};

}  // namespace gat::inline GAT_PRECISION
