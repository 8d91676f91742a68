// Gradients through a drawn edge: unbiasedness and variance of both estimators, against the exact gradient
// of the expected loss, which for a few edges is a sum over all draws.
#include <array>
#include <numeric>

#include "catch.hpp"
#include "nn/attention_run.hpp"

using namespace gat;
using gat::test::AttentionProbe;
using gat::test::AttentionRound;
using gat::test::random_matrix;
using gat::test::small_attention;

namespace {

// 0 ← {1, 2, 3}, 1 ← {0, 2}: six draws of one head. The loss is (Σ out ⊙ u)² or, linear, Σ out ⊙ u.
class DrawnLayer {
 public:
  explicit DrawnLayer(SampleGradient gradient, bool squared)
      : graph_(test::graph_of(4, {{1, 0}, {2, 0}, {3, 0}, {0, 1}, {2, 1}})),
        drawn_(options(Selection::sampled, gradient)),
        soft_(options(Selection::all, gradient)),
        x_(random_matrix(4, 4, 8)),
        upstream_(random_matrix(4, 3, 9)),
        squared_(squared) {}

  Weights& weights() { return drawn_.weights; }

  double loss_of(const Matrix& out) const {
    double sum = 0;
    for (Index k = 0; k < out.size(); ++k) sum += out.data()[k] * upstream_.data()[k];
    return squared_ ? sum * sum : sum;
  }

  // E loss, by the coefficients of the layer that does not draw.
  double expected_loss() {
    soft_.weights = drawn_.weights;
    const Matrix alpha = soft_.run(graph_.view(), x_).attention;
    double expected = 0;
    for (const EdgeId first : {0, 1, 2}) {
      for (const EdgeId second : {3, 4}) {
        std::vector<std::uint8_t> open(5, 0);
        open[static_cast<std::size_t>(first)] = open[static_cast<std::size_t>(second)] = 1;
        LayerInput input{.source = x_};
        input.edges.mask = open;
        expected += alpha(first, 0) * alpha(second, 0) * loss_of(soft_.run(graph_.view(), input).out);
      }
    }
    return expected;
  }
  std::vector<double> exact_gradient() {
    std::vector<double> gradient;
    for (Real& weight : drawn_.weights.values()) {
      constexpr double kStep = 6e-6;
      const Real value = weight;
      weight = value + kStep;
      const double above = expected_loss();
      weight = value - kStep;
      gradient.push_back((above - expected_loss()) / (2 * kStep));
      weight = value;
    }
    return gradient;
  }

  // The estimate of one draw. \param loss  set to its loss
  std::vector<double> estimate(std::uint64_t seed, double baseline, double* loss = nullptr) {
    drawn_.seed = seed;
    const std::array<double, 1> unknown{0};
    drawn_.loss = unknown;
    const Matrix out = drawn_.run(graph_.view(), x_).out;
    const std::array<double, 1> losses{loss_of(out)}, baselines{baseline};
    drawn_.loss = losses;
    drawn_.baseline = baselines;
    Matrix d_out = upstream_;
    const double outer = squared_ ? 2 * std::sqrt(losses[0]) * sign_of(out) : 1;
    for (Index k = 0; k < d_out.size(); ++k) d_out.data()[k] *= static_cast<Real>(outer);
    const AttentionRound round = drawn_.run(graph_.view(), x_, d_out);
    if (loss != nullptr) *loss = losses[0];
    const auto values = round.gradients.values();
    return {values.begin(), values.end()};
  }

 private:
  static AttentionLayerOptions options(Selection selection, SampleGradient gradient) {
    AttentionLayerOptions o = small_attention("scaled_dot", 1);
    o.selection = selection;
    o.sample_gradient = gradient;
    o.projection_bias = o.bias = false;
    return o;
  }
  double sign_of(const Matrix& out) const {
    double sum = 0;
    for (Index k = 0; k < out.size(); ++k) sum += out.data()[k] * upstream_.data()[k];
    return sum < 0 ? -1 : 1;
  }

