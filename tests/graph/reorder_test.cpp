#include "gat/graph/reorder.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/generate_power_law.hpp"
#include "graphs.hpp"

using namespace gat;

namespace {

using Nodes = std::vector<NodeId>;

//  0 ⇄ 3 ⇄ 1 ⇄ 4 ⇄ 2, 5 alone
CsrGraph path() {
  return test::graph_of(6, {{0, 3}, {3, 0}, {3, 1}, {1, 3}, {1, 4}, {4, 1}, {4, 2}, {2, 4}});
}

CsrGraph drawn(double community_share) {
  PowerLawOptions options;
  options.num_nodes = 20000;
  options.num_edges = 280000;
  options.community_share = community_share;
  options.self_loops = true;
  return generate_power_law(options).graph;
}

bool names_every_node_once(Nodes order, Index num_nodes) {
  Nodes all(static_cast<std::size_t>(num_nodes));
  std::iota(all.begin(), all.end(), NodeId(0));
  std::sort(order.begin(), order.end());
  return order == all;
}

CsrGraph two_sides() { return build_bipartite_graph(test::edge_list({{0, 0}}), 1, 2, {}).graph; }

}  // namespace

TEST_CASE("clusters come one after the other, closest first, their nodes in order",
          "[graph][reorder][unit]") {
  // Clusters A = {0, 5}, B = {1, 4}, C = {2, 3}, D = {6}; A and C share two edges, A and B one, D none.
  const CsrGraph graph = test::graph_of(7, {{0, 5}, {0, 1}, {0, 2}, {3, 5}, {1, 4}, {2, 3}});
  const Clusters clusters{4, {0, 1, 2, 2, 1, 0, 3}};
  CHECK(cluster_order(graph, clusters) == Nodes{0, 5, 2, 3, 1, 4, 6});
}

TEST_CASE("every order names every node once, also of graphs with little in them", "[graph][reorder]") {
  test::Edges star;
  for (NodeId leaf = 1; leaf < 500; ++leaf) star.emplace_back(leaf, 0);
  const std::vector<CsrGraph> graphs{
      CsrGraph(), test::graph_of(1, {}),     test::graph_of(1, {{0, 0}}),     test::graph_of(4, {}),
      path(),     test::graph_of(500, star), test::random_graph(300, 900, 3), drawn(0.7)};
  for (const CsrGraph& graph : graphs) {
    const Nodes by_cluster = cluster_order(graph, find_clusters(graph, {.max_nodes = 40}));
    CHECK(names_every_node_once(by_cluster, graph.num_nodes()));
    CHECK(by_cluster == cluster_order(graph, find_clusters(graph, {.max_nodes = 40})));
    CHECK(names_every_node_once(reverse_cuthill_mckee_order(graph), graph.num_nodes()));
  }
}

TEST_CASE("reverse Cuthill-McKee puts a path in line", "[graph][reorder][boost][unit]") {
  CHECK(reverse_cuthill_mckee_order(path()) == Nodes{5, 2, 4, 1, 3, 0});
  // One direction is enough.
  CHECK(reverse_cuthill_mckee_order(test::graph_of(4, {{3, 1}, {0, 3}, {2, 1}})) == Nodes{2, 1, 3, 0});
}

TEST_CASE("the inverse of an order says where each node comes", "[graph][reorder][unit]") {
  CHECK(inverse_order(Nodes{2, 0, 1}) == Nodes{1, 2, 0});
  CHECK(inverse_order({}).empty());
  CHECK(lacking(message_of([] { inverse_order(Nodes{0, 2}); }), {"node 2", "0..1"}) == "");
  CHECK(lacking(message_of([] { inverse_order(Nodes{1, 1}); }), {"node 1", "twice"}) == "");
}

TEST_CASE("a row is fetched when the cache has not held it lately", "[graph][reorder][unit]") {
  // Rows gathered in turn: 0 and 1 by destination 0, 2 and 3 by 1, then 0 and 1 again by 2, 2 and 3 by 3.
  const CsrGraph graph = test::graph_of(4, {{0, 0}, {1, 0}, {2, 1}, {3, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 3}});
  CHECK(share_fetched(graph, {}, 8) == 0.5);
  CHECK(share_fetched(graph, {}, 2) == 1);
  CHECK(share_fetched(graph, Nodes{0, 2, 1, 3}, 4) == 0.5);
  CHECK(share_fetched(graph, Nodes{0, 2, 1, 3}, 0) == 1);
  CHECK(share_fetched(CsrGraph(), {}, 4) == 0);
  CHECK(share_fetched(test::graph_of(3, {}), {}, 4) == 0);
}

TEST_CASE("planted communities bring rows together, plain Chung-Lu graphs have nothing to win",
          "[graph][reorder]") {
  const auto shares = [](const CsrGraph& graph) {
    const Nodes order = cluster_order(graph, find_clusters(graph));
    return std::pair(share_fetched(graph, {}, 2048), share_fetched(graph, order, 2048));
  };
  const auto [given, ordered] = shares(drawn(0.7));
  CHECK(given > 0.7);
  CHECK(ordered < 0.3);
  const auto [plain_given, plain_ordered] = shares(drawn(0));
  CHECK(plain_given > 0.7);
  CHECK(plain_ordered > plain_given - 0.12);
}

TEST_CASE("an order pays where communities are, and the same order again does not", "[graph][reorder]") {
  const CsrGraph graph = drawn(0.7);
  const Nodes order = order_that_pays(graph, 1024);
  CHECK(names_every_node_once(order, graph.num_nodes()));
  CHECK(reordering_pays(graph, order, 1024));
  CHECK_FALSE(reordering_pays(graph, {}, 1024));
  CHECK(order_that_pays(drawn(0), 1024).empty());
  CHECK(order_that_pays(drawn(0.1), 1024).empty());
}

TEST_CASE("no order pays in small graphs", "[graph][reorder]") {
  const CsrGraph graph = drawn(0.7);
  const Nodes order = cluster_order(graph, find_clusters(graph));
  // 20,000 rows of 419 bytes fit in 8 MiB, of 420 they do not.
  CHECK_FALSE(reordering_pays(graph, order, 419));
  CHECK(reordering_pays(graph, order, 420));
  CHECK(order_that_pays(graph, 256).empty());
  CHECK(order_that_pays(path(), 1024).empty());
  CHECK(order_that_pays(CsrGraph(), 1024).empty());
  CHECK(order_that_pays(test::graph_of(1, {}), Index(64) << 20).empty());
}

TEST_CASE("what cannot be ordered is refused", "[graph][reorder][unit]") {
  CHECK_THROWS_AS(cluster_order(two_sides(), {1, {0, 0}}), UsageError);
  CHECK_THROWS_AS(cluster_order(path(), {1, {0, 0}}), UsageError);
  CHECK_THROWS_AS(reverse_cuthill_mckee_order(two_sides()), UsageError);
  CHECK_THROWS_AS(share_fetched(two_sides(), {}, 4), UsageError);
  CHECK_THROWS_AS(share_fetched(path(), Nodes{0, 1}, 4), UsageError);
  CHECK_THROWS_AS(reordering_pays(path(), {}, 0), UsageError);
  CHECK_THROWS_AS(order_that_pays(two_sides(), 4), UsageError);
}
