#include "gat/graph/statistics.hpp"

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "graphs.hpp"

using namespace gat;

namespace {

using Nodes = std::vector<NodeId>;

//  0 → 1 ← 2    3 ⇄ 4    5 ⟲
CsrGraph small() { return test::graph_of(6, {{0, 1}, {2, 1}, {3, 4}, {4, 3}, {5, 5}}); }

}  // namespace

TEST_CASE("degrees are counted on the edges as stored", "[graph][statistics][unit]") {
  const DegreeStatistics degrees = in_degree_statistics(small());
  CHECK(degrees.smallest == 0);
  CHECK(degrees.largest == 2);
  CHECK(degrees.mean == Approx(5.0 / 6));
  CHECK(degrees.num_isolated == 2);
  CHECK(in_degree_statistics(CsrGraph()).largest == 0);
}

TEST_CASE("weak components ignore directions", "[graph][statistics][boost][unit]") {
  const WeakComponents components = weak_components(small());
  CHECK(components.count == 3);
  CHECK(components.largest == 3);
  CHECK(components.component_of == Nodes{0, 0, 0, 1, 1, 2});
  CHECK(weak_components(CsrGraph()).count == 0);
  CHECK(weak_components(test::graph_of(3, {})).count == 3);
}

TEST_CASE("components need nodes of one kind", "[graph][statistics][unit]") {
  const CsrGraph sides = build_bipartite_graph(test::edge_list({{0, 0}}), 1, 2, {}).graph;
  CHECK_THROWS_AS(weak_components(sides), UsageError);
}

TEST_CASE("breadth-first order follows messages level by level", "[graph][statistics][boost][unit]") {
  //  0 → 1 → 3,  0 → 2 → 3 → 4,  5 → 0
  const CsrGraph graph = test::graph_of(6, {{0, 2}, {0, 1}, {1, 3}, {2, 3}, {3, 4}, {5, 0}});
  CHECK(breadth_first_order(graph, 0) == Nodes{0, 1, 2, 3, 4});
  CHECK(breadth_first_order(graph, 4) == Nodes{4});
  CHECK(breadth_first_order(graph, 5) == Nodes{5, 0, 1, 2, 3, 4});
  CHECK_THROWS_AS(breadth_first_order(graph, 6), UsageError);
  CHECK_THROWS_AS(breadth_first_order(graph, -1), UsageError);
}
