// One GAT layer worked out by hand: heads, merging, bias, residual, score biases, dropout.
#include <cmath>

#include "catch.hpp"
#include "gat/nn/layers/gat.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::column_of;
using gat::test::matrix_of;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

const double kLn3 = std::log(3.0);

//  1 → 0 ← 2 with features 0, 0, ln 3. Head 0 has W = 1 and scores by the source: α = ¼, ¾.
//  Head 1 has W = 2 and scores 0: α = ½, ½. So head 0 gives ¾ ln 3, head 1 gives ln 3.
class TwoHeads {
 public:
  explicit TwoHeads(GatLayerOptions o = {}) : layer_(options(o)), weights_(layer_.make_weights()) {
    set("weight", {1, 2});
    set("a_src", {1, 0});
  }
  TwoHeads& set(const char* name, const std::vector<Real>& values) {
    weights_.import_values(weights_.find(name), values);
    return *this;
  }
  Matrix run(Mode mode = Mode::evaluation, std::uint64_t seed = 0, int layer = 0, int call = 0,
             const Execution& execution = 1) const {
    const CsrGraph graph = test::graph_of(3, {{1, 0}, {2, 0}});
    const Matrix h = column_of({0, 0, kLn3});
    const GraphView view = graph.view();
    const LayerInput input{.source = h};
    Matrix out(3, layer_.check_input(view, input));
    Workspace workspace;
    layer_.forward({.graph = view,
                    .weights = weights_,
                    .workspace = workspace,
                    .mode = mode,
                    .random = RandomStream(seed),
                    .layer = layer,
                    .call = call,
                    .execution = execution},
                   input, out);
    return out;
  }

 private:
  static GatLayerOptions options(GatLayerOptions o) {
    o.in_features = 1;
    o.num_heads = 2;
    o.head_dim = 1;
    return o;
  }

  GatLayer layer_;
  Weights weights_;
};

GatLayerOptions with(const std::function<void(GatLayerOptions&)>& change) {
  GatLayerOptions o;
  change(o);
  return o;
}

}  // namespace

TEST_CASE("heads stand side by side or are averaged, the bias comes after", "[nn][gat_layer][forward]") {
  CHECK(relative_difference(TwoHeads().set("bias", {1, 2}).run(),
                            matrix_of({{0.75 * kLn3 + 1, kLn3 + 2}, {1, 2}, {1, 2}})) < 1e-6);
  TwoHeads mean(with([](auto& o) { o.merge = HeadMerge::mean; }));
  CHECK(relative_difference(mean.set("bias", {1}).run(), column_of({0.875 * kLn3 + 1, 1, 1})) < 1e-6);
}

TEST_CASE("a residual adds the destination's own features, mapped or not", "[nn][gat_layer][forward]") {
  TwoHeads learned(with([](auto& o) { o.residual = Residual::learned, o.bias = false; }));
  CHECK(relative_difference(learned.set("residual_weight", {10, 100}).run(),
                            matrix_of({{0.75 * kLn3, kLn3}, {0, 0}, {10 * kLn3, 100 * kLn3}})) < 1e-6);
  const TwoHeads identity(
      with([](auto& o) { o.residual = Residual::identity, o.merge = HeadMerge::mean, o.bias = false; }));
  CHECK(relative_difference(identity.run(), column_of({0.875 * kLn3, 0, kLn3})) < 1e-6);
}

TEST_CASE("score biases act inside LeakyReLU", "[nn][gat_layer][forward]") {
  // Scores of −10 and ln 3 − 10 are bent by 0.2: they differ by 0.2 ln 3.
  TwoHeads layer(with([](auto& o) { o.score_bias = true, o.bias = false; }));
  layer.set("score_bias_src", {-15, 0}).set("score_bias_dst", {5, 0});
  const double share = std::pow(3, 0.2) / (1 + std::pow(3, 0.2));
  CHECK(relative_difference(layer.run(), matrix_of({{share * kLn3, kLn3}, {0, 0}, {0, 0}})) < 1e-6);
}

TEST_CASE("the activation acts on everything that was added", "[nn][gat_layer][forward]") {
  TwoHeads layer(with([](auto& o) { o.activation = {ActivationKind::elu, 1}; }));
  CHECK(relative_difference(layer.set("bias", {-1, 1}).run(),
                            matrix_of({{std::exp(0.75 * kLn3 - 1) - 1, kLn3 + 1},
                                       {std::exp(-1.0) - 1, 1},
                                       {std::exp(-1.0) - 1, 1}})) < 1e-6);
}

