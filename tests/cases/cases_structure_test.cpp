// Reported faults about edges: direction, loops, duplicates, nodes without in-edges, edge features.
#include <boost/graph/adjacency_list.hpp>

#include "cases/probe.hpp"
#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/graph/boost_graph.hpp"

using namespace gat;
using gat::test::column_of;
using gat::test::Edges;
using gat::test::Probe;
using gat::test::ProbeResult;
using gat::test::same_bits;

namespace {

auto near(double value) { return Approx(value).epsilon(1e-6).margin(1e-6); }

BuiltGraph built(Index nodes, const Edges& edges, const GraphPolicy& policy) {
  return build_graph(test::edge_list(edges), nodes, policy);
}

}  // namespace

TEST_CASE("B10: every way to give an edge 0 -> 1 means that 1 receives from 0", "[cases][structure]") {
  const Probe probe = Probe::zero_scores();
  const Matrix h = column_of({5, 7});
  const Matrix expected = column_of({0, 5});
  CHECK(same_bits(probe.run(test::graph_of(2, {{0, 1}}), h).out, expected));
  const std::vector<EdgeId> offsets{0, 0, 1};
  const std::vector<NodeId> columns{0};
  CHECK(same_bits(probe.run(CsrGraph::from_csr(offsets, columns, 2), h).out, expected));
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> boost_graph(2);
  add_edge(0, 1, boost_graph);
  CHECK(same_bits(probe.run(csr_graph_from_boost(boost_graph, test::kAsGiven).graph, h).out, expected));
  // Dense: all pairs, with only destination 1, source 0 open.
  const std::vector<std::uint8_t> adjacency{0, 0, 1, 0};
  CHECK(same_bits(probe.run(GraphView::complete(2, 2), {h, {}, {}, {}, {adjacency, {}, {}}}).out, expected));
  const CsrMatrix sparse = test::sparse_copy(h);
  CHECK(same_bits(probe.run(test::graph_of(2, {{0, 1}}).view(), {sparse.view(), {}, {}, {}, {}}).out,
                  expected));
}

TEST_CASE("B11: a node that has a loop gets no second one", "[cases][structure][loops]") {
  const CsrGraph graph = built(2, {{1, 0}, {0, 0}}, {.self_loops = SelfLoops::add_missing}).graph;
  CHECK(graph.num_edges() == 3);
  const ProbeResult r = Probe::zero_scores().run(graph, column_of({0, 6}));
  CHECK(r.out(0, 0) == near(3));
  CHECK(r.out(1, 0) == near(6));
}

TEST_CASE("B13: duplicates are merged or kept by name, and counted", "[cases][structure][duplicates]") {
  const Edges edges{{1, 0}, {1, 0}, {2, 0}};
  const GraphPolicy merge{.self_loops = SelfLoops::as_given};
  const auto merged = built(3, edges, merge);
  const auto kept = built(3, edges, test::kAsGiven);
  const Matrix h = column_of({0, 3, 9});
  CHECK(GraphPolicy{}.duplicates == Duplicates::merge);
  CHECK(Probe::zero_scores().run(merged.graph, h).out(0, 0) == near(6));
  CHECK(Probe::zero_scores().run(kept.graph, h).out(0, 0) == near(5));
  CHECK_THAT(merged.report.lines(merge).front(), Catch::Contains("1 duplicate"));
}

