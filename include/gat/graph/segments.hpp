/// The rows of each graph of a batch (`GraphView::Arrays::segments`).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gat/graph/graph_view.hpp"

namespace gat::inline GAT_PRECISION {

/// Rows by segment, each segment's in rising order of the numbers that they have in the whole graph, so that
/// a sum over them does not depend on the order in which a view lays them. Segments may be empty.
struct SegmentRows {
  std::vector<Index> offsets;  ///< num_segments + 1
  std::vector<NodeId> rows;    ///< empty: the rows lie in this order

  Index num_segments() const { return static_cast<Index>(offsets.size()) - 1; }
  Index begin(Index segment) const { return offsets[static_cast<std::size_t>(segment)]; }
  Index end(Index segment) const { return offsets[static_cast<std::size_t>(segment) + 1]; }
  Index count(Index segment) const { return end(segment) - begin(segment); }
  Index row(Index k) const { return rows.empty() ? k : rows[static_cast<std::size_t>(k)]; }
};

/// Where each graph of a batch begins, whose rows lie in the order of their graphs; what views of the batch
/// borrow. Graphs may be empty.
class SegmentPointer {
 public:
  /// No graph.
  SegmentPointer() : begins_(1) {}
  /// \param pointer  the first row of each graph and, behind the last, the number of rows
  /// \throws ShapeError unless it begins with 0 and never falls
  explicit SegmentPointer(std::span<const Index> pointer);
  /// Of bipartite graphs; both have one number per graph and one more.
  SegmentPointer(std::span<const Index> sources, std::span<const Index> destinations);

  Index num_segments() const { return static_cast<Index>(begins_.size()) - 1; }
  bool bipartite() const { return bipartite_; }
  /// The first source row of a graph; of `num_segments()`, their number.
  Index source(Index segment) const { return begins_[static_cast<std::size_t>(segment)].source; }
  Index destination(Index segment) const { return begins_[static_cast<std::size_t>(segment)].destination; }

  /// The edges of a view, its rows in these graphs. No edge may lead from one graph to another; that is not
  /// checked. \throws ShapeError when the view has other numbers of rows
  GraphView attach(const GraphView& edges) const;
  /// All pairs within each graph, for attention over whole graphs; edges are numbered graph by graph and
  /// nothing is stored for them.
  GraphView complete() const;

 private:
  bool bipartite_ = false;
  std::vector<SegmentBegin> begins_;    // num_segments + 1
  std::vector<std::int32_t> segments_;  // of each source row
};

/// Whether a view that counts several graphs also says which rows are whose. Segment numbers are looked at
/// where no begins are given: O(rows). \throws ShapeError when begins or segment numbers do not fit the view,
/// or it counts other than one graph and has neither
void check_segments(const GraphView& graph);

/// Of the source rows of a view; one segment unless the view's arrays say more. O(rows + largest number).
/// \throws ShapeError when the view names a segment outside its number of segments
SegmentRows segment_rows(const GraphView& graph);

/// Every row a segment of its own.
SegmentRows single_rows(Index count);

}  // namespace gat::inline GAT_PRECISION
