// Reported faults of losses, metrics and stopping: B22, B25, B26, B28.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/statistics.hpp"
#include "gat/kernels/loss.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::matrix_of;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

auto near(double value) { return Approx(value).epsilon(1e-6).margin(1e-6); }

// Logits that predict exactly the given labels.
Matrix predicting(const Matrix& labels) {
  Matrix logits = labels;
  for (Index k = 0; k < logits.size(); ++k) logits.data()[k] = 2 * logits.data()[k] - 1;
  return logits;
}

}  // namespace

TEST_CASE("B22: each stopping rule chooses its epoch and sees progress in all four", "[cases][stopping]") {
  struct Rule {
    StopRule rule;
    int chosen;
  };
  const double scores[4][2] = {{1.00, 0.50}, {0.90, 0.60}, {0.95, 0.65}, {0.85, 0.60}};
  for (const auto& [rule, chosen] : {Rule{StopRule::paper, 2}, Rule{StopRule::accuracy, 3},
                                     Rule{StopRule::loss, 4}, Rule{StopRule::none, 4}}) {
    INFO(name_of(rule));
    EarlyStopping stopping(rule, 100);
    for (int epoch = 1; epoch <= 4; ++epoch) {
      EpochRecord record;
      record.epoch = epoch;
      record.validation_loss = scores[epoch - 1][0];
      record.validation_accuracy = scores[epoch - 1][1];
      TrainControl control;
      stopping.epoch_finished(record, Weights(), control);
      if (rule == StopRule::paper) CHECK(stopping.epochs_without_progress() == 0);
      CHECK_FALSE(control.stop);
    }
    CHECK(stopping.best_epoch() == chosen);
  }
}

TEST_CASE("B25: the shape of the labels decides the loss, and a mismatch is refused", "[cases][loss]") {
  Labels labels;
  labels.targets = matrix_of({{1, 1, 0}});
  const std::vector<NodeId> node{0};
  CHECK(evaluate(Matrix(1, 3), labels, node).loss == near(0.693147));

  test::TinyTask task;
  task.labels.classes.clear();
  task.labels.targets = Matrix(12, 3);
  TrainOptions options = test::short_run(1);
  options.loss.kind = LossKind::softmax;
  const auto run = [&] {
    train(test::plain_network(4, 3), task.prepared(), task.labels, task.split, options);
  };
  CHECK_THROWS_AS(run(), UsageError);
  CHECK(lacking(message_of(run), {"softmax", "sigmoid"}) == "");
  options.loss.kind = LossKind::automatic;
  CHECK(message_of(run).empty());
}

TEST_CASE("B25: labels are predicted from probability one half on, that is logit 0", "[cases][metrics]") {
  Matrix probability(1, 3);
  const Matrix logits = matrix_of({{1e-3, -1e-3, 0}});
  sigmoid_elements(logits, probability);
  const Metrics m = multi_label_metrics(matrix_of({{1, 0, 0}}), logits);
  CHECK(probability(0, 0) > Real(0.5));
  CHECK(probability(0, 1) < Real(0.5));
  CHECK(m.micro_f1 == 1);
  CHECK(m.accuracy == 1);
}

TEST_CASE("B26: micro-F1 pools the counts, and 0/0 counts as 0", "[cases][metrics]") {
  const Metrics a = multi_label_metrics(matrix_of({{1, 0}, {1, 1}}), predicting(matrix_of({{1, 1}, {0, 1}})));
  CHECK(a.micro_f1 == near(0.666667));
  CHECK(a.accuracy == 0);
  const Metrics b =
      classification_metrics(std::vector<NodeId>{0, 0, 1, 1}, std::vector<NodeId>{0, 0, 0, 1}, 2);
  CHECK(b.classes[0].f1 == near(0.8));
  CHECK(b.classes[1].f1 == near(0.666667));
  CHECK(b.macro_f1 == near(0.733333));
  CHECK(b.micro_f1 == near(0.75));
  CHECK(b.accuracy == near(0.75));
  const Metrics c = multi_label_metrics(Matrix(2, 2), predicting(Matrix(2, 2)));
  CHECK(c.micro_f1 == 0);
  CHECK(c.macro_f1 == 0);
  CHECK(c.num_undefined == 2);
}

TEST_CASE("B28: missing labels are in no loss, gradient or metric, and are counted", "[cases][loss]") {
  const Matrix targets = matrix_of({{1}, {kNaN}, {0}});
  const std::vector<NodeId> nodes{0, 1, 2};
  Matrix gradient(3, 1);
  CHECK(sigmoid_cross_entropy(Matrix(3, 1), {nodes, nodes}, targets, {}, gradient, 1) == near(0.693147));
  CHECK(test::relative_difference(gradient, matrix_of({{-0.25}, {0}, {0.25}})) < 1e-6);
  CHECK(multi_label_metrics(targets, Matrix(3, 1)).count == 2);
  Dataset dataset;
  dataset.graph_data.graph = test::graph_of(3, {});
  dataset.labels.targets = targets;
  CHECK(num_unlabelled(dataset) == 1);
}
