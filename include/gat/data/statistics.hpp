/// Facts about a data set that need its edges as stored or its labels: counts, homophily, classes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// Counts of the edges as stored. An *undirected* edge is a pair of two different nodes that are
/// linked in at least one direction.
struct EdgeStatistics {
  Index num_stored = 0;      ///< directed edges
  Index num_undirected = 0;  ///< undirected edges
  Index num_distinct = 0;    ///< directed edges without loops, repeated ones counted once
  Index num_one_way = 0;     ///< those of them whose reverse is not stored
  Index num_duplicates = 0;  ///< stored edges (loops too) that repeat an earlier one
  Index num_self_loops = 0;  ///< stored edges from a node to itself
  Index num_looped = 0;      ///< nodes with such an edge
  Index num_isolated = 0;    ///< nodes without any undirected edge
  Index max_degree = 0;      ///< the most undirected edges of one node

  bool is_symmetric() const { return num_one_way == 0; }
};

/// O(N + E). \pre the graph is not bipartite
EdgeStatistics edge_statistics(const CsrGraph& graph);

/// The share, in [0, 1], of undirected edges with equal labels at both ends, among those whose ends
/// are both labelled ("edge homophily", Zhu et al. 2020); nothing when there is no such edge, or when
/// nodes have several labels. O(N + E).
std::optional<double> edge_homophily(const Dataset& dataset);

/// How many nodes have each class, or have a target of at least 0.5 for it; num_classes numbers.
std::vector<Index> class_counts(const Dataset& dataset);
/// The same for some of the nodes, for example one part of a split.
std::vector<Index> class_counts(const Dataset& dataset, std::span<const NodeId> nodes);

/// Nodes that can be in no split because nothing is known of them; all of them without labels.
Index num_unlabelled(const Dataset& dataset);

}  // namespace gat::inline GAT_PRECISION
