#include "gat/kernels/loss.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "catch.hpp"
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
                        const CrossEntropyOptions& options = {}, int threads = 1) {
  LossResult result{0, Matrix(logits.rows(), logits.cols())};
  const auto rows = all_rows(logits);
  result.loss = softmax_cross_entropy(logits, {rows, rows}, classes, options, result.gradient, threads);
  return result;
}

LossResult sigmoid_loss(const Matrix& logits, const Matrix& targets, const std::vector<Real>& weights = {},
                        int threads = 1) {
  LossResult result{0, Matrix(logits.rows(), logits.cols())};
  const auto rows = all_rows(logits);
  result.loss = sigmoid_cross_entropy(logits, {rows, rows}, targets, weights, result.gradient, threads);
  return result;
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
  const LossResult wrong = softmax_loss(matrix_of({{1000, -1000}}), {1});
  CHECK(wrong.loss == Approx(2000));
  CHECK(relative_difference(wrong.gradient, matrix_of({{1, -1}})) < 1e-6);
  CHECK(softmax_loss(matrix_of({{1000, -1000}}), {0}).loss == 0);
  CHECK(softmax_loss(matrix_of({{1e30, 1e30}}), {0}).loss == Approx(kLn2));
  CHECK(sigmoid_loss(matrix_of({{1e30, -1e30}}), matrix_of({{1, 0}})).loss == 0);
  const LossResult sigmoid = sigmoid_loss(matrix_of({{1e4, -1e4}}), matrix_of({{0, 1}}));
  CHECK(sigmoid.loss == Approx(1e4));
  CHECK(relative_difference(sigmoid.gradient, matrix_of({{0.5, -0.5}})) < 1e-6);
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

TEST_CASE("losses have the same bits for 1, 2, 3 and 8 threads", "[kernels][loss][determinism]") {
  const Matrix logits = test::random_matrix(3000, 7, 1);
  const Matrix targets = test::random_half_empty(3000, 7, 2);
  std::vector<NodeId> classes;
  for (NodeId i = 0; i < 3000; ++i) classes.push_back(i % 9 == 8 ? -1 : i % 7);
  const LossResult softmax = softmax_loss(logits, classes);
  const LossResult sigmoid = sigmoid_loss(logits, targets);
  for (const int threads : {2, 3, 8}) {
    CHECK(softmax_loss(logits, classes, {}, threads).loss == softmax.loss);
    CHECK(test::same_bits(softmax_loss(logits, classes, {}, threads).gradient, softmax.gradient));
    CHECK(sigmoid_loss(logits, targets, {}, threads).loss == sigmoid.loss);
    CHECK(test::same_bits(sigmoid_loss(logits, targets, {}, threads).gradient, sigmoid.gradient));
  }
}

TEST_CASE("probabilities are shifted by the row's own maximum, in place too", "[kernels][loss][unit]") {
  Matrix logits = matrix_of({{0, std::log(3.0)}, {1000, 1000}, {-1e30, 1e30}});
  softmax_rows(logits, logits);
  CHECK(relative_difference(logits, matrix_of({{0.25, 0.75}, {0.5, 0.5}, {0, 1}})) < 1e-6);
  Matrix sigmoid = matrix_of({{0, 1e30, -1e30, std::log(3.0)}});
  sigmoid_elements(sigmoid, sigmoid);
  CHECK(relative_difference(sigmoid, matrix_of({{0.5, 1, 0, 0.75}})) < 1e-6);
}
