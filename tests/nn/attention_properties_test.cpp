// What holds for every score of the table: bits at any number of threads, relabelling, neighbourhoods
// without open edges, extreme scores, graphs of one node.
#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "nn/attention_run.hpp"

using namespace gat;
using gat::test::all_scores;
using gat::test::AttentionProbe;
using gat::test::AttentionRound;
using gat::test::is_finite;
using gat::test::numbers_of;
using gat::test::relative_difference;
using gat::test::same_bits;
using gat::test::score_called;
using gat::test::ScoreInputs;
using gat::test::small_attention;

namespace {

void check_same(const AttentionRound& a, const AttentionRound& b) {
  CHECK(same_bits(a.out, b.out));
  CHECK(same_bits(a.logits, b.logits));
  CHECK(same_bits(a.dropped, b.dropped));
  CHECK(same_bits(a.d_source, b.d_source));
  CHECK(same_bits(a.d_edges, b.d_edges));
  CHECK(a.added_loss == b.added_loss);
  CHECK(same_bits(numbers_of(a.gradients), numbers_of(b.gradients)));
}

void check_threads(const AttentionLayerOptions& options, const GraphView& graph, bool teams = true) {
  AttentionProbe probe(options);
  const auto round = [&](int threads) {
    const ScoreInputs inputs(probe.layer, graph);
    probe.threads = threads;
    AttentionRound r = probe.run(graph, inputs.input);
    if (threads > 1 && teams) CHECK(r.statistics.largest_team == threads);
    return r;
  };
  const AttentionRound one = round(1);
  for (const int threads : {2, 3, 8}) check_same(round(threads), one);
}

// A graph with two hubs, one of each direction.
CsrGraph hub_graph(Index nodes, Index hub_edges) {
  EdgeList list = test::random_edge_list(nodes, nodes, 4 * nodes, 5);
  for (Index e = 0; e < hub_edges; ++e) {
    list.add(static_cast<NodeId>(e % nodes), 0);
    list.add(1, static_cast<NodeId>((7 * e) % (nodes - 1)));
  }
  return build_graph(list, nodes, test::kAsGiven).graph;
}

AttentionLayerOptions with_everything(const std::string& score) {
  AttentionLayerOptions o = small_attention(score, 3, 5);
  o.feature_dropout = o.attention_dropout = 0.3;
  o.residual = Residual::learned;
  o.edge_features = 2;
  o.edge_use = score_called(score).edge_features ? EdgeUse::both : EdgeUse::values;
  return o;
}

}  // namespace

TEST_CASE("every score gives the same bits on 1, 2, 3 and 8 threads", "[nn][attention][determinism]") {
  const CsrGraph graph = hub_graph(120, 300);
  for (const std::string& score : all_scores()) {
    INFO(score);
    check_threads(with_everything(score), graph.view());
  }
}

TEST_CASE("gates, output maps and graphs that are not stored give the same bits on any number of threads",
          "[nn][attention][determinism]") {
  for (const char* const score : {"gat", "gatv2", "scaled_dot"}) {
    INFO(score);
    AttentionLayerOptions o = small_attention(score, 4, 8);
    o.gate = true;
    o.residual = Residual::learned;
    o.output_dim = 7;
    check_threads(o, GraphView::causal(120));
  }
}

TEST_CASE("selections and windows give the same bits on 1, 2, 3 and 8 threads",
          "[nn][attention][determinism]") {
  const CsrGraph graph = hub_graph(150, 300);
  for (const char* const score : {"gat", "scaled_dot"}) {
    for (const Selection selection : {Selection::top_k, Selection::argmax, Selection::sampled}) {
      INFO(score << ", " << name_of(selection));
      AttentionLayerOptions o = with_everything(score);
      o.selection = selection;
      o.top_k = 3;
      check_threads(o, graph.view());
    }
    for (const bool renormalize : {true, false}) {
      AttentionLayerOptions o = small_attention(score, 4, 8);
      o.window = Window::predictive;
      o.window_width = 90;
      o.renormalize = renormalize;
      check_threads(o, graph.view());
      o.window_edges = true;
      check_threads(o, GraphView::complete(150, 150));
    }
  }
}

TEST_CASE("an edge loss gives the same bits on 1, 2, 3 and 8 threads", "[nn][attention][determinism]") {
  const CsrGraph graph = hub_graph(120, 300);
  for (const char* const score : {"supergat_mx", "supergat_sd"}) {
    INFO(score);
    AttentionLayerOptions o = with_everything(score);
    o.head_dim = 40;  // several columns of lanes, so that threads share the sums
    o.edge_loss = 2;
    check_threads(o, graph.view());
  }
}

