/// Whether a network's learned positions serve all nodes of a graph.
#pragma once

#include "gat/nn/network.hpp"

namespace gat::inline GAT_PRECISION {

/// For those who hold the whole graph: a layer sees the nodes of its block alone.
/// \throws ShapeError for more nodes than a step of the network has positions
void check_positions(const Network& network, Index num_nodes);

}  // namespace gat::inline GAT_PRECISION
