#include "gat/kernels/loss.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::relative_difference;

namespace {

const double kLn2 = std::log(2.0);
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct LossResult {
  double loss;
  Matrix gradient;
};

std::vector<NodeId> all_rows(const Matrix& logits) {
  std::vector<NodeId> rows(static_cast<std::size_t>(logits.rows()));
  std::iota(rows.begin(), rows.end(), NodeId(0));
  return rows;
}

LossResult softmax_loss(const Matrix& logits, const std::vector<NodeId>& classes,
                        const CrossEntropyOptions& options = {}, const Execution& execution = 1) {
  LossResult result{0, Matrix(logits.rows(), logits.cols())};
  const auto rows = all_rows(logits);
  result.loss = softmax_cross_entropy(logits, {rows, rows}, classes, options, result.gradient, execution);
  return result;
}

LossResult sigmoid_loss(const Matrix& logits, const Matrix& targets, const std::vector<Real>& weights = {},
                        const Execution& execution = 1) {
  LossResult result{0, Matrix(logits.rows(), logits.cols())};
  const auto rows = all_rows(logits);
  result.loss = sigmoid_cross_entropy(logits, {rows, rows}, targets, weights, result.gradient, execution);
  return result;
}

double number(Real x) { return static_cast<double>(x); }
Matrix wide_matrix(Index rows, Index cols) {
  Matrix x = test::random_matrix(rows, cols, 1);
  for (Index k = 0; k < x.size(); ++k) x.data()[k] *= 6;
  return x;
}
std::vector<Real> positive_numbers(Index count) {
  std::vector<Real> numbers;
  for (Index k = 0; k < count; ++k) numbers.push_back(static_cast<Real>(1 + k % 3));
  return numbers;
}

// log Σ_c exp z_ic
double naive_log_sum(const Matrix& logits, Index i) {
  double sum = 0;
  for (Index c = 0; c < logits.cols(); ++c) sum += std::exp(number(logits(i, c)));
  return std::log(sum);
}
// The formula of the header, term by term.
LossResult naive_softmax_loss(const Matrix& logits, const std::vector<NodeId>& classes,
                              const CrossEntropyOptions& options) {
  const Index num_classes = logits.cols();
  const auto weight = [&](Index c) {
    return options.class_weights.empty() ? 1 : number(options.class_weights[static_cast<std::size_t>(c)]);
  };
  double total_weight = 0;
  for (const NodeId y : classes) total_weight += y < 0 ? 0 : weight(y);
  LossResult r{0, Matrix(logits.rows(), num_classes)};
  for (Index i = 0; i < logits.rows(); ++i) {
    const NodeId y = classes[static_cast<std::size_t>(i)];
    if (y < 0) continue;
    const double total = naive_log_sum(logits, i);
    std::vector<double> share;  // what each −log p counts
    double shares = 0;
    for (Index c = 0; c < num_classes; ++c) {
      const double smooth = options.label_smoothing / static_cast<double>(num_classes) * weight(c);
      share.push_back(((c == y ? (1 - options.label_smoothing) * weight(y) : 0) + smooth) / total_weight);
      shares += share.back();
      r.loss += share.back() * (total - number(logits(i, c)));
    }
    for (Index c = 0; c < num_classes; ++c) {
      const double p = std::exp(number(logits(i, c)) - total);
      r.gradient(i, c) = static_cast<Real>(shares * p - share[static_cast<std::size_t>(c)]);
    }
  }
  return r;
}
LossResult naive_sigmoid_loss(const Matrix& logits, const Matrix& targets, const std::vector<Real>& weights) {
  LossResult r{0, Matrix(logits.rows(), logits.cols())};
  double count = 0;
  for (Index k = 0; k < targets.size(); ++k) count += std::isnan(targets.data()[k]) ? 0 : 1;
  for (Index i = 0; i < logits.rows(); ++i) {
    for (Index c = 0; c < logits.cols(); ++c) {
      const double y = number(targets(i, c)), z = number(logits(i, c));
      if (std::isnan(y)) continue;
      const double w = weights.empty() ? 1 : number(weights[static_cast<std::size_t>(c)]);
      r.loss += (w * y * std::log1p(std::exp(-z)) + (1 - y) * std::log1p(std::exp(z))) / count;
      r.gradient(i, c) =
          static_cast<Real>((-w * y / (1 + std::exp(z)) + (1 - y) / (1 + std::exp(-z))) / count);
    }
  }
  return r;
}

}  // namespace

