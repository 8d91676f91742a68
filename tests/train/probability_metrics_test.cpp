#include "gat/train/probability_metrics.hpp"

#include <cmath>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;

namespace {

using Classes = std::vector<NodeId>;
using Scores = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

// The definition: every pair of a positive and a negative.
double by_pairs(const Classes& truth, const Scores& scores) {
  double won = 0, pairs = 0;
  for (std::size_t p = 0; p < truth.size(); ++p) {
    for (std::size_t n = 0; n < truth.size(); ++n) {
      if (truth[p] != 1 || truth[n] != 0) continue;
      ++pairs;
      won += scores[p] > scores[n] ? 1 : scores[p] == scores[n] ? 0.5 : 0;
    }
  }
  return won / pairs;
}

}  // namespace

TEST_CASE("ROC-AUC is the share of pairs in the right order", "[train][metrics][unit]") {
  CHECK(roc_auc(Classes{0, 0, 1, 1}, Scores{0.1, 0.4, 0.35, 0.8}) == 0.75);
  CHECK(roc_auc(Classes{0, 1}, Scores{-1e30, 1e30}) == 1);
  CHECK(roc_auc(Classes{1, 0}, Scores{0, 1}) == 0);
}

TEST_CASE("a tie counts one half", "[train][metrics][unit]") {
  CHECK(roc_auc(Classes{0, 1, 1}, Scores{2, 2, 2}) == 0.5);
  CHECK(roc_auc(Classes{0, 1, 0, 1}, Scores{1, 1, 0, 2}) == 0.875);
}

TEST_CASE("ROC-AUC agrees with counting every pair", "[train][metrics][reference]") {
  const RandomStream stream(3);
  Classes truth;
  Scores scores;
  for (std::uint64_t k = 0; k < 200; ++k) {
    truth.push_back(static_cast<NodeId>(stream.below(k, 2)));
    // Many ties.
    scores.push_back(static_cast<double>(stream.below(k + 1000, 20)));
  }
  CHECK(roc_auc(truth, scores) == Approx(by_pairs(truth, scores)).epsilon(1e-12));
}

TEST_CASE("without one of the classes there is no ROC-AUC", "[train][metrics][unit]") {
  CHECK(std::isnan(roc_auc(Classes{1, 1}, Scores{0, 1})));
  CHECK(std::isnan(roc_auc(Classes{0, -1}, Scores{0, 1})));
  CHECK(std::isnan(roc_auc(Classes{}, Scores{})));
  CHECK(std::isnan(roc_auc(Classes{0, 1}, Scores{0, NAN})));
  CHECK(roc_auc(Classes{0, -1, 1}, Scores{0, 5, 1}) == 1);
  CHECK_THROWS_AS(roc_auc(Classes{0, 2}, Scores{0, 1}), UsageError);
  CHECK_THROWS_AS(roc_auc(Classes{0, 1}, Scores{0}), ShapeError);
}

TEST_CASE("logits are ranked even where probabilities would round to ties", "[train][metrics][unit]") {
  // Both probabilities of class 1 are 1 in float.
  const Matrix logits = matrix_of({{0, 40}, {0, 50}, {3, 1}});
  CHECK(roc_auc(Classes{0, 1, 0}, logits) == 1);
  CHECK(roc_auc(Classes{1, 0, 0}, logits) == 0.5);
  CHECK_THROWS_AS(roc_auc(Classes{0, 1}, matrix_of({{0, 1, 2}, {1, 2, 3}})), ShapeError);
}

TEST_CASE("the calibration error weighs the bins by their nodes", "[train][metrics][unit]") {
  // Of two bins the first is open at 0 and closed at ½.
  const Calibration two = calibration(Scores{0.5, 0.25, 0.75, 1}, Flags{1, 0, 1, 1}, 2);
  CHECK(two.bin_count == std::vector<std::int64_t>{2, 2});
  CHECK(two.bin_accuracy == Scores{0.5, 1});
  CHECK(two.bin_confidence == Scores{0.375, 0.875});
  CHECK(two.error == Approx(0.125));
  const Calibration sure = calibration(Scores{1, 1, 0}, Flags{1, 0, 0});
  CHECK(sure.bin_count.front() == 1);
  CHECK(sure.bin_count.back() == 2);
  CHECK(sure.error == Approx(2.0 / 3 * 0.5));
}

TEST_CASE("confidences of logits are their largest softmax probabilities", "[train][metrics][unit]") {
  // Confidences of 0.8 and 0.6, the second one wrong.
  const Matrix logits = matrix_of({{std::log(4.0), 0}, {0, std::log(1.5)}, {100, 100}});
  const Calibration result = calibration(Classes{0, 0, -1}, logits, 4);
  CHECK(result.bin_count == std::vector<std::int64_t>{0, 0, 1, 1});
  CHECK(result.error == Approx(0.5 * 0.2 + 0.5 * 0.6).epsilon(1e-5));
  CHECK(std::isnan(calibration(Classes{-1, -1, -1}, logits).error));
  CHECK(std::isnan(calibration(Classes{0}, matrix_of({{NAN, 0}})).error));
}

TEST_CASE("what cannot be calibrated is refused", "[train][metrics][unit]") {
  CHECK_THROWS_AS(calibration(Scores{0.5}, Flags{1, 0}), ShapeError);
  CHECK_THROWS_AS(calibration(Scores{1.5}, Flags{1}), UsageError);
  CHECK_THROWS_AS(calibration(Scores{NAN}, Flags{1}), UsageError);
  CHECK_THROWS_AS(calibration(Scores{0.5}, Flags{1}, 0), UsageError);
}
