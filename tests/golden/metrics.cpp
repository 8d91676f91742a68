// Kinds 22 and 24: scores of predicted classes and of predicted labels.
#include "gat/train/metrics.hpp"

#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kClassGiven[] = {"num_classes", "y_true", "y_pred", "logits"};
constexpr std::string_view kLabelGiven[] = {"y_true", "logits"};

std::vector<gat::NodeId> node_ids(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

template <class Get>
std::vector<double> per_class(const gat::Metrics& metrics, const Get& get) {
  std::vector<double> values;
  for (const gat::ClassScore& score : metrics.classes) values.push_back(static_cast<double>(get(score)));
  return values;
}

void run_classes(GoldenCase& c) {
  const gat::Index classes = c.integer("num_classes");
  const std::vector<gat::NodeId> truth = node_ids(c.integers("y_true"));
  std::vector<gat::NodeId> predicted;
  if (c.has("logits")) {
    predicted = gat::argmax_rows(c.matrix("logits"));
    c.compare_integers("y_pred", {predicted.begin(), predicted.end()}, c.shape("y_true"));
  } else {
    predicted = node_ids(c.integers("y_pred"));
  }
  const gat::Metrics metrics = gat::classification_metrics(truth, predicted, classes);
  c.compare("accuracy", metrics.accuracy);
  c.compare_integers("confusion", metrics.confusion, {classes, classes});
  c.compare("precision", per_class(metrics, [](const auto& score) { return score.precision; }), {classes});
  c.compare("recall", per_class(metrics, [](const auto& score) { return score.recall; }), {classes});
  c.compare("f1", per_class(metrics, [](const auto& score) { return score.f1; }), {classes});
  std::vector<std::int64_t> support;
  for (const gat::ClassScore& score : metrics.classes) support.push_back(score.support);
  c.compare_integers("support", support, {classes});
  c.compare("macro_f1_all", metrics.macro_f1);
  c.compare("macro_f1_present", metrics.macro_f1_present);
  c.compare("micro_f1", metrics.micro_f1);
  c.compare("weighted_f1", metrics.weighted_f1);
}

// What the library predicts, one element at a time: a positive target is right where it is predicted.
std::vector<std::int64_t> predicted_labels(const gat::Matrix& logits) {
  std::vector<std::int64_t> predicted;
  const gat::Real positive = 1;
  for (gat::Index k = 0; k < logits.size(); ++k) {
    const gat::Metrics one = gat::multi_label_metrics({&positive, 1, 1}, {logits.data() + k, 1, 1});
    predicted.push_back(one.accuracy == 1 ? 1 : 0);
  }
  return predicted;
}

void run_labels(GoldenCase& c) {
  const gat::Matrix targets = c.matrix("y_true"), logits = c.matrix("logits");
  const gat::Metrics metrics = gat::multi_label_metrics(targets, logits);
  c.compare_integers("y_pred", predicted_labels(logits), c.shape("logits"));
  c.compare("micro_f1", metrics.micro_f1);
  c.compare("macro_f1", metrics.macro_f1);
  c.compare("f1", per_class(metrics, [](const auto& score) { return score.f1; }), {logits.cols()});
  c.compare("subset_accuracy", metrics.accuracy);
}

}  // namespace

const Family kMetricsFamily{22, "metrics", kClassGiven, always_supported, run_classes};
const Family kMultiLabelFamily{24, "multi-label metrics", kLabelGiven, always_supported, run_labels};

}  // namespace golden
