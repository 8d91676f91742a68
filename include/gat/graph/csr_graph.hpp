/// The stored graph: in-edges row by row (CSR by destination) and its transpose.
///
/// Row i is the in-neighbourhood of destination i and the edge id is the position in it; rows keep
/// the order in which edges were given, added loops last. A message goes source → destination.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gat/graph/graph_view.hpp"

namespace gat::inline GAT_PRECISION {

/// An immutable directed graph with both directions and the way back to the user's edges.
class CsrGraph {
 public:
  /// The arrays of a graph, as the builder makes them.
  struct Parts {
    Index num_sources = 0;
    Index num_destinations = 0;
    bool bipartite = false;
    std::vector<EdgeId> row_offsets{0};        ///< num_destinations + 1
    std::vector<NodeId> column_indices;        ///< source of each edge
    std::vector<EdgeId> user_edge_ids;         ///< user's edge of each edge; kNone = added loop
    std::vector<std::uint8_t> reversed;        ///< 1 = a reverse copy of its user edge
    std::vector<EdgeId> edge_of_user;          ///< edge that a user edge became; kNone = dropped
    std::vector<EdgeId> reverse_edge_of_user;  ///< its reverse copy; empty when there are none
  };

  /// A graph without nodes.
  CsrGraph() : CsrGraph(Parts{}) {}

  /// Takes checked parts over and builds the transpose, from 2^18 edges on with slots, 8 bytes per edge more;
  /// O(N + E).
  explicit CsrGraph(Parts parts);

  /// Makes a graph from CSR arrays that somebody already holds (copied). Edge e is user edge e.
  /// \param row_offsets     num_destinations + 1 numbers that rise from 0 to the number of edges
  /// \param column_indices  sources, in [0, num_sources)
  /// \param bipartite       whether sources and destinations are different things
  /// \throws ShapeError when the arrays do not describe a graph
  static CsrGraph from_csr(std::span<const EdgeId> row_offsets, std::span<const NodeId> column_indices,
                           Index num_sources, bool bipartite = false);

  Index num_sources() const { return parts_.num_sources; }
  Index num_destinations() const { return parts_.num_destinations; }
  /// Number of nodes of a graph that is not bipartite.
  Index num_nodes() const { return parts_.num_sources; }
  Index num_edges() const { return static_cast<Index>(parts_.column_indices.size()); }
  Index num_user_edges() const { return static_cast<Index>(parts_.edge_of_user.size()); }
  bool bipartite() const { return parts_.bipartite; }

  std::span<const EdgeId> row_offsets() const { return parts_.row_offsets; }
  std::span<const NodeId> column_indices() const { return parts_.column_indices; }
  std::span<const EdgeId> user_edge_ids() const { return parts_.user_edge_ids; }
  bool is_reversed(EdgeId edge) const { return parts_.reversed[static_cast<std::size_t>(edge)] != 0; }
  std::span<const EdgeId> edge_of_user() const { return parts_.edge_of_user; }
  std::span<const EdgeId> reverse_edge_of_user() const { return parts_.reverse_edge_of_user; }

  EdgeRow in_edges(Index destination) const { return view().in_edges(destination); }
  EdgeRow out_edges(Index source) const { return view().out_edges(source); }
  Index in_degree(Index destination) const { return in_edges(destination).count; }
  Index out_degree(Index source) const { return out_edges(source).count; }

  /// The whole graph as kernels read it; valid while the graph lives.
  GraphView view() const;

 private:
  void build_transpose();
  void build_slots();

  Parts parts_;
  std::vector<EdgeId> out_offsets_;
  std::vector<NodeId> out_destinations_;
  std::vector<EdgeId> out_edge_ids_;
  std::vector<EdgeSlot> in_slots_, out_slots_;
};

}  // namespace gat::inline GAT_PRECISION
