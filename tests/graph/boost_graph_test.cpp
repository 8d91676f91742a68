#include "gat/graph/boost_graph.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graph_concepts.hpp>

#include "catch.hpp"
#include "graphs.hpp"

using namespace gat;
using gat::test::Edges;
using gat::test::edges_of;
using gat::test::kAsGiven;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<CsrGraph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<CsrGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<CsrGraph>));

namespace {

using Directed = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Undirected = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

//  1 → 0 ← 2,  0 → 2 (twice)
CsrGraph small() { return test::graph_of(4, {{1, 0}, {2, 0}, {0, 2}, {0, 2}}); }

Edges listed(const EdgeList& list) {
  Edges edges;
  for (std::size_t e = 0; e < list.sources.size(); ++e)
    edges.emplace_back(list.sources[e], list.destinations[e]);
  return edges;
}

}  // namespace

TEST_CASE("Boost sees the vertices and edges of a CSR graph", "[graph][boost][unit]") {
  const CsrGraph graph = small();
  CHECK(num_vertices(graph) == 4);
  CHECK(num_edges(graph) == 4);
  Edges seen;
  for (auto [e, last] = edges(graph); e != last; ++e) seen.emplace_back(source(*e, graph), target(*e, graph));
  CHECK(seen == edges_of(graph));
  std::vector<NodeId> nodes;
  for (auto [v, last] = vertices(graph); v != last; ++v) nodes.push_back(*v);
  CHECK(nodes == std::vector<NodeId>{0, 1, 2, 3});
  CHECK(get(get(boost::vertex_index, graph), NodeId(3)) == 3);
}

TEST_CASE("Boost sees the out-edges of a source, parallel ones apart", "[graph][boost][unit]") {
  const CsrGraph graph = small();
  CHECK(out_degree(NodeId(0), graph) == 2);
  const auto [first, last] = out_edges(NodeId(0), graph);
  REQUIRE(last - first == 2);
  CHECK(target(*first, graph) == 2);
  CHECK(target(*(first + 1), graph) == 2);
  CHECK(*first != *(first + 1));
  CHECK(out_degree(NodeId(3), graph) == 0);
}

TEST_CASE("the edges of an empty CSR graph are walked without any step", "[graph][boost][unit]") {
  const CsrGraph none;
  CHECK(edges(none).first == edges(none).second);
  const CsrGraph alone = test::graph_of(3, {});
  CHECK(edges(alone).first == edges(alone).second);
}

TEST_CASE("a directed Boost graph keeps its directions", "[graph][boost][unit]") {
  Directed graph(3);
  add_edge(1, 0, graph);
  add_edge(0, 2, graph);
  add_edge(2, 2, graph);
  CHECK(edges_of(csr_graph_from_boost(graph, kAsGiven).graph) == Edges{{1, 0}, {0, 2}, {2, 2}});
  CHECK(csr_graph_from_boost(graph).graph.num_edges() == 5);
}

TEST_CASE("each edge of an undirected Boost graph becomes both, a loop one", "[graph][boost][unit]") {
  Undirected graph(3);
  add_edge(0, 1, graph);
  add_edge(2, 2, graph);
  const EdgeList list = edge_list_from_boost(graph, get(boost::vertex_index, graph));
  CHECK(listed(list) == Edges{{0, 1}, {1, 0}, {2, 2}});
}

TEST_CASE("Boost's own CSR graph is read", "[graph][boost][unit]") {
  const std::vector<std::pair<int, int>> pairs{{0, 1}, {0, 2}, {2, 1}};
  const boost::compressed_sparse_row_graph<boost::directedS> graph(boost::edges_are_sorted, pairs.begin(),
                                                                   pairs.end(), 3);
  CHECK(edges_of(csr_graph_from_boost(graph, kAsGiven).graph) == Edges{{0, 1}, {2, 1}, {0, 2}});
}

TEST_CASE("a CSR graph read through Boost is the same graph", "[graph][boost][property]") {
  const CsrGraph graph = test::random_graph(20, 60, 1);
  const CsrGraph again = csr_graph_from_boost(graph, kAsGiven).graph;
  CHECK(edges_of(again) == edges_of(graph));
}

TEST_CASE("vertices get the numbers of an index map, which must be 0 to N - 1", "[graph][boost][unit]") {
  Directed graph(2);
  add_edge(0, 1, graph);
  std::vector<int> numbers{1, 0};
  const auto index = boost::make_iterator_property_map(numbers.begin(), get(boost::vertex_index, graph));
  CHECK(listed(edge_list_from_boost(graph, index)) == Edges{{1, 0}});
  for (const int outside : {2, -1}) {
    numbers[1] = outside;
    CHECK_THROWS_AS(edge_list_from_boost(graph, index), UsageError);
  }
}