  CsrGraph graph_;
  AttentionProbe drawn_, soft_;
  Matrix x_, upstream_;
  bool squared_;
};

// Mean and variance of every component over many draws.
struct Moments {
  Moments(DrawnLayer& layer, std::uint64_t draws, double baseline) : count(static_cast<double>(draws)) {
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      double loss = 0;
      const std::vector<double> estimate = layer.estimate(seed, baseline, &loss);
      mean.resize(estimate.size(), 0);
      square.resize(estimate.size(), 0);
      for (std::size_t k = 0; k < estimate.size(); ++k) {
        mean[k] += estimate[k] / count;
        square[k] += estimate[k] * estimate[k] / count;
      }
      mean_loss += loss / count;
    }
  }
  double variance(std::size_t k) const { return std::max(0.0, square[k] - mean[k] * mean[k]); }
  // Of the gradients of queries and keys: those of the values are the same in every estimate.
  double score_variance(DrawnLayer& layer) const {
    const auto values = layer.weights().find("value_weight");
    const auto last =
        static_cast<std::size_t>(layer.weights()[values].data - layer.weights().values().data());
    double sum = 0;
    for (std::size_t k = 0; k < last; ++k) sum += variance(k);
    return sum;
  }
  // The largest distance of a mean from `exact`, in standard errors of the mean.
  double worst(const std::vector<double>& exact) const {
    double most = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      const double error = std::sqrt(variance(k) / count);
      most = std::max(most, std::abs(mean[k] - exact[k]) / (error + 1e-7));
    }
    return most;
  }

  double count;
  std::vector<double> mean, square;
  double mean_loss = 0;
};

// Of a normal mean, one component in 1.7 million lies further out than 5 standard errors.
constexpr double kFiveErrors = 5;
constexpr std::uint64_t kDraws = 6000;

}  // namespace

TEST_CASE("the score-function estimate is unbiased, with and without a baseline",
          "[nn][attention][sampling][gradient]") {
  DrawnLayer layer(SampleGradient::score_function, true);
  const std::vector<double> exact = layer.exact_gradient();
  const Moments plain(layer, kDraws, 0);
  CHECK(plain.worst(exact) < kFiveErrors);
  CHECK(plain.mean_loss == Approx(layer.expected_loss()).epsilon(0.05));
  const Moments with_baseline(layer, kDraws, layer.expected_loss());
  CHECK(with_baseline.worst(exact) < kFiveErrors);
  CHECK(with_baseline.score_variance(layer) < 0.8 * plain.score_variance(layer));
  // The bound notices an estimate that is off by a fifth.
  std::vector<double> wrong = exact;
  for (double& value : wrong) value *= 1.2;
  CHECK(with_baseline.worst(wrong) > kFiveErrors);
}

TEST_CASE("the straight-through estimate is unbiased for a linear loss and biased for another",
          "[nn][attention][sampling][gradient]") {
  DrawnLayer linear(SampleGradient::straight_through, false);
  const Moments of_linear(linear, kDraws, 0);
  CHECK(of_linear.worst(linear.exact_gradient()) < kFiveErrors);
  DrawnLayer squared(SampleGradient::straight_through, true);
  const Moments of_squared(squared, kDraws, 0);
  CHECK(of_squared.worst(squared.exact_gradient()) > 2 * kFiveErrors);
  // Of a linear loss every draw gives scores the same gradient.
  DrawnLayer by_score(SampleGradient::score_function, false);
  const Moments drawn(by_score, kDraws, by_score.expected_loss());
  CHECK(of_linear.score_variance(linear) < 1e-12);
  CHECK(drawn.score_variance(by_score) > 1e-3);
}

