// SuperGAT's edge loss: values worked out by hand, which pairs are drawn, what is refused.
#include "nn/layers/edge_loss.hpp"

#include <set>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/graph/blocks.hpp"
#include "nn/attention_run.hpp"

using namespace gat;
using gat::test::AttentionProbe;
using gat::test::AttentionRound;
using gat::test::matrix_of;
using gat::test::small_attention;

namespace {

auto near(double value) { return Approx(value).epsilon(1e-5).margin(1e-6); }

// One head whose rows are the features, all edges and half as many other pairs.
AttentionProbe plain_rows(const char* score) {
  AttentionLayerOptions o = small_attention(score, 1, 2);
  o.in_features = 2;
  o.edge_loss = 3;
  o.edge_loss_share = 1;
  AttentionProbe probe(o);
  probe.set("key_weight", {1, 0, 0, 1});
  return probe;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

using Pairs = std::set<std::pair<NodeId, NodeId>>;

// The pairs by the numbers of their nodes.
Pairs pairs_of(const GraphView& graph, const NodePairs& pairs, bool edges) {
  const auto& nodes = graph.arrays().node_ids;
  const auto node = [&](NodeId row) { return nodes.empty() ? row : nodes[static_cast<std::size_t>(row)]; };
  Pairs result;
  for (Index p = edges ? 0 : pairs.num_edges; p < (edges ? pairs.num_edges : pairs.count()); ++p) {
    const auto at = static_cast<std::size_t>(p);
    result.emplace(node(pairs.destinations[at]), node(pairs.sources[at]));
  }
  return result;
}

}  // namespace

// Edges 0 ⇄ 1 with equal rows (1, 1); node 2 = (2, −1) has none, so the one other pair is 2 and either of
// them, whichever is drawn: q·k = 2, 2 and 1.
TEST_CASE("an edge loss has the value and the gradients worked out by hand", "[nn][edge-loss][unit]") {
  const CsrGraph graph = test::graph_of(3, {{0, 1}, {1, 0}});
  const Matrix x = matrix_of({{1, 1}, {1, 1}, {2, -1}});
  for (const auto& [score, scale] :
       {std::pair("supergat_mx", 1.0), std::pair("supergat_sd", std::sqrt(0.5))}) {
    INFO(score);
    const AttentionRound r = plain_rows(score).run(graph.view(), x, Matrix(3, 2));
    CHECK(r.added_loss == near(2 * std::log1p(std::exp(-2 * scale)) + std::log1p(std::exp(scale))));
    const double edge = -scale * sigmoid(-2 * scale), other = scale * sigmoid(scale);
    CHECK(r.d_source(2, 0) == near(other));
    CHECK(r.d_source(2, 1) == near(other));
    CHECK(r.d_source(0, 0) + r.d_source(1, 0) == near(4 * edge + 2 * other));
    CHECK(r.d_source(0, 1) + r.d_source(1, 1) == near(4 * edge - other));
  }
}

TEST_CASE("an edge loss is the mean over heads, and of training alone", "[nn][edge-loss][unit]") {
  const CsrGraph graph = test::graph_of(3, {{0, 1}, {1, 0}});
  const Matrix x = matrix_of({{1, 1}, {1, 1}, {2, -1}});
  AttentionLayerOptions o = plain_rows("supergat_mx").layer.options();
  o.num_heads = 2;
  AttentionProbe two(o);
  two.set("key_weight", {1, 0, 0, 1, 3, 0, 0, 3});  // products 2, 2, 1 and 18, 18, 9
  CHECK(two.run(graph.view(), x).added_loss ==
        near(2 * std::log1p(std::exp(-10.0)) + std::log1p(std::exp(5.0))));
  two.mode = Mode::evaluation;
  CHECK(two.run(graph.view(), x).added_loss == 0);
}

TEST_CASE("the pairs of an edge loss are edges and others by the shares asked for", "[nn][edge-loss][unit]") {
  const CsrGraph graph = test::random_graph(200, 1500, 2);
  const GraphView view = graph.view();
  const Pairs edges = pairs_of(view, draw_pairs(view, 1, 0.5, RandomStream(1)), true);
  const NodePairs drawn = draw_pairs(view, 0.8, 0.5, RandomStream(1));
  CHECK(static_cast<double>(drawn.num_edges) ==
        Approx(0.8 * static_cast<double>(view.num_edges())).epsilon(0.05));
  CHECK(drawn.count() - drawn.num_edges == static_cast<Index>(0.4 * static_cast<double>(view.num_edges())));
  for (const auto& pair : pairs_of(view, drawn, true)) CHECK(edges.count(pair) == 1);
  for (const auto& [i, j] : pairs_of(view, drawn, false)) {
    CHECK(i != j);
    CHECK(edges.count({i, j}) + edges.count({j, i}) == 0);
  }
  CHECK(drawn.sources == draw_pairs(view, 0.8, 0.5, RandomStream(1)).sources);
  CHECK(drawn.sources != draw_pairs(view, 0.8, 0.5, RandomStream(2)).sources);
}

TEST_CASE("rows in another order draw the same pairs of nodes", "[nn][edge-loss][property]") {
  const CsrGraph graph = test::random_graph(40, 200, 3);
  std::vector<NodeId> order;
  for (NodeId node = 40; node-- > 0;) order.push_back(node);
  const Blocks reordered = Blocks::reordered(graph, order, 1);
  const RandomStream random(4);
  const NodePairs plain = draw_pairs(graph.view(), 0.8, 0.5, random);
  const NodePairs moved = draw_pairs(reordered.layer(0), 0.8, 0.5, random);
  for (const bool edges : {true, false})
    CHECK(pairs_of(graph.view(), plain, edges) == pairs_of(reordered.layer(0), moved, edges));
}

TEST_CASE("graphs without edges or without other pairs have an edge loss too",
          "[nn][edge-loss][degenerate]") {
  const CsrGraph none = test::graph_of(3, {}), joined = test::graph_of(2, {{0, 1}});
  const AttentionProbe probe = plain_rows("supergat_mx");
  CHECK(probe.run(none.view(), Matrix(3, 2)).added_loss == 0);
  CHECK(probe.run(joined.view(), Matrix(2, 2)).added_loss == near(3 * std::log(2.0)));
}

TEST_CASE("an edge loss is refused where it has no meaning", "[nn][edge-loss][options]") {
  const auto refusal = [](const std::function<void()>& act) {
    try {
      act();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto options = [&](const char* score, double weight) {
    return refusal([&] {
      AttentionLayerOptions o = small_attention(score);
      o.edge_loss = weight;
      o.validate();
    });
  };
  CHECK(options("supergat_sd", 1).empty());
  CHECK_THAT(options("gatv2", 1), Catch::Matchers::Contains("\"supergat_mx\", \"supergat_sd\""));
  CHECK_THAT(options("supergat_sd", -1), Catch::Matchers::Contains("edge_loss is -1"));

  const AttentionProbe probe = plain_rows("supergat_mx");
  const CsrGraph graph = test::graph_of(4, {{0, 1}, {1, 2}, {2, 3}});
  const std::vector<NodeId> wanted{1};
  const Blocks part = Blocks::receptive_field(graph, wanted, std::vector<Reach>{Reach::neighbourhood});
  for (const GraphView& view : {part.layer(0), GraphView::complete(3, 3)}) {
    const Matrix x(view.num_sources(), 2);
    CHECK_THAT(refusal([&] { probe.run(view, x); }), Catch::Matchers::Contains("whole graph"));
  }
}
