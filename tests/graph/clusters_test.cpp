#include "gat/graph/clusters.hpp"

#include <algorithm>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/data/generate_power_law.hpp"
#include "graphs.hpp"

using namespace gat;

namespace {

using Nodes = std::vector<NodeId>;

//  two triangles 0 1 2 and 3 4 5, joined by 2 → 3; 6 alone with a loop
CsrGraph triangles() {
  return test::graph_of(7, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {2, 3}, {6, 6}});
}

PowerLawGraph planted(double community_share) {
  PowerLawOptions options;
  options.num_nodes = 20000;
  options.num_edges = 280000;
  options.community_share = community_share;
  options.self_loops = true;
  return generate_power_law(options);
}

Index largest(const Clusters& clusters) {
  std::vector<Index> size(static_cast<std::size_t>(clusters.count), 0);
  for (const NodeId cluster : clusters.cluster_of) ++size[static_cast<std::size_t>(cluster)];
  return *std::max_element(size.begin(), size.end());
}

// Of the edges that are no loops.
double share_inside(const CsrGraph& graph, const Nodes& cluster_of) {
  double inside = 0;
  double edges = 0;
  for (const auto& [source, destination] : test::edges_of(graph)) {
    if (source == destination) continue;
    edges += 1;
    inside +=
        cluster_of[static_cast<std::size_t>(source)] == cluster_of[static_cast<std::size_t>(destination)];
  }
  return inside / edges;
}

}  // namespace

TEST_CASE("two triangles with one edge between them are two clusters", "[graph][clusters][unit]") {
  const Clusters clusters = find_clusters(triangles());
  CHECK(clusters.count == 3);
  CHECK(clusters.cluster_of == Nodes{0, 0, 0, 1, 1, 1, 2});
}

TEST_CASE("graphs without edges between nodes have a cluster per node", "[graph][clusters][unit]") {
  CHECK(find_clusters(CsrGraph()).count == 0);
  CHECK(find_clusters(test::graph_of(1, {})).cluster_of == Nodes{0});
  CHECK(find_clusters(test::graph_of(3, {})).cluster_of == Nodes{0, 1, 2});
  CHECK(find_clusters(test::graph_of(2, {{0, 0}, {1, 1}})).count == 2);
}

TEST_CASE("no cluster is larger than its cap", "[graph][clusters]") {
  const CsrGraph graph = planted(0.7).graph;
  for (const Index cap : {1, 2, 50, 400}) {
    const Clusters clusters = find_clusters(graph, {.max_nodes = cap});
    CHECK(largest(clusters) <= cap);
    CHECK(static_cast<Index>(clusters.cluster_of.size()) == graph.num_nodes());
  }
  CHECK(find_clusters(graph, {.max_nodes = 1}).count == graph.num_nodes());
}

TEST_CASE("the neighbours of a hub fill one cluster and no more", "[graph][clusters]") {
  test::Edges star;
  for (NodeId leaf = 1; leaf < 1000; ++leaf) star.emplace_back(leaf, 0);
  const Clusters clusters = find_clusters(test::graph_of(1000, star), {.max_nodes = 100});
  CHECK(largest(clusters) == 100);
}

TEST_CASE("planted communities are found", "[graph][clusters]") {
  const PowerLawGraph drawn = planted(0.7);
  const Clusters clusters = find_clusters(drawn.graph);
  CHECK(share_inside(drawn.graph, drawn.communities) == Approx(0.7));
  CHECK(share_inside(drawn.graph, clusters.cluster_of) > 0.65);
}

TEST_CASE("clusters are numbered by their first node and come out the same again",
          "[graph][clusters][determinism]") {
  const CsrGraph graph = planted(0.5).graph;
  const Clusters clusters = find_clusters(graph);
  NodeId next = 0;
  for (const NodeId cluster : clusters.cluster_of) {
    REQUIRE(cluster <= next);
    next += cluster == next;
  }
  CHECK(next == clusters.count);
  CHECK(find_clusters(graph).cluster_of == clusters.cluster_of);
}

TEST_CASE("options and graphs that make no sense have no clusters", "[graph][clusters][unit]") {
  CHECK_THROWS_AS(find_clusters(triangles(), {.max_nodes = 0}), UsageError);
  CHECK_THROWS_AS(find_clusters(triangles(), {.num_sweeps = 0}), UsageError);
  CHECK_THROWS_AS(find_clusters(build_bipartite_graph(test::edge_list({{0, 0}}), 1, 2, {}).graph),
                  UsageError);
}
