/// Whether a view that counts several graphs also says which rows are whose.
#pragma once

#include "gat/graph/graph_view.hpp"

namespace gat::inline GAT_PRECISION {

/// For all who read the graphs of rows. Segment numbers are looked at where no begins are given: O(rows).
/// \throws ShapeError when begins or segment numbers do not fit the view, or it counts other than one graph
///         and has neither
void check_segments(const GraphView& graph);

}  // namespace gat::inline GAT_PRECISION
