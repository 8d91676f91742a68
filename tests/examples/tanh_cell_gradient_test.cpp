// The backward of the examples' recurrent cell against central differences, in double.
#include "examples/tanh_cell.hpp"

#include <cmath>

#include "catch.hpp"
#include "nn/random_weights.hpp"
#include "numbers.hpp"

using namespace gat;

namespace {

constexpr Index kSteps = 4, kBatch = 3, kIn = 2, kHidden = 3;
constexpr double kStep = 6e-6, kBound = 1e-7;

// The loss is Σ states ⊙ upstream over all steps, as if each were read by an attention layer.
class CellRun {
 public:
  CellRun() : cell_(kSteps, kBatch, kIn, kHidden, {}, RandomStream(1)) {
    test::randomize(weights(), RandomStream(2));
    const Matrix x = test::random_matrix(kSteps * kBatch, kIn, 3);
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index c = 0; c < kIn; ++c) cell_.inputs()(i, c) = x(i, c);
    }
  }

  Weights& weights() { return cell_.map().weights; }
  double loss() {
    for (Index t = 0; t < kSteps; ++t) cell_.forward(t);
    double sum = 0;
    for (Index k = 0; k < upstream_.size(); ++k) sum += upstream_.data()[k] * cell_.states().data[k];
    return sum;
  }
  const Weights& gradients() {
    loss();
    for (Index k = 0; k < upstream_.size(); ++k) cell_.d_states().data[k] = upstream_.data()[k];
    for (Index t = kSteps - 1; t >= 0; --t) cell_.backward(t);
    return cell_.map().gradients;
  }

 private:
  example::TanhCell cell_;
  Matrix upstream_ = test::random_matrix(kSteps * kBatch, kHidden, 4);
};

}  // namespace

TEST_CASE("the gradients of a recurrent cell over several steps are those of central differences",
          "[examples][gradient]") {
  CellRun run;
  const Weights gradients = run.gradients();
  double error = 0, norm = 0;
  for (Index k = 0; k < gradients.num_values(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    Real& weight = run.weights().values()[at];
    const Real value = weight;
    weight = value + kStep;
    const double above = run.loss();
    weight = value - kStep;
    const double numeric = (above - run.loss()) / (2 * kStep);
    weight = value;
    error += std::pow(numeric - gradients.values()[at], 2);
    norm += numeric * numeric;
  }
  REQUIRE(norm > 1);
  REQUIRE(std::sqrt(error / norm) < kBound);
}
