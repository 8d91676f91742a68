/// Checks of lists that name nodes of a graph.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// Marks the nodes of a list. \throws UsageError for a node outside 0 … num_nodes − 1 or named twice
inline std::vector<bool> named_once(std::span<const NodeId> nodes, Index num_nodes) {
  std::vector<bool> named(static_cast<std::size_t>(num_nodes), false);
  for (const NodeId node : nodes) {
    if (node < 0 || node >= num_nodes) {
      throw UsageError("node " + std::to_string(node) + " is outside 0.." + std::to_string(num_nodes - 1));
    }
    if (named[static_cast<std::size_t>(node)])
      throw UsageError("node " + std::to_string(node) + " is named twice");
    named[static_cast<std::size_t>(node)] = true;
  }
  return named;
}

/// position[order[k]] = k. \throws UsageError unless the order names every node once
inline std::vector<NodeId> inverse_of(std::span<const NodeId> order, Index num_nodes) {
  if (static_cast<Index>(order.size()) != num_nodes) {
    throw UsageError("an order of " + std::to_string(order.size()) + " nodes for a graph of " +
                     std::to_string(num_nodes) + "; it must name every node once");
  }
  named_once(order, num_nodes);
  std::vector<NodeId> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    position[static_cast<std::size_t>(order[k])] = static_cast<NodeId>(k);
  }
  return position;
}

}  // namespace gat::inline GAT_PRECISION
