// Reported faults of attention layers with other scores, and values worked out by hand.
#include "catch.hpp"
#include "nn/attention_run.hpp"

using namespace gat;
using gat::test::AttentionProbe;
using gat::test::AttentionRound;
using gat::test::column_of;
using gat::test::small_attention;

namespace {

auto near(double value) { return Approx(value).epsilon(1e-5).margin(1e-6); }

// One head of width 1, no biases.
AttentionProbe scalar(const std::string& score,
                      const std::function<void(AttentionLayerOptions&)>& change = {}) {
  AttentionLayerOptions o = small_attention(score, 1, 1);
  o.in_features = 1;
  o.bias = o.projection_bias = false;
  if (change) change(o);
  return AttentionProbe(o);
}

AttentionProbe scalar_gatv2(double source, double destination) {
  AttentionProbe probe = scalar("gatv2");
  probe.set("key_weight", {source});
  probe.set("query_weight", {destination});
  probe.set("score.a", {1});
  return probe;
}

}  // namespace

TEST_CASE("B08: in GATv2 the message is the source's projection, for loops too", "[cases][attention]") {
  const AttentionRound a =
      scalar_gatv2(1, 2).run(test::graph_of(3, {{1, 0}, {2, 0}}).view(), column_of({-1, 1, 3}));
  CHECK(a.logits(0, 0) == near(-0.2));
  CHECK(a.logits(1, 0) == near(1));
  CHECK(a.attention(0, 0) == near(0.231475));
  CHECK(a.attention(1, 0) == near(0.768525));
  CHECK(a.out(0, 0) == near(2.537050));
  AttentionProbe b = scalar_gatv2(1, 10);
  b.set("score.a", {0});
  CHECK(b.run(test::graph_of(2, {{1, 0}, {0, 0}}).view(), column_of({1, 2})).out(0, 0) == near(1.5));
}

TEST_CASE("B08: on two-sided graphs the target is projected by the targets' map", "[cases][attention]") {
  AttentionLayerOptions o = small_attention("gatv2", 1, 1);
  o.in_features = o.destination_features = 1;
  o.bias = o.projection_bias = false;
  AttentionProbe probe(o);
  probe.set("key_weight", {1});
  probe.set("query_weight", {2});
  probe.set("score.a", {1});
  const CsrGraph graph = build_bipartite_graph(test::edge_list({{0, 0}, {1, 0}}), 2, 1, test::kAsGiven).graph;
  const Matrix sources = column_of({1, 3}), targets = column_of({-1});
  const AttentionRound r =
      probe.run(graph.view(), {.source = sources, .destination = Destinations::own(targets)});
  CHECK(r.out(0, 0) == near(2.537050));
}

TEST_CASE("B16: two-sided graphs of any shape get no loops with scores of zero", "[cases][attention]") {
  AttentionProbe probe = scalar("constant");
  probe.set("value_weight", {1});
  const auto run = [&](Index sources, Index targets, const Matrix& h) {
    const CsrGraph graph =
        build_bipartite_graph(test::edge_list({{1, 0}, {0, 1}}), sources, targets, test::kAsGiven).graph;
    return probe.run(graph.view(), {.source = h, .destination = Destinations::none()});
  };
  const AttentionRound few = run(2, 3, column_of({1, 2}));
  CHECK(test::same_bits(few.out, column_of({2, 1, 0})));
  CHECK(test::same_bits(few.d_source, column_of({1, 1})));
  const AttentionRound many = run(3, 2, column_of({1, 2, 5}));
  CHECK(test::same_bits(many.out, column_of({2, 1})));
  CHECK(test::same_bits(many.d_source, column_of({1, 1, 0})));
}

TEST_CASE("B16: the same with every score whose parameters are zero", "[cases][attention]") {
  for (const std::string& score : test::all_scores()) {
    if (score == "custom") continue;
    INFO(score);
    AttentionProbe probe = scalar(score, [](AttentionLayerOptions& o) {
      o.destination_features = 1;
      o.value = Projection::own;
    });
    probe.weights.fill(0);
    probe.set("value_weight", {1});
    const CsrGraph graph =
        build_bipartite_graph(test::edge_list({{1, 0}, {0, 1}}), 2, 3, test::kAsGiven).graph;
    const Matrix h = column_of({1, 2}), targets = column_of({4, 5, 6});
    const AttentionRound r =
        probe.run(graph.view(), {.source = h, .destination = Destinations::own(targets)});
    CHECK(test::same_bits(r.out, column_of({2, 1, 0})));
    CHECK(test::same_bits(r.d_source, column_of({1, 1})));
  }
}

