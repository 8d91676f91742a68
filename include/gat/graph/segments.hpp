/// The rows of each graph of a batch (`GraphView::Arrays::segments`).
#pragma once

#include <vector>

#include "gat/graph/graph_view.hpp"

namespace gat::inline GAT_PRECISION {

/// Rows by segment, each segment's in rising order. Segments may be empty.
struct SegmentRows {
  std::vector<Index> offsets;  ///< num_segments + 1
  std::vector<NodeId> rows;    ///< empty: the rows lie in order of their segments

  Index num_segments() const { return static_cast<Index>(offsets.size()) - 1; }
  Index begin(Index segment) const { return offsets[static_cast<std::size_t>(segment)]; }
  Index end(Index segment) const { return offsets[static_cast<std::size_t>(segment) + 1]; }
  Index count(Index segment) const { return end(segment) - begin(segment); }
  Index row(Index k) const { return rows.empty() ? k : rows[static_cast<std::size_t>(k)]; }
};

/// Of the source rows of a view; one segment unless the view's arrays say more.
/// \throws ShapeError when the view names a segment outside its number of segments
SegmentRows segment_rows(const GraphView& graph);

/// Every row a segment of its own.
SegmentRows single_rows(Index count);

}  // namespace gat::inline GAT_PRECISION
