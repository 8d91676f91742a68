#include "gat/train/trainer.hpp"

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::plain_network;
using gat::test::RandomTask;
using gat::test::Recorder;
using gat::test::same_bits;
using gat::test::short_run;
using gat::test::TinyTask;

namespace {

// All dropouts, per head.
Network dropping_network() { return Network(test::two_layers(10, true)); }

TrainResult train_on(const RandomTask& task, const TrainOptions& options, TrainObserver* observer = nullptr) {
  const std::vector<TrainObserver*> observers(observer == nullptr ? 0 : 1, observer);
  return train(dropping_network(), task.prepared(), task.labels, task.split, options, observers);
}

bool same_weights(const TrainResult& a, const TrainResult& b) {
  return same_bits(test::all_values(a.weights), test::all_values(b.weights));
}

}  // namespace

TEST_CASE("a network learns two groups and finds every test node", "[train][trainer][unit]") {
  const TinyTask task;
  const Network network = plain_network(4, 2);
  const PreparedGraph prepared = task.prepared();
  Recorder recorder;
  TrainObserver* const observers[] = {&recorder};
  const TrainResult result = train(network, prepared, task.labels, task.split, short_run(100), observers);
  CHECK(result.epochs == 100);
  CHECK(result.stop_reason == "all 100 epochs run");
  CHECK(recorder.records.size() == 100);
  CHECK(recorder.records.back().epoch == 100);
  CHECK(recorder.records.back().train_loss < 0.2 * recorder.records.front().train_loss);
  const Model model({network.description(), {}, InputTransform::none, false, {}, {}}, result.weights);
  Workspace workspace;
  const Evaluation evaluation =
      evaluate(model.class_logits(prepared, workspace), task.labels, task.split.test);
  CHECK(evaluation.metrics.accuracy == 1);
  CHECK(evaluation.metrics.count == 6);
  CHECK(evaluation.loss < 0.3);
}

TEST_CASE("several labels per node are learned with the sigmoid loss",
          "[train][trainer][multi_label][unit]") {
  TinyTask task;
  task.labels.targets = Matrix(12, 2);
  for (Index i = 0; i < 12; ++i) task.labels.targets(i, task.labels.classes[static_cast<std::size_t>(i)]) = 1;
  task.labels.classes.clear();
  Recorder recorder;
  TrainObserver* const observers[] = {&recorder};
  train(plain_network(4, 2), task.prepared(), task.labels, task.split, short_run(100), observers);
  CHECK(recorder.records.back().validation_accuracy == 1);
}

TEST_CASE("permuting the test labels changes neither the chosen epoch nor the weights",
          "[train][trainer][property]") {
  RandomTask task;
  const TrainResult expected = train_on(task, short_run(30));
  REQUIRE(task.split.test.size() > 2);
  for (const NodeId node : task.split.test) {
    NodeId& label = task.labels.classes[static_cast<std::size_t>(node)];
    label = (label + 1) % 3;
  }
  const TrainResult permuted = train_on(task, short_run(30));
  CHECK(permuted.best_epoch == expected.best_epoch);
  CHECK(permuted.epochs == expected.epochs);
  CHECK(same_weights(permuted, expected));
}

TEST_CASE("one seed gives equal bits, also with other threads, another seed differs",
          "[train][trainer][determinism]") {
  const RandomTask task(400);
  TrainOptions options = short_run(10);
  const TrainResult first = train_on(task, options);
  CHECK(same_weights(train_on(task, options), first));
  for (const int threads : {2, 3, 8}) {
    options.execution = threads;
    CHECK(same_weights(train_on(task, options), first));
  }
  CHECK_FALSE(same_weights(train_on(task, short_run(10, 2)), first));
}

TEST_CASE("pruned training agrees with training on the whole graph", "[train][trainer][prune][reference]") {
  const RandomTask task;
  Recorder pruned, whole;
  TrainOptions options = short_run(5);
  CHECK(train_on(task, options, &pruned).training_rows == ComputedRows::pruned);
  options.prune = false;
  CHECK(train_on(task, options, &whole).training_rows == ComputedRows::whole);
  CHECK(pruned.records[0].train_loss == whole.records[0].train_loss);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(pruned.records[k].train_loss == Approx(whole.records[k].train_loss).epsilon(1e-5));
    CHECK(pruned.records[k].validation_loss == Approx(whole.records[k].validation_loss).epsilon(1e-5));
  }
}

