// Kinds 23 and 25: ROC-AUC and expected calibration error.
#include <cmath>

#include "gat/kernels/loss.hpp"
#include "gat/train/metrics.hpp"
#include "gat/train/probability_metrics.hpp"
#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kRankingGiven[] = {"defined", "y_true", "score"};
constexpr std::string_view kCalibrationGiven[] = {"bins", "logits", "y_true", "confidence", "correct"};

void run_ranking(GoldenCase& c) {
  const std::vector<std::int64_t> truth = c.integers("y_true");
  const std::vector<gat::NodeId> classes(truth.begin(), truth.end());
  const double auc = gat::roc_auc(classes, widened(c.reals("score")));
  if (std::isnan(auc) == c.flag("defined")) c.fail("option defined: does not say whether there is a ROC-AUC");
  c.compare("auc", auc);
}

// Confidences and right ones as the file has them, from the library's softmax and argmax.
gat::Calibration from_logits(GoldenCase& c, int bins) {
  const gat::Matrix logits = c.matrix("logits");
  const std::vector<std::int64_t> truth = c.integers("y_true");
  const std::vector<gat::NodeId> classes(truth.begin(), truth.end()), predicted = gat::argmax_rows(logits);
  gat::Matrix probabilities(logits.rows(), logits.cols());
  gat::softmax_rows(logits, probabilities);
  std::vector<double> confidence;
  std::vector<std::int64_t> correct;
  for (gat::Index i = 0; i < logits.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    confidence.push_back(static_cast<double>(probabilities(i, predicted[at])));
    correct.push_back(predicted[at] == classes[at] ? 1 : 0);
  }
  c.compare("confidence", confidence, {logits.rows()});
  c.compare_integers("correct", correct, {logits.rows()});
  return gat::calibration(classes, logits, bins);
}

void run_calibration(GoldenCase& c) {
  const auto bins = static_cast<int>(c.integer("bins"));
  gat::Calibration result;
  if (c.has("logits")) {
    result = from_logits(c, bins);
  } else {
    const std::vector<std::int64_t> correct = c.integers("correct");
    result = gat::calibration(widened(c.reals("confidence")),
                              std::vector<std::uint8_t>(correct.begin(), correct.end()), bins);
  }
  c.compare("ece", result.error);
  c.compare_integers("bin_count", result.bin_count, {bins});
  c.compare("bin_accuracy", result.bin_accuracy, {bins});
  c.compare("bin_confidence", result.bin_confidence, {bins});
}

}  // namespace

const Family kRankingFamily{23, "ROC-AUC", kRankingGiven, always_supported, run_ranking};
const Family kCalibrationFamily{25, "calibration", kCalibrationGiven, always_supported, run_calibration};

}  // namespace golden