TEST_CASE("B14: a node without in-edges gets the bias plus the residual, every time",
          "[cases][structure][isolated]") {
  const auto with_bias = [](GatLayerOptions& o) { o.bias = true; };
  const auto with_residual = [](GatLayerOptions& o) { o.bias = true, o.residual = Residual::identity; };
  const auto [graph, report] = built(3, {{0, 1}}, test::kAsGiven);
  Probe plain = Probe::zero_scores(with_bias);
  Probe residual = Probe::zero_scores(with_residual);
  plain.set("bias", {{0.5}});
  residual.set("bias", {{0.5}});
  const Matrix h = column_of({2, 9, 9});
  for (int k = 0; k < 100; ++k) {
    REQUIRE(same_bits(plain.run(graph, h).out, column_of({0.5, 2.5, 0.5})));
    REQUIRE(same_bits(residual.run(graph, h).out, column_of({2.5, 11.5, 9.5})));
  }
  CHECK(report.num_isolated == 2);
  CHECK(report.lines(test::kAsGiven).back() ==
        "2 nodes without in-edges: output is the bias plus the residual");
}

TEST_CASE("B16: two-sided graphs get no loops, and targets without edges appear",
          "[cases][structure][bipartite]") {
  GraphPolicy policy;
  policy.self_loops = SelfLoops::add_missing;
  const EdgeList edges = test::edge_list({{1, 0}, {0, 1}});
  const CsrGraph three_targets = build_bipartite_graph(edges, 2, 3, policy).graph;
  const Matrix two = column_of({1, 2});
  const ProbeResult first =
      Probe::zero_scores().run(three_targets.view(), {.source = two, .destination = Destinations::none()});
  CHECK(same_bits(first.out, column_of({2, 1, 0})));
  CHECK(same_bits(first.d_source, column_of({1, 1})));
  const CsrGraph three_sources = build_bipartite_graph(edges, 3, 2, policy).graph;
  const Matrix three = column_of({1, 2, 5});
  const ProbeResult second =
      Probe::zero_scores().run(three_sources.view(), {.source = three, .destination = Destinations::none()});
  CHECK(same_bits(second.out, column_of({2, 1})));
  CHECK(same_bits(second.d_source, column_of({1, 1, 0})));
}

TEST_CASE("B17: edge features are used, refused by name, or ignored on request",
          "[cases][structure][edge_features]") {
  const CsrGraph graph = test::graph_of(3, {{1, 0}, {2, 0}});
  const Matrix h = column_of({0, 1, 5});
  const Matrix edge_features = column_of({0, std::log(3.0)});
  const LayerInput input{h, {}, {}, edge_features, {}};
  CHECK_THROWS_AS(Probe::zero_scores().run(graph.view(), input), UsageError);
  CHECK(lacking(message_of([&] { Probe::zero_scores().run(graph.view(), input); }),
                {"edge_features", "ignore_edge_features"}) == "");
  Probe used = Probe::zero_scores([](GatLayerOptions& o) { o.edge_features = 1; });
  used.set("edge_weight", {{1}});
  used.set("a_edge", {{1}});
  const ProbeResult r = used.run(graph.view(), input);
  CHECK(r.attention(0, 0) == near(0.25));
  CHECK(r.attention(1, 0) == near(0.75));
  CHECK(r.out(0, 0) == near(4));
  const Probe ignored = Probe::zero_scores([](GatLayerOptions& o) { o.ignore_edge_features = true; });
  CHECK(ignored.run(graph.view(), input).out(0, 0) == near(3));
}

TEST_CASE("B19: making a graph symmetric is idempotent, one-way edges are reported",
          "[cases][structure][direction]") {
  const Edges lines{{0, 1}, {1, 0}, {1, 2}};
  const GraphPolicy undirected{.direction = Direction::symmetrize, .self_loops = SelfLoops::as_given};
  const CsrGraph once = built(3, lines, undirected).graph;
  Edges directed = test::edges_of(once);
  std::sort(directed.begin(), directed.end());
  CHECK(directed == Edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  CHECK(rebuild_graph(once, undirected).graph.num_edges() == 4);
  CHECK(built(3, directed, undirected).graph.num_edges() == 4);
  const auto [graph, report] = built(3, lines, test::kAsGiven);
  CHECK(graph.num_edges() == 3);
  CHECK(report.lines(test::kAsGiven).front() == "1 of 3 edges has no reverse");
}