TEST_CASE("the constant score is the mean of the neighbourhood", "[attention][unit]") {
  AttentionProbe probe = scalar("constant");
  probe.set("value_weight", {2});
  const AttentionRound r =
      probe.run(test::graph_of(4, {{1, 0}, {2, 0}, {3, 0}}).view(), column_of({9, 1, 2, 6}));
  CHECK(r.out(0, 0) == near(6));
  CHECK(r.attention(1, 0) == near(1.0 / 3));
}

TEST_CASE("concat is the additive score under Luong's name", "[attention][unit]") {
  // v·tanh(W_q q + W_k k + b) with W = 1, v = 2, b = 0.5, query 0: e = 2 tanh(0.5), 2 tanh(1.5)
  AttentionProbe probe = scalar("concat");
  for (const char* const name : {"query_weight", "key_weight", "value_weight"}) probe.set(name, {1});
  probe.set("score.v", {2});
  probe.set("score.b", {0.5});
  const AttentionRound r = probe.run(test::graph_of(3, {{1, 0}, {2, 0}}).view(), column_of({0, 0, 1}));
  CHECK(r.logits(0, 0) == near(2 * std::tanh(0.5)));
  CHECK(r.logits(1, 0) == near(2 * std::tanh(1.5)));
  CHECK(r.out(0, 0) == near(1 / (1 + std::exp(2 * std::tanh(0.5) - 2 * std::tanh(1.5)))));
}

TEST_CASE("a monotonic window weighs positions by their distance", "[attention][window][unit]") {
  // Five positions, D = 2, so σ = 1: around position 2 the weights are e^−2, e^−½, 1, e^−½, e^−2.
  const Matrix x = column_of({1, 10, 100, 1000, 10000});
  const double far = std::exp(-2.0), close = std::exp(-0.5);
  const auto window = [](bool renormalize) {
    AttentionProbe probe = scalar("constant", [=](AttentionLayerOptions& o) {
      o.window = Window::monotonic;
      o.window_width = 2;
      o.renormalize = renormalize;
      o.window_edges = true;
    });
    probe.set("value_weight", {1});
    return probe;
  };
  const double weighted = far * 1 + close * 10 + 100 + close * 1000 + far * 10000;
  const GraphView all = GraphView::complete(5, 5);
  CHECK(window(true).run(all, x).out(2, 0) == near(weighted / (1 + 2 * close + 2 * far)));
  CHECK(window(false).run(all, x).out(2, 0) == near(weighted / 5));
  // At the end of the sequence three positions are left.
  CHECK(window(false).run(all, x).out(0, 0) == near((1 + close * 10 + far * 100) / 3));
  CHECK(window(true).run(all, x).attention(4, 0) == 0);
}

TEST_CASE("edge weights are left out, stand in the softmax or behind it", "[attention][weights][unit]") {
  const CsrGraph graph = test::graph_of(3, {{1, 0}, {2, 0}});
  const Matrix x = column_of({0, 1, 5}), w = column_of({1, 3});
  const auto out = [&](EdgeUse use) {
    AttentionProbe probe = scalar("constant", [=](AttentionLayerOptions& o) {
      o.edge_use = use;
      o.edge_features = use == EdgeUse::ignored ? 0 : 1;
    });
    probe.set("value_weight", {1});
    return probe.run(graph.view(), {x, {}, {}, w, {}}).out(0, 0);
  };
  CHECK(out(EdgeUse::ignored) == near(3));
  CHECK(out(EdgeUse::log_prior) == near(0.25 * 1 + 0.75 * 5));
  CHECK(out(EdgeUse::multiplied) == near(0.5 * 1 * 1 + 0.5 * 3 * 5));
}

TEST_CASE("of equal logits the first edge of a row is selected", "[attention][selection][unit]") {
  const CsrGraph graph = test::graph_of(4, {{3, 0}, {1, 0}, {2, 0}});
  const Matrix x = column_of({0, 1, 2, 4});
  const auto out = [&](int count) {
    AttentionProbe probe = scalar("constant", [=](AttentionLayerOptions& o) {
      o.selection = Selection::top_k;
      o.top_k = count;
    });
    probe.set("value_weight", {1});
    return probe.run(graph.view(), x).out(0, 0);
  };
  CHECK(out(1) == near(4));
  CHECK(out(2) == near(2.5));
  CHECK(out(9) == near(7.0 / 3));
}
