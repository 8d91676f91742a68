/// Facts about the structure of a graph: degrees, isolated nodes, components, visiting orders.
#pragma once

#include <vector>

#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

/// Degrees counted on edges as they are stored, loops included.
struct DegreeStatistics {
  Index smallest = 0;
  Index largest = 0;
  double mean = 0;
  Index num_isolated = 0;  ///< destinations without any in-edge
};
DegreeStatistics in_degree_statistics(const CsrGraph& graph);

/// Components when directions are ignored; by Boost.Graph's incremental components; O(N + E · α(N)).
struct WeakComponents {
  Index count = 0;
  Index largest = 0;                 ///< nodes of the largest component
  std::vector<NodeId> component_of;  ///< one number in [0, count) per node, by first node
};
WeakComponents weak_components(const CsrGraph& graph);

/// The nodes that messages of `start` reach, in breadth-first order, by Boost.Graph.
/// \throws UsageError when there is no such node
std::vector<NodeId> breadth_first_order(const CsrGraph& graph, NodeId start);

}  // namespace gat::inline GAT_PRECISION
