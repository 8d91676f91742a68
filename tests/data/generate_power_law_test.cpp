#include "gat/data/generate_power_law.hpp"

#include <algorithm>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/statistics.hpp"
#include "gat/graph/statistics.hpp"
#include "graphs.hpp"

using namespace gat;

namespace {

PowerLawOptions small(double community_share) {
  PowerLawOptions options;
  options.num_nodes = 20000;
  options.num_edges = 240000;
  options.max_degree = 400;
  options.community_share = community_share;
  options.seed = 3;
  return options;
}

// Of the edges that are no loops.
double share_inside(const PowerLawGraph& drawn) {
  Index inside = 0;
  Index edges = 0;
  for (const auto& [source, destination] : test::edges_of(drawn.graph)) {
    edges += source != destination;
    inside += source != destination && drawn.communities[static_cast<std::size_t>(source)] ==
                                           drawn.communities[static_cast<std::size_t>(destination)];
  }
  return static_cast<double>(inside) / static_cast<double>(edges);
}

}  // namespace

TEST_CASE("a power-law graph has the edges asked for, each in both directions, and no repeats",
          "[data][generate][power-law]") {
  for (const double share : {0.0, 0.7, 1.0}) {
    const CsrGraph graph = generate_power_law(small(share)).graph;
    const EdgeStatistics edges = edge_statistics(graph);
    CHECK(graph.num_nodes() == 20000);
    CHECK(edges.num_stored == 240000);
    CHECK(edges.num_undirected == 120000);
    CHECK(edges.num_duplicates == 0);
    CHECK(edges.num_self_loops == 0);
  }
}

TEST_CASE("degrees follow a power law up to the cap", "[data][generate][power-law]") {
  for (const double share : {0.0, 0.7}) {
    const CsrGraph graph = generate_power_law(small(share)).graph;
    std::vector<Index> degrees;
    for (Index i = 0; i < graph.num_nodes(); ++i) degrees.push_back(graph.in_degree(i));
    std::sort(degrees.rbegin(), degrees.rend());
    CHECK(degrees[0] > 320);
    CHECK(degrees[0] < 480);
    // The expected degree of rank 2,000 is (2,000 / 20,000)^(−2/3) = 4.64 times that of the last rank.
    CHECK(static_cast<double>(degrees[2000]) / static_cast<double>(degrees[18000]) > 3.5);
    CHECK(degrees[10000] < 12);
  }
}

TEST_CASE("the share of edges inside communities is exact", "[data][generate][power-law]") {
  CHECK(share_inside(generate_power_law(small(0.7))) == Approx(0.7));
  CHECK(share_inside(generate_power_law(small(0.25))) == Approx(0.25));
  CHECK(share_inside(generate_power_law(small(1))) == 1);
  CHECK(generate_power_law(small(0)).communities.empty());
}

TEST_CASE("communities are of about the size asked for and say nothing about ids",
          "[data][generate][power-law]") {
  const PowerLawGraph drawn = generate_power_law(small(0.7));
  std::vector<Index> size(50, 0);
  std::vector<Index> in_first_half(50, 0);
  for (std::size_t i = 0; i < 20000; ++i) {
    ++size[static_cast<std::size_t>(drawn.communities[i])];
    in_first_half[static_cast<std::size_t>(drawn.communities[i])] += i < 10000;
  }
  CHECK(*std::min_element(size.begin(), size.end()) > 320);
  CHECK(*std::max_element(size.begin(), size.end()) < 480);
  CHECK(*std::min_element(in_first_half.begin(), in_first_half.end()) > 140);
}

TEST_CASE("a power-law graph is decided by its seed", "[data][generate][power-law]") {
  PowerLawOptions options = small(0.7);
  const PowerLawGraph first = generate_power_law(options);
  const PowerLawGraph again = generate_power_law(options);
  CHECK(test::edges_of(first.graph) == test::edges_of(again.graph));
  CHECK(first.communities == again.communities);
  options.seed = 4;
  CHECK(test::edges_of(first.graph) != test::edges_of(generate_power_law(options).graph));
}

TEST_CASE("the arxiv-shaped graph has its counts, a loop per node and a hub of about 1,000 edges",
          "[data][generate][power-law]") {
  const PowerLawGraph drawn = generate_power_law(arxiv_shaped());
  CHECK(drawn.graph.num_nodes() == 169343);
  CHECK(drawn.graph.num_edges() == 2323312 + 169343);
  CHECK(drawn.graph.num_user_edges() == 2323312);
  CHECK(in_degree_statistics(drawn.graph).largest > 900);
  CHECK(in_degree_statistics(drawn.graph).largest < 1150);
  CHECK(share_inside(drawn) == Approx(0.7));
  const EdgeRow row = drawn.graph.in_edges(77);
  CHECK(row.node(row.count - 1) == 77);
  CHECK(drawn.graph.user_edge_ids()[static_cast<std::size_t>(row.edge(row.count - 1))] == kNone);
}

TEST_CASE("tiny and dense power-law graphs stay valid", "[data][generate][power-law]") {
  for (const Index nodes : {1, 2, 3, 10}) {
    for (const double share : {0.0, 0.7, 1.0}) {
      PowerLawOptions options;
      options.num_nodes = nodes;
      options.num_edges = nodes * (nodes - 1);  // all there are
      options.community_share = share;
      options.community_size = 3;
      const CsrGraph graph = generate_power_law(options).graph;
      CHECK(graph.num_edges() <= options.num_edges);
      CHECK(edge_statistics(graph).num_duplicates == 0);
      options.num_edges = 0;
      CHECK(generate_power_law(options).graph.num_edges() == 0);
    }
  }
}

TEST_CASE("power-law options out of range are refused", "[data][generate][power-law]") {
  const auto refused = [](auto change) {
    PowerLawOptions options;
    change(options);
    return message_of([&] { generate_power_law(options); });
  };
  CHECK(lacking(refused([](auto& o) { o.num_nodes = 0; }), {"num_nodes"}) == "");
  CHECK(lacking(refused([](auto& o) { o.num_edges = 7; }), {"num_edges", "even"}) == "");
  CHECK(lacking(refused([](auto& o) { o.num_nodes = 10; }), {"num_edges", "at most"}) == "");
  CHECK(lacking(refused([](auto& o) { o.exponent = 2; }), {"exponent"}) == "");
  CHECK(lacking(refused([](auto& o) { o.max_degree = 5; }), {"max_degree"}) == "");
  CHECK(lacking(refused([](auto& o) { o.community_share = 1.5; }), {"community_share"}) == "");
  CHECK(lacking(refused([](auto& o) { o.community_size = 0; }), {"community_size"}) == "");
}
