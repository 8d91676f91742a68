/// Boost.Graph on both sides: a `CsrGraph` is a model of Boost's concepts, and any Boost graph can be
/// turned into one.
///
/// `CsrGraph` models VertexListGraph, EdgeListGraph and IncidenceGraph (directed, parallel edges
/// allowed); an edge leads from the source of the message to its destination. This is the only header
/// that includes Boost.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>
#include <type_traits>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/graph/graph_builder.hpp"

namespace gat::inline GAT_PRECISION {

/// Boost's edge descriptor of a `CsrGraph`.
struct BoostEdge {
  NodeId source = 0;
  NodeId destination = 0;
  EdgeId id = 0;
  friend bool operator==(const BoostEdge& a, const BoostEdge& b) { return a.id == b.id; }
  friend bool operator!=(const BoostEdge& a, const BoostEdge& b) { return a.id != b.id; }
};

/// Walks the out-edges of one source.
class BoostOutEdgeIterator : public boost::iterator_facade<BoostOutEdgeIterator, BoostEdge,
                                                           boost::random_access_traversal_tag, BoostEdge> {
 public:
  BoostOutEdgeIterator() = default;
  BoostOutEdgeIterator(EdgeRow row, NodeId source, Index at) : row_(row), source_(source), at_(at) {}

 private:
  friend class boost::iterator_core_access;
  BoostEdge dereference() const { return {source_, row_.node(at_), row_.edge(at_)}; }
  bool equal(const BoostOutEdgeIterator& other) const { return at_ == other.at_; }
  void increment() { ++at_; }
  void decrement() { --at_; }
  void advance(std::ptrdiff_t n) { at_ += n; }
  std::ptrdiff_t distance_to(const BoostOutEdgeIterator& other) const { return other.at_ - at_; }

  EdgeRow row_;
  NodeId source_ = 0;
  Index at_ = 0;
};

/// Walks all edges by id.
class BoostEdgeIterator
    : public boost::iterator_facade<BoostEdgeIterator, BoostEdge, boost::forward_traversal_tag, BoostEdge> {
 public:
  BoostEdgeIterator() = default;
  BoostEdgeIterator(const CsrGraph& graph, EdgeId edge) : graph_(&graph), edge_(edge) { find_row(); }

 private:
  friend class boost::iterator_core_access;
  BoostEdge dereference() const {
    return {graph_->column_indices()[static_cast<std::size_t>(edge_)], static_cast<NodeId>(row_), edge_};
  }
  bool equal(const BoostEdgeIterator& other) const { return edge_ == other.edge_; }
  void increment() {
    ++edge_;
    find_row();
  }
  void find_row() {
    while (row_ < graph_->num_destinations() &&
           graph_->row_offsets()[static_cast<std::size_t>(row_) + 1] <= edge_)
      ++row_;
  }

  const CsrGraph* graph_ = nullptr;
  EdgeId edge_ = 0;
  Index row_ = 0;
};

inline std::pair<boost::counting_iterator<NodeId>, boost::counting_iterator<NodeId>> vertices(
    const CsrGraph& graph) {
  using Iterator = boost::counting_iterator<NodeId>;
  return {Iterator(0), Iterator(static_cast<NodeId>(graph.num_nodes()))};
}
inline std::size_t num_vertices(const CsrGraph& graph) { return static_cast<std::size_t>(graph.num_nodes()); }
inline std::pair<BoostEdgeIterator, BoostEdgeIterator> edges(const CsrGraph& graph) {
  return {BoostEdgeIterator(graph, 0), BoostEdgeIterator(graph, graph.num_edges())};
}
inline std::size_t num_edges(const CsrGraph& graph) { return static_cast<std::size_t>(graph.num_edges()); }
inline std::pair<BoostOutEdgeIterator, BoostOutEdgeIterator> out_edges(NodeId source, const CsrGraph& graph) {
  const EdgeRow row = graph.out_edges(source);
  return {BoostOutEdgeIterator(row, source, 0), BoostOutEdgeIterator(row, source, row.count)};
}
inline std::size_t out_degree(NodeId source, const CsrGraph& graph) {
  return static_cast<std::size_t>(graph.out_degree(source));
}
inline NodeId source(const BoostEdge& edge, const CsrGraph&) { return edge.source; }
inline NodeId target(const BoostEdge& edge, const CsrGraph&) { return edge.destination; }
inline boost::typed_identity_property_map<NodeId> get(boost::vertex_index_t, const CsrGraph&) { return {}; }

/// The edges of a Boost graph that models VertexListGraph and IncidenceGraph or EdgeListGraph. An
/// edge u → v becomes source u, destination v; each edge of an undirected graph becomes both
/// directions (a loop once). \param index  property map vertex → 0 … N − 1
/// \throws UsageError when an index lies outside 0 … N − 1
template <class Graph, class IndexMap>
EdgeList edge_list_from_boost(const Graph& graph, IndexMap index) {
  using Category = typename boost::graph_traits<Graph>::directed_category;
  EdgeList list;
  const auto count = num_vertices(graph);
  const auto add = [&](auto u, auto v) {
    const auto from = static_cast<std::size_t>(get(index, u));
    const auto to = static_cast<std::size_t>(get(index, v));
    if (from >= count || to >= count)
      throw UsageError("Boost graph: a vertex index is outside 0..N-1; renumber the vertices");
    list.add(static_cast<NodeId>(from), static_cast<NodeId>(to));
    if (std::is_convertible_v<Category, boost::undirected_tag> && from != to) {
      list.add(static_cast<NodeId>(to), static_cast<NodeId>(from));
    }
  };
  using Traversal = typename boost::graph_traits<Graph>::traversal_category;
  if constexpr (std::is_convertible_v<Traversal, boost::edge_list_graph_tag>) {
    for (auto [e, last] = edges(graph); e != last; ++e) add(source(*e, graph), target(*e, graph));
  } else {
    static_assert(!std::is_convertible_v<Category, boost::undirected_tag>,
                  "an undirected graph must be an EdgeListGraph: its out-edges name every edge twice");
    for (auto [v, last] = vertices(graph); v != last; ++v) {
      for (auto [e, row_end] = out_edges(*v, graph); e != row_end; ++e) add(*v, target(*e, graph));
    }
  }
  return list;
}

/// Builds a `CsrGraph` from a Boost graph whose vertices carry indices 0 … N − 1; O(N + E).
template <class Graph>
BuiltGraph csr_graph_from_boost(const Graph& graph, const GraphPolicy& policy = {}) {
  return build_graph(edge_list_from_boost(graph, get(boost::vertex_index, graph)),
                     static_cast<Index>(num_vertices(graph)), policy);
}

}  // namespace gat::inline GAT_PRECISION

namespace boost {

template <>
struct graph_traits<gat::CsrGraph> {
  using vertex_descriptor = gat::NodeId;
  using edge_descriptor = gat::BoostEdge;
  using directed_category = directed_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : vertex_list_graph_tag, edge_list_graph_tag, incidence_graph_tag {};
  using vertex_iterator = counting_iterator<gat::NodeId>;
  using edge_iterator = gat::BoostEdgeIterator;
  using out_edge_iterator = gat::BoostOutEdgeIterator;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return -1; }
};

// Some of Boost's algorithms ask for the traits of the const type.
template <>
struct graph_traits<const gat::CsrGraph> : graph_traits<gat::CsrGraph> {};

template <>
struct property_map<gat::CsrGraph, vertex_index_t> {
  using type = typed_identity_property_map<gat::NodeId>;
  using const_type = type;
};

}  // namespace boost
