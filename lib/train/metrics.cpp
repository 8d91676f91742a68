#include "gat/train/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

double ratio(double numerator, double denominator) { return denominator == 0 ? 0 : numerator / denominator; }

// Counts of one class against the rest.
struct Counts {
  Index true_positive = 0, false_positive = 0, false_negative = 0;

  Index denominator() const { return 2 * true_positive + false_positive + false_negative; }
  double f1() const {
    return ratio(2.0 * static_cast<double>(true_positive), static_cast<double>(denominator()));
  }
};

// Everything that follows from the counts of all classes.
void summarize(const std::vector<Counts>& counts, Metrics& metrics) {
  Counts pooled;
  Index present = 0;
  double support_sum = 0;
  for (const Counts& c : counts) {
    ClassScore score;
    score.support = c.true_positive + c.false_negative;
    score.precision =
        ratio(static_cast<double>(c.true_positive), static_cast<double>(c.true_positive + c.false_positive));
    score.recall = ratio(static_cast<double>(c.true_positive), static_cast<double>(score.support));
    score.f1 = c.f1();
    metrics.classes.push_back(score);
    metrics.macro_f1 += score.f1;
    metrics.weighted_f1 += score.f1 * static_cast<double>(score.support);
    support_sum += static_cast<double>(score.support);
    present += c.denominator() > 0;
    pooled.true_positive += c.true_positive;
    pooled.false_positive += c.false_positive;
    pooled.false_negative += c.false_negative;
  }
  metrics.macro_f1_present = ratio(metrics.macro_f1, static_cast<double>(present));
  metrics.macro_f1 = ratio(metrics.macro_f1, static_cast<double>(counts.size()));
  metrics.weighted_f1 = ratio(metrics.weighted_f1, support_sum);
  metrics.micro_f1 = pooled.f1();
  metrics.num_undefined = static_cast<Index>(counts.size()) - present;
}

}  // namespace

std::vector<NodeId> argmax_rows(ConstMatrixView logits) {
  std::vector<NodeId> best(static_cast<std::size_t>(logits.rows), 0);
  for (Index i = 0; i < logits.rows; ++i) {
    const Real* row = logits.row(i);
    best[static_cast<std::size_t>(i)] = static_cast<NodeId>(std::max_element(row, row + logits.cols) - row);
  }
  return best;
}

Metrics classification_metrics(std::span<const NodeId> truth, std::span<const NodeId> predicted,
                               Index num_classes) {
  if (truth.size() != predicted.size()) {
    throw ShapeError("metrics: " + std::to_string(truth.size()) + " true and " +
                     std::to_string(predicted.size()) + " predicted classes; both need one per node");
  }
  Metrics metrics;
  metrics.confusion.assign(static_cast<std::size_t>(num_classes * num_classes), 0);
  Index right = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    if (truth[k] < 0) continue;
    if (truth[k] >= num_classes || predicted[k] < 0 || predicted[k] >= num_classes) {
      throw UsageError("metrics: a class is outside 0.." + std::to_string(num_classes - 1));
    }
    ++metrics.count;
    right += truth[k] == predicted[k];
    ++metrics.confusion[static_cast<std::size_t>(truth[k] * num_classes + predicted[k])];
  }
  std::vector<Counts> counts(static_cast<std::size_t>(num_classes));
  for (Index t = 0; t < num_classes; ++t) {
    for (Index p = 0; p < num_classes; ++p) {
      const Index n = metrics.confusion[static_cast<std::size_t>(t * num_classes + p)];
      if (t == p) {
        counts[static_cast<std::size_t>(t)].true_positive += n;
      } else {
        counts[static_cast<std::size_t>(t)].false_negative += n;
        counts[static_cast<std::size_t>(p)].false_positive += n;
      }
    }
  }
  summarize(counts, metrics);
  metrics.accuracy = ratio(static_cast<double>(right), static_cast<double>(metrics.count));
  return metrics;
}

Metrics multi_label_metrics(ConstMatrixView targets, ConstMatrixView logits) {
  if (targets.rows != logits.rows || targets.cols != logits.cols) {
    throw ShapeError("metrics: targets of " + std::to_string(targets.rows) + " × " +
                     std::to_string(targets.cols) + " and logits of " + std::to_string(logits.rows) + " × " +
                     std::to_string(logits.cols));
  }
  Metrics metrics;
  std::vector<Counts> counts(static_cast<std::size_t>(targets.cols));
  Index right = 0;
  for (Index i = 0; i < targets.rows; ++i) {
    bool any_known = false;
    bool all_right = true;
    for (Index c = 0; c < targets.cols; ++c) {
      if (std::isnan(targets(i, c))) continue;
      any_known = true;
      const bool is = targets(i, c) >= Real(0.5);
      const bool said = logits(i, c) > 0;
      Counts& count = counts[static_cast<std::size_t>(c)];
      count.true_positive += is && said;
      count.false_positive += !is && said;
      count.false_negative += is && !said;
      all_right = all_right && is == said;
    }
    metrics.count += any_known;
    right += any_known && all_right;
  }
  summarize(counts, metrics);
  metrics.accuracy = ratio(static_cast<double>(right), static_cast<double>(metrics.count));
  return metrics;
}

}  // namespace gat::inline GAT_PRECISION
