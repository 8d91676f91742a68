#include "catch.hpp"
#include "gat/core/error.hpp"
#include "graphs.hpp"

using namespace gat;
using gat::test::edge_list;
using gat::test::Edges;
using gat::test::edges_of;

namespace {

// sources 0 1      1 → 0, 0 → 1; destination 2 receives nothing
// destinations 0 1 2
BuiltGraph two_to_three(SelfLoops loops) {
  GraphPolicy policy;
  policy.self_loops = loops;
  return build_bipartite_graph(edge_list({{1, 0}, {0, 1}}), 2, 3, policy);
}

}  // namespace

TEST_CASE("the sides of a bipartite graph have sizes of their own", "[graph][bipartite][unit]") {
  const CsrGraph graph = two_to_three(SelfLoops::as_given).graph;
  CHECK(graph.bipartite());
  CHECK(graph.view().bipartite());
  CHECK(graph.num_sources() == 2);
  CHECK(graph.num_destinations() == 3);
  CHECK(edges_of(graph) == Edges{{1, 0}, {0, 1}});
  CHECK(graph.in_degree(2) == 0);
  CHECK(graph.out_edges(1).node(0) == 0);
}

TEST_CASE("a bipartite graph gets no loops unless asked for by name", "[graph][bipartite][loops][unit]") {
  for (const SelfLoops loops : {SelfLoops::as_given, SelfLoops::add_missing, SelfLoops::only_isolated}) {
    CHECK(two_to_three(loops).graph.num_edges() == 2);
  }
  const auto [graph, report] = two_to_three(SelfLoops::replace);
  CHECK(edges_of(graph) == Edges{{1, 0}, {0, 0}, {0, 1}, {1, 1}});
  CHECK(report.num_self_loops_added == 2);
}

TEST_CASE("an edge between equal numbers of two sides is no loop", "[graph][bipartite][loops][unit]") {
  GraphPolicy policy;
  policy.self_loops = SelfLoops::add_missing;
  const auto [graph, report] = build_bipartite_graph(edge_list({{0, 0}, {1, 1}}), 2, 2, policy);
  CHECK(edges_of(graph) == Edges{{0, 0}, {1, 1}});
  CHECK(report.num_self_loops == 0);
}

TEST_CASE("removing loops leaves the edges between equal numbers of two sides",
          "[graph][bipartite][loops][unit]") {
  const GraphPolicy policy{.self_loops = SelfLoops::remove};
  const auto [graph, report] = build_bipartite_graph(edge_list({{0, 0}, {1, 1}}), 2, 2, policy);
  CHECK(graph.num_edges() == 2);
  CHECK(report.num_self_loops_removed == 0);
}

TEST_CASE("each side of a bipartite graph bounds its own ids", "[graph][bipartite][unit]") {
  const GraphPolicy policy;
  CHECK_NOTHROW(build_bipartite_graph(edge_list({{0, 2}}), 1, 3, policy));
  CHECK_THROWS_AS(build_bipartite_graph(edge_list({{2, 0}}), 1, 3, policy), InputError);
}

TEST_CASE("a bipartite graph cannot be made symmetric", "[graph][bipartite][direction][unit]") {
  GraphPolicy policy;
  policy.direction = Direction::symmetrize;
  CHECK_THROWS_AS(build_bipartite_graph(edge_list({{0, 0}}), 1, 1, policy), UsageError);
  CHECK_THROWS_AS(rebuild_graph(two_to_three(SelfLoops::as_given).graph, policy), UsageError);
}

TEST_CASE("rebuilding a bipartite graph keeps its sides", "[graph][bipartite][unit]") {
  const CsrGraph graph = rebuild_graph(two_to_three(SelfLoops::replace).graph, GraphPolicy{}).graph;
  CHECK(graph.bipartite());
  CHECK(edges_of(graph) == Edges{{1, 0}, {0, 1}});
}
