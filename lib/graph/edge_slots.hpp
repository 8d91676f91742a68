/// Which graphs have slots for their edges (GraphView::Arrays), and what they take.
#pragma once

#include <limits>

#include "gat/graph/graph_view.hpp"

namespace gat::inline GAT_PRECISION {

/// Numbers of fewer edges lie in a cache as they are.
inline constexpr Index kLeastEdgesWithSlots = Index(1) << 18;

inline bool gets_slots(Index num_edges) {
  return num_edges >= kLeastEdgesWithSlots && num_edges <= Index(std::numeric_limits<EdgeSlot>::max());
}

/// Bytes of both directions.
inline Index edge_slot_bytes(Index num_edges) {
  return gets_slots(num_edges) ? num_edges * Index(2 * sizeof(EdgeSlot)) : 0;
}

}  // namespace gat::inline GAT_PRECISION
