#include "gat/train/optimizer.hpp"

#include <cmath>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "numbers.hpp"

using namespace gat;

namespace {

// One weight, one attention vector, one bias, one gain, one statistic; a number each.
Weights five(double value) {
  std::vector<ParameterSpec> specs(5);
  const DecayGroup groups[] = {DecayGroup::weight, DecayGroup::attention, DecayGroup::bias, DecayGroup::norm,
                               DecayGroup::norm};
  for (std::size_t k = 0; k < 5; ++k) {
    specs[k].name = "p" + std::to_string(k);
    specs[k].shape = {1};
    specs[k].rows = specs[k].cols = 1;
    specs[k].group = groups[k];
  }
  specs[4].trained = false;
  Weights weights(specs);
  weights.fill(static_cast<Real>(value));
  return weights;
}

AdamOptions rate(double learning_rate, double epsilon = 1e-8) {
  AdamOptions options;
  options.learning_rate = learning_rate;
  options.epsilon = epsilon;
  return options;
}

// The weights after steps with the given gradients, from 1.
std::vector<Real> after(const AdamOptions& options, std::initializer_list<double> gradients) {
  Weights weights = five(1);
  Adam adam(options);
  for (const double g : gradients) adam.step(weights, five(g), 1);
  std::vector<Real> result;
  for (Index i = 0; i < weights.count(); ++i) result.push_back(weights[i](0, 0));
  return result;
}

}  // namespace

TEST_CASE("Adam takes the two steps that its authors' algorithm takes", "[train][adam][unit]") {
  // Step 1: m̂ = 0.5, √v̂ = 0.5. Step 2: m = 0.02, m̂ = 0.02/0.19; v = 0.00031225, v̂ = v/0.001999.
  CHECK(after(rate(0.1), {0.5})[0] == Approx(0.9));
  const double second = 0.9 - 0.1 * (0.02 / 0.19) / std::sqrt(0.00031225 / 0.001999);
  CHECK(after(rate(0.1), {0.5, -0.25})[0] == Approx(second).epsilon(1e-6));
}

TEST_CASE("epsilon is added after the correction, or before it as in TensorFlow", "[train][adam][unit]") {
  AdamOptions options = rate(0.1, 1);
  CHECK(after(options, {0.5})[0] == Approx(1 - 0.1 * 0.5 / 1.5).epsilon(1e-6));
  const double second = 1 - 0.1 * 0.5 / 1.5 - 0.1 * (0.02 / 0.19) / (std::sqrt(0.00031225 / 0.001999) + 1);
  CHECK(after(options, {0.5, -0.25})[0] == Approx(second).epsilon(1e-6));
  options.epsilon_variant = EpsilonVariant::uncorrected;
  const double first = 1 - 0.1 * std::sqrt(0.001) / 0.1 * 0.05 / (std::sqrt(0.00025) + 1);
  CHECK(after(options, {0.5})[0] == Approx(first).epsilon(1e-6));
  const double later = first - 0.1 * std::sqrt(0.001999) / 0.19 * 0.02 / (std::sqrt(0.00031225) + 1);
  CHECK(after(options, {0.5, -0.25})[0] == Approx(later).epsilon(1e-6));
}

TEST_CASE("the variants of epsilon agree when epsilon is 0", "[train][adam][property]") {
  AdamOptions options = rate(0.1, 0);
  const auto corrected = after(options, {0.5, -0.25, 0.1});
  options.epsilon_variant = EpsilonVariant::uncorrected;
  CHECK(after(options, {0.5, -0.25, 0.1})[0] == Approx(corrected[0]).epsilon(1e-6));
}

TEST_CASE("L2 enters the gradient, decoupled decay the weight", "[train][adam][unit]") {
  AdamOptions options = rate(0.1, 1);
  options.l2 = 0.5;  // gradient 0.5 + 0.5 · 1
  CHECK(after(options, {0.5})[0] == Approx(1 - 0.1 * 1 / 2.0).epsilon(1e-6));
  options.l2 = 0;
  options.decoupled_decay = 0.5;  // w · (1 − 0.1 · 0.5) first
  CHECK(after(options, {0.5})[0] == Approx(0.95 - 0.1 * 0.5 / 1.5).epsilon(1e-6));
}