TEST_CASE("without dropout, training and evaluation give the same bits", "[nn][gat_layer][dropout]") {
  CHECK(same_bits(TwoHeads().run(Mode::training), TwoHeads().run(Mode::evaluation)));
}

TEST_CASE("each seed, layer and use of a layer has masks of its own", "[nn][gat_layer][dropout]") {
  const TwoHeads layer(with([](auto& o) { o.value_dropout = o.attention_dropout = 0.5; }));
  const auto some_differ = [&](const auto& run) {
    int different = 0;
    for (int k = 1; k < 20; ++k) different += !same_bits(run(k), run(0));
    return different > 0;
  };
  CHECK(some_differ([&](int k) { return layer.run(Mode::training, static_cast<std::uint64_t>(k)); }));
  CHECK(some_differ([&](int k) { return layer.run(Mode::training, 0, k); }));
  CHECK(some_differ([&](int k) { return layer.run(Mode::training, 0, 0, k); }));
  CHECK(same_bits(layer.run(Mode::training, 3, 2, 1), layer.run(Mode::training, 3, 2, 1)));
}

TEST_CASE("dropped values and coefficients leave the mean where it was", "[nn][gat_layer][dropout]") {
  for (const bool values : {true, false}) {
    const TwoHeads layer(with([&](auto& o) { (values ? o.value_dropout : o.attention_dropout) = 0.5; }));
    double sums[2] = {0, 0};
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      const Matrix out = layer.run(Mode::training, seed);
      for (Index h = 0; h < 2; ++h) sums[h] += static_cast<double>(out(0, h)) / 4000;
      // The scores read undropped features: a survivor keeps its coefficient ¾ and is doubled.
      REQUIRE((out(0, 0) == 0 || out(0, 0) == Approx(1.5 * kLn3)));
    }
    CHECK(sums[0] == Approx(0.75 * kLn3).epsilon(0.07));
    CHECK(sums[1] == Approx(kLn3).epsilon(0.07));
  }
}

TEST_CASE("values that edges gather are rounded to bf16 where asked for, scores and weights are not",
          "[nn][gat_layer][bf16]") {
  const Execution bf16(1, best_simd_level(), RowPrecision::bf16);
  // The values are ln 3 and 2 ln 3; the coefficients ¼, ¾ follow from ln 3 as it is.
  const double rounded = static_cast<double>(to_float(to_bf16(static_cast<float>(kLn3))));
  REQUIRE(std::abs(rounded / kLn3 - 1) > 1e-4);
  const Matrix out = TwoHeads().run(Mode::evaluation, 0, 0, 0, bf16);
  CHECK(relative_difference(out, matrix_of({{0.75 * rounded, rounded}, {0, 0}, {0, 0}})) < 1e-6);
  // Dropped out before they are rounded: a survivor is doubled, which rounding does not see.
  const TwoHeads dropping(with([](auto& o) { o.value_dropout = 0.5; }));
  int kept = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Matrix floats = dropping.run(Mode::training, seed);
    const Matrix rows = dropping.run(Mode::training, seed, 0, 0, bf16);
    for (Index h = 0; h < 2; ++h) {
      const double whole = h == 0 ? 1.5 * rounded : 2 * rounded;
      REQUIRE((floats(0, h) == 0) == (rows(0, h) == 0));
      REQUIRE((rows(0, h) == 0 || static_cast<double>(rows(0, h)) == Approx(whole).epsilon(1e-6)));
      kept += rows(0, h) != 0;
    }
  }
  CHECK(kept > 50);
}

TEST_CASE("one mask serves all heads, or each head has its own", "[nn][gat_layer][dropout]") {
  // Node 2's feature is ln 3 or dropped, per head: with one mask both heads vanish together.
  for (const bool per_head : {false, true}) {
    const TwoHeads layer(with([&](auto& o) { o.feature_dropout = 0.5, o.dropout_per_head = per_head; }));
    int apart = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Matrix out = layer.run(Mode::training, seed);
      apart += (out(0, 0) == 0) != (out(0, 1) == 0);
    }
    CHECK((apart > 0) == per_head);
    if (per_head) CHECK(std::abs(apart - 100) < 30);
  }
}