TEST_CASE("the weights of the kept epoch are the result", "[train][trainer][unit]") {
  const RandomTask task;
  TrainOptions options = short_run(60);
  options.adam.learning_rate = 0.1;
  options.stop = StopRule::loss;
  const TrainResult best = train_on(task, options);
  REQUIRE(best.best_epoch < 60);
  options.epochs = best.best_epoch;
  options.stop = StopRule::none;
  const TrainResult last = train_on(task, options);
  CHECK(last.best_epoch == best.best_epoch);
  CHECK(same_weights(last, best));
}

TEST_CASE("patience ends a run and the reason is told", "[train][trainer][unit]") {
  const RandomTask task;
  TrainOptions options = short_run(1000);
  options.stop = StopRule::accuracy;
  options.patience = 5;
  const TrainResult result = train_on(task, options);
  CHECK(result.epochs < 1000);
  CHECK(result.epochs >= result.best_epoch + 5);
  CHECK_THAT(result.stop_reason, Catch::Contains("no progress for 5 epochs"));
}

TEST_CASE("an observer can end a run", "[train][trainer][observer]") {
  struct Impatient final : TrainObserver {
    void epoch_finished(const EpochRecord& record, const Weights& weights, TrainControl& control) override {
      CHECK(weights.num_values() > 0);
      if (record.epoch < 3) return;
      control.stop = true;
      control.stop_reason = "enough";
    }
  } impatient;
  const TrainResult result = train_on(RandomTask(), short_run(20), &impatient);
  CHECK(result.epochs == 3);
  CHECK(result.stop_reason == "enough");
}

TEST_CASE("without validation nodes the last epoch is kept and scores are NaN", "[train][trainer][unit]") {
  RandomTask task;
  task.split.validation.clear();
  TrainOptions options = short_run(4);
  options.stop = StopRule::none;
  Recorder recorder;
  CHECK(train_on(task, options, &recorder).best_epoch == 4);
  CHECK(std::isnan(recorder.records[0].validation_loss));
  CHECK(std::isnan(recorder.records[0].validation_accuracy));
}

TEST_CASE("the validation loss has no L2 part", "[train][trainer][unit]") {
  const RandomTask task;
  Recorder plain, decayed;
  TrainOptions options = short_run(1);
  options.adam.learning_rate = 1e-7;
  train_on(task, options, &plain);
  options.adam.l2 = 100;
  train_on(task, options, &decayed);
  CHECK(decayed.records[0].train_loss == plain.records[0].train_loss);
  CHECK(decayed.records[0].validation_loss == Approx(plain.records[0].validation_loss).epsilon(1e-4));
}

TEST_CASE("a loss that is no longer finite ends in a numeric error that says when",
          "[train][trainer][numeric]") {
  TinyTask task;
  TrainOptions options = short_run(10);
  options.adam.learning_rate = 1e30;
  const PreparedGraph prepared = task.prepared();
  CHECK_THROWS_AS(train(plain_network(4, 2), prepared, task.labels, task.split, options), NumericError);
  try {
    train(plain_network(4, 2), prepared, task.labels, task.split, options);
  } catch (const NumericError& error) {
    CHECK_THAT(error.what(), Catch::Contains("epoch") && Catch::Contains("learning rate"));
  }
}

TEST_CASE("initial weights are those of the seed, with biases 0", "[train][trainer][determinism]") {
  const Network network = dropping_network();
  const Weights first = initial_weights(network, 1);
  CHECK(same_bits(test::all_values(initial_weights(network, 1)), test::all_values(first)));
  CHECK_FALSE(same_bits(test::all_values(initial_weights(network, 2)), test::all_values(first)));
  for (const Real b : first.export_values(first.find("layers.0.bias"))) CHECK(b == 0);
}
