// Gradients of the general attention layer against central differences, in double: every score of the
// table with every kind of graph, input and option.
#include <algorithm>

#include "catch.hpp"
#include "gat/graph/segments.hpp"
#include "nn/attention_cases.hpp"
#include "nn/gradient_case.hpp"

using namespace gat;
using gat::test::all_scores;
using gat::test::AttentionCase;
using gat::test::AttentionRun;
using gat::test::score_called;
using gat::test::small_attention;

namespace {

constexpr double kBound = 1e-7;

using Change = std::function<void(AttentionCase&)>;

AttentionCase make(const std::string& score, const std::string& name, const Change& change = {}) {
  AttentionCase c;
  c.name = score + ", " + name;
  c.options = small_attention(score);
  if (change) change(c);
  return c;
}

// Whether all gradients agree with differences; false where a kink lies inside a step.
bool agrees(const AttentionCase& c, std::uint64_t seed) {
  AttentionRun run(c, seed);
  const auto gradients = run.gradients();
  std::vector<Matrix> numeric;
  for (const auto& named : gradients) {
    bool kink = false;
    numeric.push_back(gat::test::central_differences(run, named, &kink));
    if (kink) return false;
  }
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    INFO(gradients[k].name);
    CHECK(gat::test::normwise_error(gradients[k].gradient, numeric[k]) < kBound);
    // What the output does not depend on has no gradient that could be wrong by a factor.
    const Real* const first = numeric[k].data();
    if (std::all_of(first, first + numeric[k].size(), [](Real x) { return std::abs(x) < 1e-9; })) continue;
    Matrix wrong = gradients[k].gradient;
    for (Index i = 0; i < wrong.size(); ++i) wrong.data()[i] *= 1.001;
    CHECK(gat::test::normwise_error(wrong, numeric[k]) > kBound);
  }
  return true;
}

void check(const AttentionCase& c) {
  INFO(c.name);
  std::uint64_t seed = 1;
  while (!agrees(c, seed)) REQUIRE(++seed < 50);
}

void check_every_score(const std::string& name, const Change& change,
                       const std::function<bool(const ScoreDescription&)>& applies = {}) {
  for (const std::string& score : all_scores()) {
    if (!applies || applies(score_called(score))) check(make(score, name, change));
  }
}

bool has_rows(const ScoreDescription& score) { return score.reads_rows || score.node_numbers; }

}  // namespace

TEST_CASE("gradients of every score agree with differences", "[nn][attention][gradient]") {
  check_every_score("plain", {});
  check_every_score("one head", [](AttentionCase& c) { c.options.num_heads = 1; });
  check_every_score("five heads of width one", [](AttentionCase& c) {
    c.options.num_heads = 5;
    c.options.head_dim = 1;
  });
  check_every_score("two groups of heads", [](AttentionCase& c) {
    c.options.num_heads = 17;
    c.options.head_dim = 1;
    c.num_edges = 14;
  });
}

TEST_CASE("gradients of every score agree with differences on every kind of graph",
          "[nn][attention][gradient]") {
  check_every_score("no loops, empty neighbourhoods",
                    [](AttentionCase& c) { c.policy.self_loops = SelfLoops::as_given; });
  check_every_score("no edges", [](AttentionCase& c) {
    c.num_edges = 0;
    c.policy.self_loops = SelfLoops::as_given;
  });
  check_every_score("a neighbourhood with every edge masked",
                    [](AttentionCase& c) { c.mask = c.only_destination_masked = true; });
  const SegmentPointer batch(std::vector<Index>{0, 3, 4, 4, 8});
  for (const GraphView& view :
       {GraphView::complete(6, 6), GraphView::causal(6), GraphView::banded(7, 2), batch.complete()}) {
    check_every_score("implicit graph of " + std::to_string(view.num_edges()) + " edges",
                      [view](AttentionCase& c) {
                        c.implicit = view;
                        c.options.attention_dropout = 0.3;
                      });
  }
}

TEST_CASE("gradients of every score agree with differences on rows of more than 128 edges",
          "[nn][attention][gradient][hub]") {
  check_every_score("hubs", [](AttentionCase& c) {
    c.hub_edges = 300;
    c.num_nodes = 12;
    c.options.in_features = 2;
    c.options.head_dim = 2;
  });
}

TEST_CASE("gradients of every score agree with differences between two kinds of nodes",
          "[nn][attention][gradient][bipartite]") {
  const auto own = [](AttentionCase& c) {
    c.destination = Destinations::Kind::own;
    c.options.destination_features = 3;
    c.options.query = Projection::own;
    c.options.residual = Residual::learned;
    c.options.feature_dropout = 0.3;
    c.policy.self_loops = SelfLoops::as_given;
  };
  check_every_score("destinations of their own", own);
  check_every_score(
      "one map for both sides",
      [](AttentionCase& c) {
        c.destination = Destinations::Kind::own;
        c.options.destination_features = 4;
        c.options.query = Projection::shared;
        c.policy.self_loops = SelfLoops::as_given;
      },
      has_rows);
  check_every_score(
      "destinations without features",
      [](AttentionCase& c) {
        c.destination = Destinations::Kind::none;
        c.policy.self_loops = SelfLoops::as_given;
      },
      [](const ScoreDescription& score) { return !score.reads_rows; });
  check_every_score("values of their own", [](AttentionCase& c) {
    c.options.value = Projection::own;
    c.options.value_features = 5;
    c.options.key_dim = 2;
    c.options.feature_dropout = 0.3;
  });
}

