#include "gat/graph/csr_graph.hpp"

#include <algorithm>
#include <tuple>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "graphs.hpp"

using namespace gat;
using gat::test::Edges;
using gat::test::edges_of;

namespace {

std::string refusal(const std::vector<EdgeId>& offsets, const std::vector<NodeId>& columns, Index sources,
                    bool bipartite = false) {
  return message_of([&] { CsrGraph::from_csr(offsets, columns, sources, bipartite); });
}

// (source, destination, edge id), as the out-edges say.
std::vector<std::tuple<NodeId, NodeId, EdgeId>> transposed(const CsrGraph& graph) {
  std::vector<std::tuple<NodeId, NodeId, EdgeId>> edges;
  for (Index j = 0; j < graph.num_sources(); ++j) {
    const EdgeRow row = graph.out_edges(j);
    for (Index k = 0; k < row.count; ++k)
      edges.emplace_back(static_cast<NodeId>(j), row.node(k), row.edge(k));
  }
  return edges;
}

// The same from the in-edges, sorted by source, then by destination and edge.
std::vector<std::tuple<NodeId, NodeId, EdgeId>> naive_transpose(const CsrGraph& graph) {
  std::vector<std::tuple<NodeId, NodeId, EdgeId>> edges;
  const Edges listed = edges_of(graph);
  for (std::size_t e = 0; e < listed.size(); ++e) {
    edges.emplace_back(listed[e].first, listed[e].second, static_cast<EdgeId>(e));
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace

TEST_CASE("CSR arrays make a graph whose edges are the user's", "[graph][csr_graph][unit]") {
  //  1 → 0 ← 2,  0 → 2
  const std::vector<EdgeId> offsets{0, 2, 2, 3};
  const std::vector<NodeId> columns{1, 2, 0};
  const CsrGraph graph = CsrGraph::from_csr(offsets, columns, 3);
  CHECK(edges_of(graph) == Edges{{1, 0}, {2, 0}, {0, 2}});
  CHECK(graph.num_nodes() == 3);
  for (EdgeId e = 0; e < 3; ++e) {
    CHECK(graph.user_edge_ids()[static_cast<std::size_t>(e)] == e);
    CHECK(graph.edge_of_user()[static_cast<std::size_t>(e)] == e);
    CHECK_FALSE(graph.is_reversed(e));
  }
}

TEST_CASE("CSR arrays that describe no graph are refused", "[graph][csr_graph][unit]") {
  CHECK(lacking(refusal({}, {}, 0), {"no row offsets"}) == "");
  CHECK(lacking(refusal({1, 2}, {0, 0}, 1), {"from 1 to 2", "0 to 2"}) == "");
  CHECK(lacking(refusal({0, 1}, {0, 0}, 1), {"from 0 to 1", "0 to 2"}) == "");
  CHECK(lacking(refusal({0, 2, 1, 2}, {0, 0}, 3), {"fall after row 1"}) == "");
  CHECK(lacking(refusal({0, 1}, {1}, 1), {"column index 1", "position 0", "0..0"}) == "");
  CHECK(lacking(refusal({0, 1}, {-1}, 1), {"column index -1"}) == "");
  CHECK(lacking(refusal({0, 0}, {}, 2), {"2 sources", "1 destinations", "bipartite"}) == "");
  CHECK(refusal({0, 0}, {}, 2, true).empty());
  CHECK_THROWS_AS(CsrGraph::from_csr({}, {}, 0), ShapeError);
}

TEST_CASE("a graph without nodes is a graph", "[graph][csr_graph][unit]") {
  const CsrGraph graph;
  CHECK(graph.num_nodes() == 0);
  CHECK(graph.num_edges() == 0);
  CHECK(graph.view().num_edges() == 0);
}

TEST_CASE("out-edges are the in-edges sorted by source", "[graph][csr_graph][reference]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto nodes = static_cast<Index>(2 + 3 * seed);
    for (const auto& policy : {test::kAsGiven, GraphPolicy{.direction = Direction::symmetrize}}) {
      const CsrGraph graph = test::random_graph(nodes, 4 * nodes, seed, policy);
      CHECK(transposed(graph) == naive_transpose(graph));
    }
    const EdgeList list = test::random_edge_list(nodes, nodes + 5, 3 * nodes, seed);
    const CsrGraph sides = build_bipartite_graph(list, nodes, nodes + 5, test::kAsGiven).graph;
    CHECK(transposed(sides) == naive_transpose(sides));
  }
}

TEST_CASE("the slots of a large graph's edges are the same in both directions, each taken once",
          "[graph][csr_graph][property]") {
  EdgeList list = test::random_edge_list(5000, 5000, (1 << 18) - 1000, 3);
  for (NodeId k = 0; k < 3000; ++k) list.add(k, 7);
  const CsrGraph graph = build_graph(list, 5000, test::kAsGiven).graph;
  const GraphView::Arrays arrays = graph.view().arrays();
  REQUIRE(arrays.in_slots.size() == static_cast<std::size_t>(graph.num_edges()));
  REQUIRE(arrays.out_slots.size() == arrays.in_slots.size());
  std::vector<EdgeSlot> sorted(arrays.in_slots.begin(), arrays.in_slots.end());
  std::sort(sorted.begin(), sorted.end());
  bool is_permutation = true, agree = true;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    is_permutation = is_permutation && sorted[k] == k;
    agree = agree && arrays.out_slots[k] == arrays.in_slots[static_cast<std::size_t>(arrays.out_edge_ids[k])];
  }
  CHECK(is_permutation);
  CHECK(agree);
  // Out-edges, in their order, fill at most 64 runs.
  std::vector<bool> follows(sorted.size() + 1);
  Index runs = 0;
  for (const EdgeSlot slot : arrays.out_slots) {
    if (!follows[slot]) ++runs;
    follows[slot + 1] = true;
  }
  CHECK(runs <= 64);
  CHECK(test::random_graph(5000, (1 << 18) - 1000, 3).view().arrays().in_slots.empty());
}

TEST_CASE("a moved or copied graph gives views of its own arrays", "[graph][csr_graph][unit]") {
  CsrGraph first = test::graph_of(2, {{0, 1}});
  const CsrGraph copy = first;
  CHECK(copy.view().arrays().in_sources.data() != first.view().arrays().in_sources.data());
  const CsrGraph moved = std::move(first);
  CHECK(edges_of(moved) == edges_of(copy));
}