TEST_CASE("cross-entropy of equal logits is the logarithm of the number of classes",
          "[kernels][loss][unit]") {
  const LossResult result = softmax_loss(Matrix(1, 4), {2});
  CHECK(result.loss == Approx(std::log(4.0)));
  CHECK(relative_difference(result.gradient, matrix_of({{0.25, 0.25, -0.75, 0.25}})) < 1e-6);
}

TEST_CASE("cross-entropy is the mean over the labelled rows", "[kernels][loss][unit]") {
  // Probabilities ¼ and ¾ in each row.
  const Matrix logits = matrix_of({{0, std::log(3.0)}, {0, std::log(3.0)}, {5, -5}});
  const LossResult result = softmax_loss(logits, {1, 0, -1});
  CHECK(result.loss == Approx((-std::log(0.75) - std::log(0.25)) / 2));
  CHECK(relative_difference(result.gradient, matrix_of({{0.125, -0.125}, {-0.375, 0.375}, {0, 0}})) < 1e-6);
}

TEST_CASE("without any label the loss is 0", "[kernels][loss][unit]") {
  CHECK(softmax_loss(Matrix(2, 3), {-1, -1}).loss == 0);
  CHECK(softmax_loss(Matrix(0, 3), {}).loss == 0);
  CHECK(sigmoid_loss(Matrix(1, 2), matrix_of({{kNaN, kNaN}})).loss == 0);
}

TEST_CASE("class weights count rows by the weight of their class", "[kernels][loss][unit]") {
  const std::vector<Real> weights{1, 3};
  const LossResult result =
      softmax_loss(matrix_of({{0, std::log(3.0)}, {0, std::log(3.0)}}), {1, 0}, {weights, 0});
  CHECK(result.loss == Approx((-3 * std::log(0.75) - std::log(0.25)) / 4));
  CHECK(relative_difference(result.gradient, matrix_of({{0.1875, -0.1875}, {-0.1875, 0.1875}})) < 1e-6);
}

TEST_CASE("label smoothing spreads its share over all classes", "[kernels][loss][unit]") {
  const LossResult result = softmax_loss(matrix_of({{0, std::log(3.0)}}), {1}, {{}, 0.2});
  CHECK(result.loss == Approx(-0.9 * std::log(0.75) - 0.1 * std::log(0.25)));
  CHECK(relative_difference(result.gradient, matrix_of({{0.15, -0.15}})) < 1e-6);
}

TEST_CASE("rows of logits and of labels may have numbers of their own", "[kernels][loss][unit]") {
  const Matrix logits = matrix_of({{7, 7}, {0, std::log(3.0)}});
  Matrix gradient(2, 2);
  const std::vector<NodeId> classes{0, 0, 0, 1};
  const std::vector<NodeId> logit_rows{1};
  const std::vector<NodeId> target_rows{3};
  CHECK(softmax_cross_entropy(logits, {logit_rows, target_rows}, classes, {}, gradient, 1) ==
        Approx(-std::log(0.75)));
  CHECK(relative_difference(gradient, matrix_of({{0, 0}, {0.25, -0.25}})) < 1e-6);
  Matrix targets(4, 2);
  targets(3, 0) = 1;
  CHECK(sigmoid_cross_entropy(logits, {logit_rows, target_rows}, targets, {}, {}, 1) ==
        Approx((kLn2 + std::log(4.0)) / 2));
}

TEST_CASE("the gradient of a loss is added", "[kernels][loss][unit]") {
  const Matrix logits(1, 2);
  const std::vector<NodeId> rows{0};
  const std::vector<NodeId> classes{1};
  Matrix gradient = matrix_of({{1, 1}});
  softmax_cross_entropy(logits, {rows, rows}, classes, {}, gradient, 1);
  CHECK(relative_difference(gradient, matrix_of({{1.5, 0.5}})) < 1e-6);
}

