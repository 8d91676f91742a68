// Gradients of the GAT layer against central differences, in double: every option, every parameter,
// every input.
#include <algorithm>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/graph/segments.hpp"
#include "graphs.hpp"
#include "nn/gradient_case.hpp"

using namespace gat;
using gat::test::GradientCase;
using gat::test::GradientRun;

namespace {

constexpr double kStep = 6e-6;
constexpr double kBound = 1e-7;

GatLayerOptions small_layer(int heads = 2, Index dim = 3) {
  GatLayerOptions o;
  o.in_features = 4;
  o.num_heads = heads;
  o.head_dim = dim;
  return o;
}

GradientCase make(const std::string& name, const std::function<void(GradientCase&)>& change = {}) {
  GradientCase c;
  c.name = name;
  c.options = small_layer();
  if (change) change(c);
  return c;
}

std::vector<GradientCase> option_cases() {
  std::vector<GradientCase> cases;
  const auto add = [&](const char* name, const std::function<void(GradientCase&)>& change) {
    cases.push_back(make(name, change));
  };
  add("plain", [](GradientCase&) {});
  add("one head", [](GradientCase& c) { c.options.num_heads = 1; });
  add("five heads of width one", [](GradientCase& c) { c.options = small_layer(5, 1); });
  add("heads averaged", [](GradientCase& c) { c.options.merge = HeadMerge::mean; });
  add("no bias", [](GradientCase& c) { c.options.bias = false; });
  add("score biases", [](GradientCase& c) { c.options.score_bias = true; });
  add("slope 0.01", [](GradientCase& c) { c.options.negative_slope = 0.01; });
  add("slope 0", [](GradientCase& c) { c.options.negative_slope = 0; });
  add("slope 1", [](GradientCase& c) { c.options.negative_slope = 1; });
  add("identity residual", [](GradientCase& c) {
    c.options.in_features = 6;
    c.options.residual = Residual::identity;
  });
  add("learned residual", [](GradientCase& c) { c.options.residual = Residual::learned; });
  add("learned residual, heads averaged", [](GradientCase& c) {
    c.options.residual = Residual::learned;
    c.options.merge = HeadMerge::mean;
  });
  add("feature dropout", [](GradientCase& c) { c.options.feature_dropout = 0.4; });
  add("feature dropout per head", [](GradientCase& c) {
    c.options.feature_dropout = 0.4;
    c.options.dropout_per_head = true;
  });
  add("value dropout", [](GradientCase& c) { c.options.value_dropout = 0.4; });
  add("attention dropout", [](GradientCase& c) { c.options.attention_dropout = 0.4; });
  add("everything of the original code", [](GradientCase& c) {
    c.options.feature_dropout = c.options.value_dropout = c.options.attention_dropout = 0.3;
    c.options.dropout_per_head = c.options.score_bias = true;
    c.options.residual = Residual::learned;
    c.options.activation = {ActivationKind::elu, 1};
  });
  for (const ActivationKind kind :
       {ActivationKind::elu, ActivationKind::gelu, ActivationKind::gelu_tanh, ActivationKind::sigmoid,
        ActivationKind::tanh, ActivationKind::leaky_relu, ActivationKind::relu}) {
    add("activation", [kind](GradientCase& c) {
      c.name += " " + std::string(name_of(kind));
      c.options.activation = {kind, 1};
      if (kind == ActivationKind::leaky_relu) c.options.activation.parameter = 0.1;
    });
  }
  return cases;
}

std::vector<GradientCase> structure_cases() {
  std::vector<GradientCase> cases;
  const auto add = [&](const char* name, const std::function<void(GradientCase&)>& change) {
    cases.push_back(make(name, change));
  };
  add("no loops, empty neighbourhoods", [](GradientCase& c) { c.policy.self_loops = SelfLoops::as_given; });
  add("symmetrized and merged", [](GradientCase& c) {
    c.policy.direction = Direction::symmetrize;
    c.policy.duplicates = Duplicates::merge;
  });
  add("no edges at all", [](GradientCase& c) { c.num_edges = 0; });
  add("sparse input", [](GradientCase& c) { c.sparse = true; });
  add("sparse input, dropout per head", [](GradientCase& c) {
    c.sparse = true;
    c.options.feature_dropout = 0.4;
    c.options.dropout_per_head = true;
  });
  add("sparse input, learned residual", [](GradientCase& c) {
    c.sparse = true;
    c.options.residual = Residual::learned;
  });
  add("hubs of 2500 edges", [](GradientCase& c) {
    c.hub_edges = 2500;
    c.num_nodes = 40;
    c.options = small_layer(2, 2);
  });
  add("destinations of their own", [](GradientCase& c) {
    c.destination = Destinations::Kind::own;
    c.options.destination_features = 3;
    c.options.residual = Residual::learned;
    c.options.feature_dropout = 0.3;
    c.policy.self_loops = SelfLoops::as_given;
  });
  add("destinations without features", [](GradientCase& c) {
    c.destination = Destinations::Kind::none;
    c.policy.self_loops = SelfLoops::as_given;
  });
  add("masked edges", [](GradientCase& c) { c.mask = true; });
  for (const Index columns : {1, 2}) {
    add("log-prior", [columns](GradientCase& c) { c.log_prior_columns = columns; });
    add("factor", [columns](GradientCase& c) { c.factor_columns = columns; });
    add("mask, prior, factor and dropout", [columns](GradientCase& c) {
      c.mask = true;
      c.log_prior_columns = columns;
      c.factor_columns = 3 - columns;
      c.options.attention_dropout = 0.4;
    });
  }
  for (const LoopFill fill :
       {LoopFill::mean, LoopFill::sum, LoopFill::min, LoopFill::max, LoopFill::product, LoopFill::constant}) {
    add("edge features, loops filled by", [fill](GradientCase& c) {
      c.name += " " + std::string(name_of(fill));
      c.options.edge_features = 2;
      c.policy.loop_fill = fill;
      c.policy.loop_fill_constant = 0.7;
    });
  }
  add("edge features, symmetrized and merged", [](GradientCase& c) {
    c.options.edge_features = 2;
    c.policy = {.direction = Direction::symmetrize, .self_loops = SelfLoops::add_missing};
  });
  static const SegmentPointer batch(std::vector<Index>{0, 3, 4, 4, 8});
  for (const GraphView& view :
       {GraphView::complete(6, 6), GraphView::causal(7), GraphView::banded(8, 2), batch.complete()}) {
    add("implicit graph", [view](GradientCase& c) {
      c.name += " of " + std::to_string(view.num_edges()) + " edges";
      c.implicit = view;
      c.options.attention_dropout = 0.3;
    });
  }
  return cases;
}

// Draws until no score lies near LeakyReLU's kink.
GradientRun away_from_kinks(const GradientCase& c) {
  for (std::uint64_t seed = 1;; ++seed) {
    GradientRun run(c, seed);
    // A hub has thousands of scores, some of them always near 0; the kink of a score at distance x
    // shows only when x < step · |slope of the score|.
    if (run.distance_to_kink() > (c.hub_edges > 0 ? 0.2 : 1.0) * 10 * kStep) return run;
    REQUIRE(seed < 500);
  }
}

void check(const GradientCase& c) {
  INFO(c.name);
  GradientRun run = away_from_kinks(c);
  for (const GradientRun::Named& named : run.gradients()) {
    INFO(named.name);
    const Matrix numeric = gat::test::central_differences(run, named);
    CHECK(gat::test::normwise_error(named.gradient, numeric) < kBound);
    // Without destination features a_dst has no effect; an edgeless case has no edge gradients.
    const bool vanishes =
        std::all_of(numeric.data(), numeric.data() + numeric.size(), [](Real x) { return x == 0; });
    if (vanishes) continue;
    Matrix wrong = named.gradient;
    for (Index k = 0; k < wrong.size(); ++k) wrong.data()[k] *= 1.001;
    CHECK(gat::test::normwise_error(wrong, numeric) > kBound);
  }
}

}  // namespace

TEST_CASE("the double library refuses to round rows to bf16, by name", "[nn][gat_layer][bf16]") {
  const CsrGraph graph = test::graph_of(2, {{0, 1}});
  const GatLayer layer(small_layer());
  const Weights weights = layer.make_weights();
  const Matrix features(2, 4);
  Matrix out(2, layer.output_width());
  Workspace workspace;
  const GraphView view = graph.view();
  const Execution bf16(1, best_simd_level(), RowPrecision::bf16);
  const Context context{.graph = view, .weights = weights, .workspace = workspace, .execution = bf16};
  CHECK(lacking(message_of([&] { layer.forward(context, LayerInput{.source = features}, out); }),
                {"gat layer", "bf16", "double"}) == "");
}

TEST_CASE("gradients of the GAT layer agree with differences for every option", "[nn][gat][gradient]") {
  for (const GradientCase& c : option_cases()) check(c);
}

TEST_CASE("gradients of the GAT layer agree with differences on every kind of graph and input",
          "[nn][gat][gradient]") {
  for (const GradientCase& c : structure_cases()) check(c);
}