TEST_CASE("a drawn edge gives scores the gradients of the softmax over all edges",
          "[nn][attention][sampling][gradient]") {
  for (const std::string& score : test::all_scores()) {
    INFO(score);
    AttentionLayerOptions o = small_attention(score);
    o.value = Projection::own;
    o.key_dim = 2;
    o.attention_dropout = 0.3;
    const ScoreDescription& description = test::score_called(score);
    o.edge_features = 2;
    o.edge_use = description.edge_features ? EdgeUse::score : EdgeUse::values;
    const AttentionProbe soft(o);
    o.selection = Selection::sampled;
    const AttentionProbe drawn(o);
    const CsrGraph graph = test::random_graph(9, 40, 2);
    const test::ScoreInputs a(soft.layer, graph.view()), b(soft.layer, graph.view());
    const AttentionRound expected = soft.run(graph.view(), a.input);
    const AttentionRound round = drawn.run(graph.view(), b.input);
    for (Index i = 0; i < drawn.weights.count(); ++i) {
      const std::string& name = drawn.weights.spec(i).name;
      if (name.rfind("value", 0) == 0 || name == "bias") continue;
      INFO(name);
      CHECK(test::relative_difference(round.gradients[i], expected.gradients[i]) < 1e-12);
    }
    if (o.edge_use == EdgeUse::score)
      CHECK(test::relative_difference(round.d_edges, expected.d_edges) < 1e-12);
    if (score == "custom") CHECK(test::relative_difference(b.custom.d_queries, a.custom.d_queries) < 1e-12);
  }
}

TEST_CASE("a drawn edge gives values and what edges add to them their own gradients",
          "[nn][attention][sampling][gradient]") {
  AttentionLayerOptions o = small_attention("scaled_dot");
  o.selection = Selection::sampled;
  o.edge_features = 2;
  o.edge_use = EdgeUse::both;
  AttentionProbe probe(o);
  const CsrGraph graph = test::random_graph(9, 40, 2);
  const test::ScoreInputs inputs(probe.layer, graph.view());
  const AttentionRound round = probe.run(graph.view(), inputs.input);
  // Values and their edge rows enter the output alone: which edges are drawn does not depend on them.
  for (const char* const name : {"value_weight", "value_bias", "value_edge_weight", "bias"}) {
    INFO(name);
    const Index i = probe.weights.find(name);
    Real& weight = probe.weights[i](0, 0);
    const auto sum = [&] {
      const Matrix out = probe.run(graph.view(), inputs.input).out;
      return std::accumulate(out.data(), out.data() + out.size(), 0.0);
    };
    const Real value = weight;
    weight = value + 1;
    const double above = sum();
    weight = value - 1;
    const double below = sum();
    weight = value;
    CHECK(round.gradients[i](0, 0) == Approx((above - below) / 2));
  }
}

TEST_CASE("a drawn edge has the coefficient 1, and evaluation takes the likeliest",
          "[nn][attention][sampling][gradient]") {
  AttentionLayerOptions o = small_attention("gatv2");
  AttentionProbe soft(o);
  o.selection = Selection::sampled;
  AttentionProbe drawn(o);
  o.selection = Selection::argmax;
  AttentionProbe hard(o);
  const CsrGraph graph = test::random_graph(9, 40, 2);
  const Matrix x = random_matrix(9, 4, 3);
  const std::array<double, 1> loss{0};
  drawn.loss = loss;
  std::size_t differs = 0;
  const AttentionRound likeliest = hard.run(graph.view(), x);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    drawn.seed = seed;
    const AttentionRound round = drawn.run(graph.view(), x);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      for (Index h = 0; h < 2; ++h) {
        REQUIRE((round.attention(e, h) == 0 || round.attention(e, h) == 1));
        differs += round.attention(e, h) != likeliest.attention(e, h);
      }
    }
  }
  CHECK(differs > 0);
  drawn.mode = hard.mode = Mode::evaluation;
  Workspace workspace;
  Matrix a(9, 6), b(9, 6);
  const LayerInput input{.source = x};
  const auto evaluate = [&](const AttentionProbe& probe, Matrix& out) {
    probe.layer.forward({.graph = graph.view(), .weights = probe.weights, .workspace = workspace}, input,
                        out);
  };
  evaluate(drawn, a);
  evaluate(hard, b);
  CHECK(test::same_bits(a, b));
}
