/// Clusters of bounded size: sets of nodes with many edges among them, by label propagation.
#pragma once

#include <vector>

#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

struct ClusterOptions {
  Index max_nodes = 1024;  ///< no cluster has more; 1024 rows of 1 KiB fill a second-level cache of 1 MiB
  int num_sweeps = 5;      ///< at most; it ends earlier when few nodes move

  /// Throws `UsageError` for numbers below 1.
  void validate() const;
};

struct Clusters {
  Index count = 0;
  std::vector<NodeId> cluster_of;  ///< one number in [0, count) per node, by first node
};

/// Size-capped label propagation (Raghavan, Albert and Kumara 2007; the cap as in Meyerhenke, Sanders and
/// Schulz 2014): every node starts as a cluster of its own; in each sweep each node in turn joins the
/// cluster with most of its neighbours that has room. Directions are ignored, parallel edges count each,
/// loops do not. Ties go to the node's own cluster, then to the one met first. O(N + E) per sweep;
/// one thread, no random numbers.
/// \throws UsageError for a bipartite graph
Clusters find_clusters(const CsrGraph& graph, const ClusterOptions& options = {});

}  // namespace gat::inline GAT_PRECISION
