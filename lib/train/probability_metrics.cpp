#include "gat/train/probability_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void require_same(std::size_t truths, std::size_t others, const char* what) {
  if (truths == others) return;
  throw ShapeError("metrics: " + std::to_string(truths) + " truths and " + std::to_string(others) + " " +
                   what + "; both need one per node");
}

// The largest softmax probability of a row.
double confidence_of(const Real* row, Index cols) {
  const auto largest = static_cast<double>(*std::max_element(row, row + cols));
  double sum = 0;
  for (Index c = 0; c < cols; ++c) sum += std::exp(static_cast<double>(row[c]) - largest);
  return 1 / sum;
}

}  // namespace

double roc_auc(std::span<const NodeId> truth, std::span<const double> scores) {
  require_same(truth.size(), scores.size(), "scores");
  std::vector<std::pair<double, bool>> ranked;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    if (truth[k] > 1) throw UsageError("ROC-AUC: class " + std::to_string(truth[k]) + " is neither 0 nor 1");
    if (truth[k] < 0) continue;
    if (std::isnan(scores[k])) return kUndefined;
    ranked.emplace_back(scores[k], truth[k] == 1);
  }
  std::sort(ranked.begin(), ranked.end());
  // Twice the number of won pairs, a whole number.
  double twice_won = 0;
  double negatives = 0, positives = 0;
  for (std::size_t first = 0; first < ranked.size();) {
    double tied[2] = {0, 0};
    std::size_t last = first;
    for (; last < ranked.size() && ranked[last].first == ranked[first].first; ++last)
      ++tied[ranked[last].second];
    twice_won += tied[1] * (2 * negatives + tied[0]);
    negatives += tied[0];
    positives += tied[1];
    first = last;
  }
  if (negatives == 0 || positives == 0) return kUndefined;
  return twice_won / (2 * negatives * positives);
}

double roc_auc(std::span<const NodeId> truth, ConstMatrixView logits) {
  if (logits.cols != 2) {
    throw ShapeError("ROC-AUC: logits of " + std::to_string(logits.cols) +
                     " classes; it is defined for two, rank one class against the rest for more");
  }
  std::vector<double> scores(static_cast<std::size_t>(logits.rows));
  for (Index i = 0; i < logits.rows; ++i) {
    scores[static_cast<std::size_t>(i)] =
        static_cast<double>(logits(i, 1)) - static_cast<double>(logits(i, 0));
  }
  return roc_auc(truth, scores);
}

Calibration calibration(std::span<const double> confidence, std::span<const std::uint8_t> correct, int bins) {
  require_same(correct.size(), confidence.size(), "confidences");
  if (bins < 1) throw UsageError("calibration: " + std::to_string(bins) + " bins; at least 1 is needed");
  const auto count = static_cast<std::size_t>(bins);
  Calibration result{0, std::vector<std::int64_t>(count, 0), std::vector<double>(count, 0),
                     std::vector<double>(count, 0)};
  for (std::size_t k = 0; k < confidence.size(); ++k) {
    if (!(confidence[k] >= 0 && confidence[k] <= 1)) {
      throw UsageError("calibration: a confidence of " + std::to_string(confidence[k]) +
                       "; probabilities lie in [0, 1]");
    }
    const auto bin = static_cast<std::size_t>(std::max(std::ceil(confidence[k] * bins) - 1, 0.0));
    ++result.bin_count[bin];
    result.bin_accuracy[bin] += correct[k] != 0;
    result.bin_confidence[bin] += confidence[k];
  }
  if (confidence.empty()) result.error = kUndefined;
  for (std::size_t b = 0; b < count; ++b) {
    if (result.bin_count[b] == 0) continue;
    const auto nodes = static_cast<double>(result.bin_count[b]);
    result.bin_accuracy[b] /= nodes;
    result.bin_confidence[b] /= nodes;
    result.error += nodes / static_cast<double>(confidence.size()) *
                    std::abs(result.bin_accuracy[b] - result.bin_confidence[b]);
  }
  return result;
}

Calibration calibration(std::span<const NodeId> truth, ConstMatrixView logits, int bins) {
  require_same(truth.size(), static_cast<std::size_t>(logits.rows), "rows of logits");
  std::vector<double> confidence;
  std::vector<std::uint8_t> correct;
  for (Index i = 0; i < logits.rows; ++i) {
    const NodeId label = truth[static_cast<std::size_t>(i)];
    if (label < 0) continue;
    const Real* const row = logits.row(i);
    confidence.push_back(confidence_of(row, logits.cols));
    // Logits that left the finite range have no probabilities.
    if (std::isnan(confidence.back())) return {kUndefined, {}, {}, {}};
    correct.push_back(std::max_element(row, row + logits.cols) - row == label ? 1 : 0);
  }
  return calibration(confidence, correct, bins);
}

}  // namespace gat::inline GAT_PRECISION
