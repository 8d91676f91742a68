/// Orders of the nodes that keep rows gathered together close together, and whether they pay.
///
/// An order lists the nodes: order[k] is the node that comes k-th. `Blocks::reordered` lays a graph out by
/// it; features, masks, edge features and results keep the numbers they have.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gat/graph/clusters.hpp"

namespace gat::inline GAT_PRECISION {

/// Whether rows of a whole graph may be laid out in another order than the one given.
enum class Reorder {
  automatic,  ///< where `order_that_pays` finds one
  off
};
std::string_view name_of(Reorder reorder);
/// "auto" or "off". \throws UsageError for another name
Reorder reorder_named(std::string_view name);

/// Cluster by cluster. The clusters come in breadth-first order of the graph of clusters, those with
/// most edges to the one before first; the nodes of a cluster keep their order. O(N + E log E).
std::vector<NodeId> cluster_order(const CsrGraph& graph, const Clusters& clusters);

/// Reverse Cuthill and McKee (1969; George 1971) by Boost.Graph, each component from a node of smallest
/// degree; directions are ignored. For comparison: it narrows the band of a mesh, but in graphs with hubs
/// it wins little. O(N + E log E).
/// \throws UsageError for a bipartite graph
std::vector<NodeId> reverse_cuthill_mckee_order(const CsrGraph& graph);

/// position[order[k]] = k. \throws UsageError when `order` does not name each of 0 … size − 1 once
std::vector<NodeId> inverse_order(std::span<const NodeId> order);

/// The share, in [0, 1], of edges whose source row a cache does not hold when it is gathered, if the
/// destinations are computed in the given order (empty = 0, 1, 2, …). The cache holds about the
/// `cache_rows` rows used last. A count on the structure, not a measurement. O(N + E).
/// \throws UsageError for a bipartite graph or an order that does not fit it
double share_fetched(const CsrGraph& graph, std::span<const NodeId> order, Index cache_rows);

/// When an order pays, by structure alone, so that every machine decides alike.
struct ReorderRule {
  /// Rows that fit here are close in any order: the last-level cache of a small processor.
  Index small_bytes = Index(8) << 20;
  /// What a core keeps close to it: second-level caches of current servers have 1 or 2 MiB.
  Index cache_bytes = Index(2) << 20;
  /// An order pays when it saves this share of the gathered rows. Clusters save 0.1 in Chung-Lu graphs
  /// without communities, 0.4 where half of the edges are in communities, 0.6 where 70 % are.
  double saved_share = 0.2;
};

/// Whether an order saves enough against the given one; never in small graphs.
/// \param row_bytes  of one row that the widest layer gathers: heads × head_dim × size of a number
/// \throws UsageError for a bipartite graph, an order that does not fit it or row_bytes below 1
bool reordering_pays(const CsrGraph& graph, std::span<const NodeId> order, Index row_bytes,
                     const ReorderRule& rule = {});

/// The order by clusters as large as 1 MiB of rows where it pays; empty where the given order is as good.
/// Small graphs are not looked at.
std::vector<NodeId> order_that_pays(const CsrGraph& graph, Index row_bytes, const ReorderRule& rule = {});

}  // namespace gat::inline GAT_PRECISION
