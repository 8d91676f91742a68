/// Power-law graphs with planted communities: structure alone, for benchmarks of large graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

/// What a generated power-law graph looks like.
struct PowerLawOptions {
  Index num_nodes = 10000;
  Index num_edges = 100000;      ///< directed edges without loops, both directions counted: an even number
  double exponent = 2.5;         ///< of the distribution of degrees, > 2
  double max_degree = 1000;      ///< no node expects more edges; at least the mean degree
  double community_share = 0.7;  ///< share of edges inside communities, in [0, 1]; 0 = plain Chung–Lu
  Index community_size = 400;    ///< mean number of nodes of a community
  bool self_loops = false;       ///< one added loop per node, last in its row, on top of num_edges
  std::uint64_t seed = 0;

  /// Throws `UsageError` for numbers out of range.
  void validate() const;
};

/// ogbn-arxiv's size made undirected: 169,343 nodes, 2,323,312 directed edges and a loop per node,
/// largest in-degree about 1,000 (the real one is 13,155, through one hub).
PowerLawOptions arxiv_shaped(std::uint64_t seed = 0);
/// 1 million nodes, 16 million directed edges and a loop per node, largest in-degree about 4,000.
PowerLawOptions million_nodes(std::uint64_t seed = 0);

struct PowerLawGraph {
  CsrGraph graph;                   ///< every edge in both directions; rows rise, added loops last
  std::vector<NodeId> communities;  ///< of each node; empty when none are planted
};

/// Draws a graph in O(N + E log E), some 0.15 µs per edge.
///
/// The model is Chung and Lu's (2002): node k of a random order expects min(max_degree, c (k + 1)^(−1/(γ −
/// 1))) edges, and edges are drawn with both ends by these numbers until the wanted number of different
/// pairs is there; redrawn repeats take up to some percent from the largest nodes. Communities are random
/// sets of nodes; an edge inside draws its second end from the community of the first. A hub expects at
/// most a quarter of a community as neighbours inside (where the share allows it) and the others outside.
/// The numbers of edges and of edges inside communities are exact, but for graphs so dense that free pairs
/// are rare: those get fewer.
PowerLawGraph generate_power_law(const PowerLawOptions& options);

}  // namespace gat::inline GAT_PRECISION