TEST_CASE("losses of extreme logits are finite and right", "[kernels][loss][extreme]") {
  test::at_every_level([](SimdLevel level) {
    const Execution e(1, level);
    const LossResult wrong = softmax_loss(matrix_of({{1000, -1000}}), {1}, {}, e);
    CHECK(wrong.loss == Approx(2000));
    CHECK(relative_difference(wrong.gradient, matrix_of({{1, -1}})) < 1e-6);
    CHECK(softmax_loss(matrix_of({{1000, -1000}}), {0}, {}, e).loss == 0);
    CHECK(softmax_loss(matrix_of({{1e30, 1e30}}), {0}, {}, e).loss == Approx(kLn2));
    CHECK(sigmoid_loss(matrix_of({{1e30, -1e30}}), matrix_of({{1, 0}}), {}, e).loss == 0);
    const LossResult sigmoid = sigmoid_loss(matrix_of({{1e4, -1e4}}), matrix_of({{0, 1}}), {}, e);
    CHECK(sigmoid.loss == Approx(1e4));
    CHECK(relative_difference(sigmoid.gradient, matrix_of({{0.5, -0.5}})) < 1e-6);
  });
}

TEST_CASE("sigmoid cross-entropy takes soft targets", "[kernels][loss][unit]") {
  // log(1 + e²) − 0.3 · 2
  const LossResult result = sigmoid_loss(matrix_of({{2}}), matrix_of({{0.3}}));
  CHECK(result.loss == Approx(std::log1p(std::exp(2.0)) - 0.6));
  CHECK(relative_difference(result.gradient, matrix_of({{1 / (1 + std::exp(-2.0)) - 0.3}})) < 1e-6);
}

TEST_CASE("positive weights count the positive part alone", "[kernels][loss][unit]") {
  const LossResult result = sigmoid_loss(Matrix(1, 2), matrix_of({{1, 0}}), {3, 5});
  CHECK(result.loss == Approx((3 * kLn2 + kLn2) / 2));
  CHECK(relative_difference(result.gradient, matrix_of({{-0.75, 0.25}})) < 1e-6);
}

TEST_CASE("missing targets count neither in the loss nor in the gradient", "[kernels][loss][unit]") {
  const LossResult result = sigmoid_loss(matrix_of({{0, 9}, {0, 0}}), matrix_of({{1, kNaN}, {0, kNaN}}));
  CHECK(result.loss == Approx(kLn2));
  CHECK(relative_difference(result.gradient, matrix_of({{-0.25, 0}, {0.25, 0}})) < 1e-6);
}

TEST_CASE("cross-entropy agrees with plain loops at every number of classes", "[kernels][loss][reference]") {
  for (const Index classes : {2, 7, 15, 16, 17, 40}) {
    const Matrix logits = wide_matrix(50, classes);
    std::vector<NodeId> truth;
    for (NodeId i = 0; i < 50; ++i) truth.push_back(i % 6 == 5 ? -1 : static_cast<NodeId>(i % classes));
    const std::vector<Real> weights = positive_numbers(classes);
    for (const CrossEntropyOptions& options :
         {CrossEntropyOptions{}, CrossEntropyOptions{weights, 0}, CrossEntropyOptions{weights, 0.2}}) {
      const LossResult expected = naive_softmax_loss(logits, truth, options);
      test::at_every_level([&](SimdLevel level) {
        INFO(classes << " classes");
        const LossResult result = softmax_loss(logits, truth, options, {1, level});
        CHECK(result.loss == Approx(expected.loss).epsilon(1e-5).margin(1e-6));
        CHECK(relative_difference(result.gradient, expected.gradient) < 1e-5);
      });
    }
  }
}