TEST_CASE("every score gives relabelled nodes their relabelled results", "[nn][attention][property]") {
  const Index nodes = 30;
  const test::Edges edges = test::edges_of(test::random_graph(nodes, 120, 3).view());
  std::vector<NodeId> label(static_cast<std::size_t>(nodes));
  std::iota(label.begin(), label.end(), 0);
  RandomStream(4).shuffle(label);
  test::Edges relabelled;
  for (const auto& [j, i] : edges)
    relabelled.emplace_back(label[static_cast<std::size_t>(j)], label[static_cast<std::size_t>(i)]);
  const CsrGraph before = test::graph_of(nodes, edges), after = test::graph_of(nodes, relabelled);
  const auto moved = [&](const Matrix& rows) {
    Matrix result(rows.rows(), rows.cols());
    for (Index i = 0; i < rows.rows(); ++i)
      std::copy_n(rows.row(i), rows.cols(), result.row(label[static_cast<std::size_t>(i)]));
    return result;
  };
  for (const std::string& score : all_scores()) {
    INFO(score);
    const AttentionProbe probe(small_attention(score));
    ScoreInputs a(probe.layer, before.view()), b(probe.layer, after.view());
    b.x = moved(a.x);
    b.input.source = b.x;
    b.custom = test::ProductScore(moved(a.custom.queries), moved(a.custom.keys));
    const AttentionRound first = probe.run(before.view(), a.input);
    const AttentionRound second = probe.run(after.view(), b.input);
    CHECK(relative_difference(second.out, moved(first.out)) < 1e-5);
    CHECK(relative_difference(second.d_source, moved(first.d_source)) < 1e-4);
  }
}

TEST_CASE("with every score a destination without open edges gets the bias alone",
          "[nn][attention][degenerate]") {
  // 0 → 1 ← 2, 1 → 2 closed, 0 receives nothing
  const CsrGraph graph = test::graph_of(3, {{0, 1}, {2, 1}, {1, 2}});
  const std::vector<std::uint8_t> mask{1, 1, 0};
  for (const std::string& score : all_scores()) {
    INFO(score);
    const AttentionProbe probe(small_attention(score));
    ScoreInputs inputs(probe.layer, graph.view());
    inputs.input.edges.mask = mask;
    const AttentionRound r = probe.run(graph.view(), inputs.input);
    const auto bias = probe.weights.export_values(probe.weights.find("bias"));
    for (const Index i : {0, 2}) CHECK(same_bits({r.out.row(i), 1, 6}, {bias.data(), 1, 6}));
    CHECK(r.attention(2, 0) == 0);
    CHECK(r.attention(0, 1) + r.attention(1, 1) == Approx(1));
    CHECK(is_finite(r.out));
    CHECK(is_finite(r.d_source));
    CHECK(is_finite(numbers_of(r.gradients)));
  }
}

TEST_CASE("every score stands graphs without edges and of one node", "[nn][attention][degenerate]") {
  for (const std::string& score : all_scores()) {
    for (const Index nodes : {1, 5}) {
      INFO(score << ", " << nodes);
      const AttentionProbe probe(small_attention(score));
      const CsrGraph none = test::graph_of(nodes, {});
      const AttentionRound r = probe.run(none.view(), ScoreInputs(probe.layer, none.view()).input);
      CHECK(is_finite(numbers_of(r.gradients)));
      // A loop alone has the coefficient 1.
      const CsrGraph loop = test::graph_of(nodes, {{0, 0}});
      const AttentionRound alone = probe.run(loop.view(), ScoreInputs(probe.layer, loop.view()).input);
      CHECK(alone.attention(0, 0) == 1);
      CHECK(is_finite(alone.d_source));
    }
  }
}

TEST_CASE("every score stands logits of any size", "[nn][attention][degenerate]") {
  const CsrGraph graph = test::random_graph(12, 60, 2);
  for (const std::string& score : all_scores()) {
    for (const double scale : {1e3, 1e9}) {
      INFO(score << ", " << scale);
      AttentionProbe probe(small_attention(score));
      ScoreInputs inputs(probe.layer, graph.view());
      for (Index k = 0; k < inputs.x.size(); ++k) inputs.x.data()[k] *= static_cast<Real>(scale);
      const AttentionRound r = probe.run(graph.view(), inputs.input);
      CHECK(is_finite(r.out));
      CHECK(is_finite(r.d_source));
      CHECK(is_finite(numbers_of(r.gradients)));
    }
  }
}

TEST_CASE("dropout acts in training alone", "[nn][attention][property]") {
  const CsrGraph graph = test::random_graph(20, 80, 2);
  AttentionLayerOptions o = small_attention("scaled_dot");
  AttentionProbe plain(o);
  o.feature_dropout = o.attention_dropout = 0.5;
  AttentionProbe dropping(o);
  const Matrix x = test::random_matrix(20, 4, 6);
  const Matrix expected = plain.run(graph.view(), x).out;
  CHECK_FALSE(same_bits(dropping.run(graph.view(), x).out, expected));
  dropping.mode = Mode::evaluation;
  AttentionProbe evaluated = dropping;
  CHECK(same_bits(evaluated.run(graph.view(), x).out, expected));
}