TEST_CASE("biases decay with the rest unless they are left out", "[train][adam][unit]") {
  for (const bool decoupled : {false, true}) {
    AdamOptions options = rate(0.1, 1);
    (decoupled ? options.decoupled_decay : options.l2) = 0.5;
    const auto all = after(options, {0.5});
    CHECK(all[0] == all[1]);
    CHECK(all[0] == all[2]);
    options.decay_biases = false;
    const auto some = after(options, {0.5});
    CHECK(some[0] == all[0]);
    CHECK(some[1] == all[1]);
    CHECK(some[2] == Approx(1 - 0.1 * 0.5 / 1.5).epsilon(1e-6));
  }
}

TEST_CASE("gain and shift of norms decay only where asked for", "[train][adam][unit]") {
  for (const bool decoupled : {false, true}) {
    AdamOptions options = rate(0.1, 1);
    (decoupled ? options.decoupled_decay : options.l2) = 0.5;
    CHECK(after(options, {0.5})[3] == Approx(1 - 0.1 * 0.5 / 1.5).epsilon(1e-6));
    options.decay_norms = true;
    CHECK(after(options, {0.5})[3] == after(options, {0.5})[0]);
  }
}

TEST_CASE("statistics are not touched", "[train][adam][unit]") {
  AdamOptions options = rate(0.1, 1);
  options.l2 = options.decoupled_decay = 0.5;
  options.decay_norms = true;
  CHECK(after(options, {0.5, -0.25})[4] == 1);
}

TEST_CASE("the moments can be read", "[train][adam][unit]") {
  Weights weights = five(1);
  Adam adam(rate(0.1));
  adam.step(weights, five(0.5), 1);
  const Index third = weights[2].data - weights.values().data();
  CHECK(adam.first_moment()(0, third) == Approx(0.05));
  CHECK(adam.second_moment()(0, third) == Approx(0.00025));
}

TEST_CASE("a step has the same bits for any number of threads", "[train][adam][determinism]") {
  ParameterSpec spec;
  spec.shape = {100, 200};
  spec.rows = 100;
  spec.cols = 200;
  const auto random = [&](std::uint64_t seed) {
    Weights weights({spec});
    const Matrix values = test::random_matrix(100, 200, seed);
    std::copy_n(values.data(), 20000, weights.values().data());
    return weights;
  };
  const auto stepped = [&](int threads) {
    Weights weights = random(1);
    Adam adam(rate(0.1));
    for (const std::uint64_t seed : {2, 3}) adam.step(weights, random(seed), threads);
    return weights.export_values(0);
  };
  for (const int threads : {2, 3, 8}) CHECK(stepped(threads) == stepped(1));
}

TEST_CASE("another layout than in the first step is refused", "[train][adam][unit]") {
  Weights weights = five(1);
  Adam adam(rate(0.1));
  adam.step(weights, five(0.5), 1);
  Weights other({weights.spec(0)});
  CHECK_THROWS_AS(adam.step(weights, other, 1), ShapeError);
  const Weights same = other;
  CHECK_THROWS_AS(adam.step(other, same, 1), ShapeError);
}

TEST_CASE("options of Adam that are out of range are refused by name", "[train][adam][options]") {
  const auto refusal = [](const auto& change) {
    AdamOptions options;
    change(options);
    return message_of([&] { Adam{options}; });
  };
  CHECK(refusal([](AdamOptions&) {}).empty());
  CHECK(lacking(refusal([](AdamOptions& o) { o.learning_rate = 0; }), {"learning_rate"}) == "");
  CHECK(lacking(refusal([](AdamOptions& o) { o.learning_rate = INFINITY; }), {"learning_rate"}) == "");
  CHECK(lacking(refusal([](AdamOptions& o) { o.beta1 = 1; }), {"beta1"}) == "");
  CHECK(lacking(refusal([](AdamOptions& o) { o.beta2 = -0.1; }), {"beta2"}) == "");
  CHECK(lacking(refusal([](AdamOptions& o) { o.epsilon = -1; }), {"epsilon"}) == "");
  CHECK(lacking(refusal([](AdamOptions& o) { o.l2 = NAN; }), {"l2"}) == "");
  CHECK(lacking(refusal([](AdamOptions& o) { o.decoupled_decay = -1; }), {"decoupled_decay"}) == "");
  for (const char* name : {"corrected", "uncorrected"}) CHECK(name_of(epsilon_variant_named(name)) == name);
  CHECK_THROWS_AS(epsilon_variant_named("other"), UsageError);
}
