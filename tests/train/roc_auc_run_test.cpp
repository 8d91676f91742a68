// Training runs of two classes: ROC-AUC in records and evaluations, and as a stopping rule.
#include <cmath>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::plain_network;
using gat::test::RandomTask;
using gat::test::Recorder;
using gat::test::short_run;
using gat::test::TinyTask;

namespace {

// The random task with its third class merged into the second.
RandomTask binary_task() {
  RandomTask task;
  for (NodeId& c : task.labels.classes) c = std::min<NodeId>(c, 1);
  return task;
}

}  // namespace

TEST_CASE("every epoch of a task of two classes has a ROC-AUC, of three none", "[train][roc_auc]") {
  for (const bool binary : {true, false}) {
    const RandomTask task = binary ? binary_task() : RandomTask();
    Recorder recorder;
    TrainObserver* const observers[] = {&recorder};
    train(plain_network(10, binary ? 2 : 3), task.prepared(), task.labels, task.split, short_run(3),
          observers);
    for (const EpochRecord& record : recorder.records) CHECK(std::isnan(record.validation_roc_auc) != binary);
  }
}

TEST_CASE("training by ROC-AUC keeps the last of the best epochs, and evaluation agrees",
          "[train][roc_auc]") {
  const RandomTask task = binary_task();
  const Network network = plain_network(10, 2);
  const PreparedGraph graph = task.prepared();
  TrainOptions options = short_run(60);
  options.stop = StopRule::roc_auc;
  options.patience = 60;
  Recorder recorder;
  TrainObserver* const observers[] = {&recorder};
  const TrainResult result = train(network, graph, task.labels, task.split, options, observers);
  int best = 0;
  double largest = 0;
  for (const EpochRecord& record : recorder.records) {
    if (record.validation_roc_auc < largest) continue;
    largest = record.validation_roc_auc;
    best = record.epoch;
  }
  CHECK(result.best_epoch == best);
  CHECK(best < 60);
  const Model model({network.description(), {}, InputTransform::row_normalize, false, {}, {}},
                    result.weights);
  Workspace workspace;
  const Matrix logits = model.class_logits(graph, workspace);
  const Metrics metrics = evaluate(logits, task.labels, task.split.validation).metrics;
  CHECK(metrics.roc_auc == largest);
  CHECK((metrics.calibration_error >= 0 && metrics.calibration_error <= 1));
}

TEST_CASE("the rule by ROC-AUC is refused where there is none", "[train][roc_auc]") {
  TrainOptions options = short_run(2);
  options.stop = StopRule::roc_auc;
  const RandomTask three;
  CHECK_THROWS_AS(train(plain_network(10, 3), three.prepared(), three.labels, three.split, options),
                  UsageError);
  TinyTask one_sided;
  one_sided.split.validation = {1, 2};
  CHECK_THROWS_WITH(
      train(plain_network(4, 2), one_sided.prepared(), one_sided.labels, one_sided.split, options),
      Catch::Contains("class 1"));
}