TEST_CASE("sigmoid cross-entropy agrees with plain loops at every number of classes",
          "[kernels][loss][reference]") {
  for (const Index classes : {1, 2, 7, 15, 16, 17, 40}) {
    const Matrix logits = wide_matrix(50, classes);
    Matrix targets = test::random_half_empty(50, classes, 2);
    for (Index k = 0; k < targets.size(); k += 5) targets.data()[k] = static_cast<Real>(kNaN);
    for (const std::vector<Real>& weights : {std::vector<Real>{}, positive_numbers(classes)}) {
      const LossResult expected = naive_sigmoid_loss(logits, targets, weights);
      test::at_every_level([&](SimdLevel level) {
        INFO(classes << " classes");
        const LossResult result = sigmoid_loss(logits, targets, weights, {1, level});
        CHECK(result.loss == Approx(expected.loss).epsilon(1e-5));
        CHECK(relative_difference(result.gradient, expected.gradient) < 1e-5);
      });
    }
  }
}

TEST_CASE("losses have the same bits for 1, 2, 3 and 8 threads", "[kernels][loss][determinism]") {
  const Matrix logits = test::random_matrix(3000, 7, 1);
  const Matrix targets = test::random_half_empty(3000, 7, 2);
  std::vector<NodeId> classes;
  for (NodeId i = 0; i < 3000; ++i) classes.push_back(i % 9 == 8 ? -1 : i % 7);
  test::at_every_level([&](SimdLevel level) {
    const LossResult softmax = softmax_loss(logits, classes, {}, {1, level});
    const LossResult sigmoid = sigmoid_loss(logits, targets, {}, {1, level});
    for (const int threads : {2, 3, 8}) {
      const Execution execution(threads, level);
      CHECK(softmax_loss(logits, classes, {}, execution).loss == softmax.loss);
      CHECK(test::same_bits(softmax_loss(logits, classes, {}, execution).gradient, softmax.gradient));
      CHECK(sigmoid_loss(logits, targets, {}, execution).loss == sigmoid.loss);
      CHECK(test::same_bits(sigmoid_loss(logits, targets, {}, execution).gradient, sigmoid.gradient));
    }
  });
}

TEST_CASE("probabilities agree with plain loops and have the same bits for any number of threads",
          "[kernels][loss][reference]") {
  for (const Index classes : {1, 2, 7, 15, 16, 17, 40}) {
    const Matrix logits = wide_matrix(700, classes);
    Matrix softmax(700, classes), sigmoid(700, classes);
    for (Index i = 0; i < 700; ++i) {
      const double total = naive_log_sum(logits, i);
      for (Index c = 0; c < classes; ++c) {
        softmax(i, c) = static_cast<Real>(std::exp(number(logits(i, c)) - total));
        sigmoid(i, c) = static_cast<Real>(1 / (1 + std::exp(-number(logits(i, c)))));
      }
    }
    test::at_every_level([&](SimdLevel level) {
      INFO(classes << " classes");
      Matrix shares(700, classes), chances(700, classes);
      softmax_rows(logits, shares, {1, level});
      sigmoid_elements(logits, chances, {1, level});
      CHECK(relative_difference(shares, softmax) < 1e-5);
      CHECK(relative_difference(chances, sigmoid) < 1e-5);
      for (const int threads : {2, 3, 8}) {
        Matrix in_place = logits;
        softmax_rows(in_place, in_place, {threads, level});
        CHECK(test::same_bits(in_place, shares));
        in_place = logits;
        sigmoid_elements(in_place, in_place, {threads, level});
        CHECK(test::same_bits(in_place, chances));
      }
    });
  }
}

TEST_CASE("probabilities are shifted by the row's own maximum, in place too", "[kernels][loss][unit]") {
  test::at_every_level([](SimdLevel level) {
    Matrix logits = matrix_of({{0, std::log(3.0)}, {1000, 1000}, {-1e30, 1e30}});
    softmax_rows(logits, logits, {1, level});
    CHECK(relative_difference(logits, matrix_of({{0.25, 0.75}, {0.5, 0.5}, {0, 1}})) < 1e-6);
    Matrix sigmoid = matrix_of({{0, 1e30, -1e30, std::log(3.0)}});
    sigmoid_elements(sigmoid, sigmoid, {1, level});
    CHECK(relative_difference(sigmoid, matrix_of({{0.5, 1, 0, 0.75}})) < 1e-6);
  });
}
