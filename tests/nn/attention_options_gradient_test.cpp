// Gradients of the general attention layer's options around the score: projections, output, residuals.
#include <algorithm>

#include "catch.hpp"
#include "graphs.hpp"
#include "nn/attention_cases.hpp"
#include "nn/gradient_case.hpp"
#include "nn/random_weights.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::AttentionCase;
using gat::test::AttentionRun;
using gat::test::small_attention;

namespace {

using Change = std::function<void(AttentionLayerOptions&)>;

void check(const AttentionCase& c) {
  INFO(c.name);
  for (std::uint64_t seed = 1;; ++seed) {
    REQUIRE(seed < 50);
    AttentionRun run(c, seed);
    bool bends = false;
    for (const auto& named : run.gradients()) {
      INFO(named.name);
      bool kink = false;
      const Matrix numeric = gat::test::central_differences(run, named, &kink);
      bends = bends || kink;
      if (!kink) CHECK(gat::test::normwise_error(named.gradient, numeric) < 1e-7);
    }
    if (!bends) return;
  }
}

void check_option(const std::string& name, const Change& change, const char* score = "scaled_dot",
                  bool sparse = false) {
  AttentionCase c;
  c.name = name;
  c.options = small_attention(score);
  c.sparse = sparse;
  change(c.options);
  check(c);
}

}  // namespace

TEST_CASE("gradients agree with differences for every way to project", "[nn][attention][gradient]") {
  check_option("widths of keys and values differ", [](auto& o) { o.key_dim = 5; });
  check_option(
      "widths of queries and keys differ", [](auto& o) { o.key_dim = 5, o.query_dim = 2; }, "bilinear");
  check_option("no biases", [](auto& o) { o.projection_bias = o.bias = false; });
  check_option("one map", [](auto& o) { o.query = o.value = Projection::shared; });
  check_option("features as they are", [](auto& o) {
    o.in_features = 6;
    o.query = o.key = o.value = Projection::none;
    o.feature_dropout = 0.4;
  });
  check_option("queries as they are", [](auto& o) {
    o.in_features = 6;
    o.query = Projection::none;
  });
  check_option("values as they are", [](auto& o) {
    o.in_features = 6;
    o.value = Projection::none;
    o.feature_dropout = 0.4;
  });
  check_option("keys as they are, queries too by sharing", [](auto& o) {
    o.in_features = 6;
    o.key = Projection::none;
    o.query = Projection::shared;
  });
  for (const char* const score : {"gatv2", "gat", "constant", "cosine"}) {
    check_option(
        std::string("sparse features, ") + score, [](auto& o) { o.feature_dropout = 0.4; }, score, true);
  }
  check_option(
      "sparse features as they are",
      [](auto& o) {
        o.in_features = 6;
        o.query = o.key = o.value = Projection::none;
        o.feature_dropout = 0.3;
      },
      "scaled_dot", true);
}

TEST_CASE("gradients agree with differences between heads and output", "[nn][attention][gradient]") {
  for (const HeadMerge merge : {HeadMerge::concat, HeadMerge::mean}) {
    const std::string name(name_of(merge));
    check_option(name, [=](auto& o) { o.merge = merge; });
    check_option(name + ", learned residual with bias", [=](auto& o) {
      o.merge = merge, o.residual = Residual::learned, o.residual_bias = true;
      o.feature_dropout = 0.3;
    });
    check_option(name + ", gate", [=](auto& o) {
      o.merge = merge, o.residual = Residual::learned, o.residual_bias = o.gate = true;
    });
    check_option(name + ", output map", [=](auto& o) { o.merge = merge, o.output_dim = 5; });
    check_option(name + ", output map, residual and activation", [=](auto& o) {
      o.merge = merge, o.output_dim = 4, o.residual = Residual::identity_or_learned;
      o.activation = {ActivationKind::gelu, 1};
    });
    check_option(name + ", output map, gate and activation", [=](auto& o) {
      o.merge = merge, o.output_dim = 5, o.residual = Residual::learned, o.gate = true;
      o.activation = {ActivationKind::elu, 1};
    });
  }
  check_option("identity residual, dropout and activation", [](auto& o) {
    o.in_features = 6, o.residual = Residual::identity, o.feature_dropout = 0.3;
    o.activation = {ActivationKind::gelu, 1};
  });
  check_option("identity gate without bias", [](auto& o) {
    o.in_features = 6, o.residual = Residual::identity, o.gate = true, o.bias = false;
  });
}

TEST_CASE("a first writer overwrites old gradients of the input, the others add",
          "[nn][attention][gradient]") {
  for (const char* const score : {"constant", "gat", "gatv2", "scaled_dot"}) {
    INFO(score);
    AttentionLayerOptions o = small_attention(score);
    o.residual = Residual::learned;
    const CsrGraph graph = test::random_graph(7, 20, 3);
    const AttentionLayer layer(o);
    Weights weights = layer.make_weights();
    test::randomize(weights, RandomStream(4));
    const Matrix x = test::random_matrix(7, 4, 5);
    const auto gradient = [&](bool is_new, Real before) {
      Workspace workspace;
      Tape tape;
      const Context context{.graph = graph.view(),
                            .weights = weights,
                            .workspace = workspace,
                            .mode = Mode::training,
                            .random = RandomStream(1),
                            .tape = &tape};
      const LayerInput input{.source = x};
      Matrix out(7, layer.check_input(graph.view(), input)), d_source(7, 4);
      d_source.view().fill(before);
      layer.forward(context, input, out);
      Weights d_weights = layer.make_weights();
      InputGradient d_input;
      d_input.source = d_source;
      d_input.source_is_new = is_new;
      layer.backward(context, input, out, out, d_input, d_weights);
      return d_source;
    };
    const Matrix fresh = gradient(true, 99), zero = gradient(false, 0), one = gradient(false, 1);
    CHECK(test::relative_difference(fresh, zero) < 1e-12);
    CHECK(one(2, 1) == Approx(zero(2, 1) + 1));
  }
}
