// Kernel regression as attention pooling: queries are places, keys the places of noisy observations, values
// what was observed (Nadaraya 1964, Watson 1964). The softmax over −½ w² (q − k)² is a Gaussian kernel of
// bandwidth 1/w. A fixed w = 1 against the w that predicts each observation best from all others.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "examples/trained_layer.hpp"
#include "gat/nn/layers/attention.hpp"

namespace {

using Pooling = example::TrainedLayer<gat::AttentionLayer>;

constexpr gat::Index kPoints = 50;
constexpr double kLargest = 5, kNoise = 0.5;

double curve(double x) { return 2 * std::sin(x) + std::pow(x, 0.8); }

struct Observations {
  explicit Observations(std::uint64_t seed) : x(kPoints, 1), y(kPoints, 1) {
    const gat::RandomStream random(seed);
    const gat::RandomStream places = random.derive(0), noise = random.derive(1);
    for (gat::Index i = 0; i < kPoints; ++i) {
      const auto at = static_cast<std::uint64_t>(i);
      x(i, 0) = static_cast<gat::Real>(kLargest * places.uniform(at));
      y(i, 0) = static_cast<gat::Real>(curve(x(i, 0)) + kNoise * noise.normal(at));
    }
  }
  gat::Matrix x, y;
};

double mean_square(const gat::Matrix& a, const gat::Matrix& b) {
  double sum = 0;
  for (gat::Index i = 0; i < a.rows(); ++i) sum += std::pow(a(i, 0) - b(i, 0), 2);
  return sum / static_cast<double>(a.rows());
}

// Attention pooling without any projection; its only number is w.
Pooling make_pooling() {
  gat::AttentionLayerOptions options;
  options.score = "gaussian";
  options.in_features = options.destination_features = options.value_features = 1;
  options.num_heads = 1;
  options.head_dim = 1;
  options.query = options.key = options.value = gat::Projection::none;
  options.bias = false;
  gat::AdamOptions adam;
  adam.learning_rate = 0.05;
  return {options, adam, gat::RandomStream(0)};  // w starts at 1
}

gat::LayerInput asked_at(const gat::Matrix& places, const Observations& data) {
  gat::LayerInput input;
  input.source = data.x;
  input.destination = gat::Destinations::own(places);
  input.values = data.y;
  return input;
}

// Each observation predicted from all others: its own edge is closed.
class LeaveOneOut {
 public:
  explicit LeaveOneOut(const Observations& data)
      : data_(data), open_(kPoints * kPoints, 1), input_(asked_at(data.x, data)), predicted_(kPoints, 1) {
    for (gat::Index i = 0; i < kPoints; ++i) open_[static_cast<std::size_t>(i * kPoints + i)] = 0;
    input_.edges.mask = open_;
  }

  double error(Pooling& pooling) {
    pooling.layer.forward(pooling.context(graph_, nullptr), input_, predicted_);
    return mean_square(predicted_, data_.y);
  }

  void train(Pooling& pooling, int steps) {
    gat::Tape tape;
    gat::Matrix d_predicted(kPoints, 1);
    for (int step = 0; step < steps; ++step) {
      const gat::Context context = pooling.context(graph_, &tape);
      pooling.layer.forward(context, input_, predicted_);
      for (gat::Index i = 0; i < kPoints; ++i)
        d_predicted(i, 0) = 2 * (predicted_(i, 0) - data_.y(i, 0)) / static_cast<gat::Real>(kPoints);
      pooling.layer.backward(context, input_, predicted_, d_predicted, {}, pooling.gradients);
      pooling.step();
    }
  }

 private:
  const Observations& data_;
  const gat::GraphView graph_ = gat::GraphView::complete(kPoints, kPoints, true);
  std::vector<std::uint8_t> open_;  // by edge id: destination · kPoints + source
  gat::LayerInput input_;
  gat::Matrix predicted_;
};

// The curve at places that nobody looked at, and how much the nearest observations count there.
struct Fit {
  Fit(Pooling& pooling, const Observations& data)
      : places(kPoints, 1), truth(kPoints, 1), fitted(kPoints, 1), weights(kPoints * kPoints, 1) {
    for (gat::Index i = 0; i < kPoints; ++i) {
      places(i, 0) = static_cast<gat::Real>(kLargest * static_cast<double>(i) / kPoints);
      truth(i, 0) = static_cast<gat::Real>(curve(places(i, 0)));
    }
    const gat::GraphView graph = gat::GraphView::complete(kPoints, kPoints, true);
    const gat::AttentionSink sink{.attention = weights};
    pooling.layer.forward(pooling.context(graph, nullptr, {}, 0, &sink), asked_at(places, data), fitted);
  }
  double error() const { return mean_square(fitted, truth); }
  double largest_weight(gat::Index place) const {
    double largest = 0;
    for (gat::Index j = 0; j < kPoints; ++j) largest = std::fmax(largest, weights(place * kPoints + j, 0));
    return largest;
  }

  gat::Matrix places, truth, fitted, weights;
};

void print_table(const Fit& fixed, const Fit& learned) {
  std::printf("     x    true   fixed  largest weight   learned  largest weight\n");
  for (gat::Index i = 0; i < kPoints; i += 5) {
    std::printf("%6.2f  %6.2f  %6.2f  %14.3f  %8.2f  %14.3f\n", fixed.places(i, 0), fixed.truth(i, 0),
                fixed.fitted(i, 0), fixed.largest_weight(i), learned.fitted(i, 0), learned.largest_weight(i));
  }
}

struct Errors {
  double left_out = 0, curve = 0;
};

// The errors of the learned kernel by those of the fixed one on one sample.
Errors compare(std::uint64_t seed) {
  const Observations data(seed);
  LeaveOneOut left_out(data);
  Pooling pooling = make_pooling();
  const Fit fixed_fit(pooling, data);
  const Errors fixed{left_out.error(pooling), fixed_fit.error()};
  left_out.train(pooling, 300);
  const Fit learned_fit(pooling, data);
  const Errors learned{left_out.error(pooling), learned_fit.error()};
  if (seed == 0) {
    print_table(fixed_fit, learned_fit);
    std::printf("\nmean square errors      leave-one-out             curve without noise\n");
    std::printf("seed  bandwidth         fixed  learned  ratio    fixed  learned  ratio\n");
  }
  const double bandwidth = 1 / std::fabs(pooling.weights.export_values(pooling.weights.find("score.w"))[0]);
  std::printf("%4d  1.000 -> %.3f   %6.3f   %6.3f   %.2f   %6.3f   %6.3f   %.2f\n", static_cast<int>(seed),
              bandwidth, fixed.left_out, learned.left_out, learned.left_out / fixed.left_out, fixed.curve,
              learned.curve, learned.curve / fixed.curve);
  return {learned.left_out / fixed.left_out, learned.curve / fixed.curve};
}

}  // namespace

int main() {
  Errors largest;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Errors ratio = compare(seed);
    largest.left_out = std::fmax(largest.left_out, ratio.left_out);
    largest.curve = std::fmax(largest.curve, ratio.curve);
  }
  const bool holds = largest.left_out <= 0.7 && largest.curve <= 0.5;
  std::printf("\nlargest ratios: %.2f leave-one-out (at most 0.70), %.2f on the curve (at most 0.50): %s\n",
              largest.left_out, largest.curve, holds ? "as expected" : "NOT as expected");
  return holds ? 0 : 1;
}