TEST_CASE("gradients of every score agree with differences with every term of edges",
          "[nn][attention][gradient][terms]") {
  check_every_score("mask, prior, factor and dropout", [](AttentionCase& c) {
    c.mask = true;
    c.log_prior_columns = 1;
    c.factor_columns = 2;
    c.options.attention_dropout = 0.4;
  });
  check_every_score("prior per head and factor", [](AttentionCase& c) {
    c.log_prior_columns = 2;
    c.factor_columns = 1;
  });
  for (const EdgeUse use : {EdgeUse::log_prior, EdgeUse::multiplied}) {
    check_every_score("edge weights as " + std::string(name_of(use)), [use](AttentionCase& c) {
      c.options.edge_features = 1;
      c.options.edge_use = use;
      c.positive_edge_features = true;
      c.policy.self_loops = SelfLoops::as_given;  // a filled loop might have the weight 0
    });
  }
}

TEST_CASE("gradients of every score agree with differences with edge features",
          "[nn][attention][gradient][edges]") {
  const auto in_score = [](const ScoreDescription& score) { return score.edge_features; };
  const auto features = [](EdgeUse use) {
    return [use](AttentionCase& c) {
      c.options.edge_features = 2;
      c.options.edge_use = use;
      c.options.attention_dropout = 0.3;
      c.policy.loop_fill = LoopFill::mean;
    };
  };
  check_every_score("edge features in the score", features(EdgeUse::score), in_score);
  check_every_score("edge features in the values", features(EdgeUse::values));
  check_every_score("edge features in both", features(EdgeUse::both), in_score);
  check_every_score("edge features in both by one weight", features(EdgeUse::both_shared),
                    [](const ScoreDescription& score) { return score.edge_features && !score.separable; });
  check_every_score(
      "edge features and hubs",
      [&](AttentionCase& c) {
        features(EdgeUse::both)(c);
        c.hub_edges = 150;
        c.num_edges = 4;
        c.options.in_features = 1;
        c.options.num_heads = 1;
      },
      in_score);
}

TEST_CASE("gradients of every score agree with differences where edges are selected",
          "[nn][attention][gradient][selection]") {
  check_every_score("the two largest", [](AttentionCase& c) {
    c.options.selection = Selection::top_k;
    c.options.top_k = 2;
    c.options.attention_dropout = 0.3;
  });
  check_every_score("the largest", [](AttentionCase& c) { c.options.selection = Selection::argmax; });
  check_every_score("the three largest of all pairs", [](AttentionCase& c) {
    c.options.selection = Selection::top_k;
    c.options.top_k = 3;
    c.implicit = GraphView::complete(6, 6);
  });
  const SegmentPointer batch(std::vector<Index>{0, 4, 8});
  check_every_score("the two largest of all pairs of each graph", [&](AttentionCase& c) {
    c.options.selection = Selection::top_k;
    c.options.top_k = 2;
    c.implicit = batch.complete();
  });
}

TEST_CASE("gradients of an edge loss agree with differences", "[nn][attention][gradient][edge-loss]") {
  const auto has_loss = [](const ScoreDescription& score) { return edge_loss_of(score.name) != nullptr; };
  const auto loss = [](const Change& change) {
    return [change](AttentionCase& c) {
      c.options.edge_loss = 1.5;
      change(c);
    };
  };
  check_every_score("edge loss", loss([](AttentionCase&) {}), has_loss);
  check_every_score("edge loss, three projections and dropout", loss([](AttentionCase& c) {
                      c.options.num_heads = 3;
                      c.options.query = c.options.value = Projection::own;
                      c.options.feature_dropout = c.options.attention_dropout = 0.3;
                    }),
                    has_loss);
  check_every_score("edge loss, few edges and no loops", loss([](AttentionCase& c) {
                      c.num_edges = 5;
                      c.policy.self_loops = SelfLoops::as_given;
                      c.options.edge_loss_share = 1;
                      c.options.edge_loss_others = 2;
                    }),
                    has_loss);
}

TEST_CASE("gradients of every score agree with differences inside windows",
          "[nn][attention][gradient][window]") {
  for (const bool renormalize : {true, false}) {
    for (const bool edges : {true, false}) {
      const auto window = [=](AttentionCase& c) {
        c.options.window = Window::predictive;
        c.options.window_width = 3;
        c.options.position_dim = 2;
        c.options.renormalize = renormalize;
        c.options.window_edges = edges;
        c.implicit = GraphView::complete(7, 7);
      };
      const std::string name = std::string("predictive window") + (renormalize ? ", renormalised" : "") +
                               (edges ? ", edges inside only" : "");
      check_every_score(name, window);
    }
  }
  const SegmentPointer batch(std::vector<Index>{0, 5, 8});
  check_every_score("predictive window in each graph of a batch", [&](AttentionCase& c) {
    c.options.window = Window::predictive;
    c.options.window_width = 3;
    c.options.position_dim = 2;
    c.implicit = batch.complete();
  });
  check_every_score("monotonic window", [](AttentionCase& c) {
    c.options.window = Window::monotonic;
    c.options.window_width = 2;
    c.options.window_edges = true;
    c.implicit = GraphView::causal(7);
  });
  check_every_score("window on a stored graph with hubs", [](AttentionCase& c) {
    c.options.window = Window::predictive;
    c.options.window_width = 4;
    c.options.position_dim = 2;
    c.options.num_heads = 1;
    c.hub_edges = 140;
    c.num_edges = 4;
  });
}
