/// Small graphs for tests: written out, drawn at random, listed.
#pragma once

#include <utility>
#include <vector>

#include "gat/core/random.hpp"
#include "gat/graph/graph_builder.hpp"

namespace gat::test {

/// (source, destination).
using Edges = std::vector<std::pair<NodeId, NodeId>>;

inline EdgeList edge_list(const Edges& edges) {
  EdgeList list;
  for (const auto& [source, destination] : edges) list.add(source, destination);
  return list;
}

/// Nothing is added, dropped or merged.
inline constexpr GraphPolicy kAsGiven{.self_loops = SelfLoops::as_given, .duplicates = Duplicates::keep};

inline CsrGraph graph_of(Index num_nodes, const Edges& edges, const GraphPolicy& policy = kAsGiven) {
  return build_graph(edge_list(edges), num_nodes, policy).graph;
}

/// The edges in the order of the rows of in-edges.
inline Edges edges_of(const GraphView& graph) {
  Edges edges;
  for (Index i = 0; i < graph.num_destinations(); ++i) {
    const EdgeRow row = graph.in_edges(i);
    for (Index k = 0; k < row.count; ++k) edges.emplace_back(row.node(k), static_cast<NodeId>(i));
  }
  return edges;
}
inline Edges edges_of(const CsrGraph& graph) { return edges_of(graph.view()); }

/// Random edges with loops and repeats; the last destination receives nothing.
inline EdgeList random_edge_list(Index num_sources, Index num_destinations, Index num_edges,
                                 std::uint64_t seed) {
  EdgeList list;
  const RandomStream stream(seed);
  for (Index e = 0; e < num_edges; ++e) {
    const auto k = static_cast<std::uint64_t>(2 * e);
    list.add(static_cast<NodeId>(stream.below(k, static_cast<std::uint64_t>(num_sources))),
             static_cast<NodeId>(stream.below(k + 1, static_cast<std::uint64_t>(num_destinations - 1))));
  }
  return list;
}
inline CsrGraph random_graph(Index num_nodes, Index num_edges, std::uint64_t seed,
                             const GraphPolicy& policy = kAsGiven) {
  return build_graph(random_edge_list(num_nodes, num_nodes, num_edges, seed), num_nodes, policy).graph;
}

/// The edges of a view in stored arrays with the same edge ids; the view must be square or bipartite.
class StoredTwin {
 public:
  explicit StoredTwin(const GraphView& view)
      : sources_(view.num_sources()), destinations_(view.num_destinations()) {
    for (Index i = 0; i < destinations_; ++i) add(view.in_edges(i), in_offsets_, in_nodes_, in_edges_);
    for (Index j = 0; j < sources_; ++j) add(view.out_edges(j), out_offsets_, out_nodes_, out_edges_);
    GraphView::Arrays arrays;
    arrays.in_offsets = in_offsets_;
    arrays.in_sources = in_nodes_;
    arrays.in_edge_ids = in_edges_;
    arrays.out_offsets = out_offsets_;
    arrays.out_destinations = out_nodes_;
    arrays.out_edge_ids = out_edges_;
    view_ = GraphView(sources_, destinations_, view.bipartite(), view.edge_id_bound(), arrays);
  }
  StoredTwin(const StoredTwin&) = delete;
  StoredTwin& operator=(const StoredTwin&) = delete;

  const GraphView& view() const { return view_; }

 private:
  static void add(const EdgeRow& row, std::vector<EdgeId>& offsets, std::vector<NodeId>& nodes,
                  std::vector<EdgeId>& edges) {
    for (Index k = 0; k < row.count; ++k) {
      nodes.push_back(row.node(k));
      edges.push_back(row.edge(k));
    }
    offsets.push_back(static_cast<EdgeId>(nodes.size()));
  }

  Index sources_, destinations_;
  std::vector<EdgeId> in_offsets_{0}, in_edges_, out_offsets_{0}, out_edges_;
  std::vector<NodeId> in_nodes_, out_nodes_;
  GraphView view_;
};

}  // namespace gat::test
