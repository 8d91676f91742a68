/// The last step of every format: names, notes about edges and labels, and a check of the whole.
#pragma once

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// The directed graph of the edges as they were given: nothing added, nothing merged.
CsrGraph graph_as_given(const EdgeList& edges, Index num_nodes);

/// Numbers classes that have no names, appends the notes that all formats share (duplicate edges,
/// self-loops, edges without reverse, isolated and unlabelled nodes) and validates.
void finish_dataset(Dataset& dataset);

}  // namespace gat::inline GAT_PRECISION
