#include <limits>
#include <vector>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/train/observer.hpp"

using namespace gat;

namespace {

struct Scores {
  double loss, accuracy;
  double roc_auc = std::numeric_limits<double>::quiet_NaN();
};

// Feeds epochs to a rule; remembers the first epoch that asked to stop.
struct Watched {
  Watched(StopRule rule, int patience, const std::vector<Scores>& epochs) : stopping(rule, patience) {
    for (std::size_t k = 0; k < epochs.size() && stopped_at == 0; ++k) {
      EpochRecord record;
      record.epoch = static_cast<int>(k) + 1;
      record.validation_loss = epochs[k].loss;
      record.validation_accuracy = epochs[k].accuracy;
      record.validation_roc_auc = epochs[k].roc_auc;
      TrainControl control;
      stopping.epoch_finished(record, Weights(), control);
      if (control.keep_weights) kept.push_back(record.epoch);
      if (control.stop) {
        stopped_at = record.epoch;
        reason = control.stop_reason;
      }
    }
  }

  EarlyStopping stopping;
  std::vector<int> kept;
  int stopped_at = 0;
  std::string reason;
};

using Epochs = std::vector<int>;

}  // namespace

TEST_CASE("training stops after as many epochs without progress as patience allows",
          "[train][stopping][unit]") {
  const std::vector<Scores> worse{{1, 0.5}, {1.1, 0.4}, {1.2, 0.3}, {1.3, 0.2}};
  for (const StopRule rule : {StopRule::paper, StopRule::accuracy, StopRule::loss}) {
    const Watched two(rule, 2, worse);
    CHECK(two.stopped_at == 3);
    CHECK(two.stopping.best_epoch() == 1);
    CHECK_THAT(two.reason, Catch::Contains("2 epochs") && Catch::Contains(std::string(name_of(rule))));
    CHECK(Watched(rule, 3, worse).stopped_at == 4);
    CHECK(Watched(rule, 4, worse).stopped_at == 0);
  }
  CHECK(Watched(StopRule::none, 1, worse).stopped_at == 0);
}

TEST_CASE("an equal value is progress, and the later epoch is kept", "[train][stopping][unit]") {
  const std::vector<Scores> equal{{1, 0.5}, {1, 0.5}, {1, 0.5}};
  for (const StopRule rule : {StopRule::paper, StopRule::accuracy, StopRule::loss}) {
    const Watched watched(rule, 1, equal);
    CHECK(watched.stopped_at == 0);
    CHECK(watched.kept == Epochs{1, 2, 3});
    CHECK(watched.stopping.best_epoch() == 3);
  }
}

TEST_CASE("the paper's rule keeps by both scores but waits for either", "[train][stopping][unit]") {
  // Loss falls while accuracy falls: progress each time, nothing kept.
  const Watched watched(StopRule::paper, 1, {{1, 0.5}, {0.9, 0.4}, {0.8, 0.4}, {0.9, 0.4}});
  CHECK(watched.kept == Epochs{1});
  CHECK(watched.stopped_at == 4);
  // A best loss from an epoch that was not kept still counts.
  CHECK(Watched(StopRule::paper, 9, {{1, 0.5}, {0.8, 0.4}, {0.9, 0.6}, {0.7, 0.6}}).kept == Epochs{1, 4});
}

TEST_CASE("single-score rules do not look at the other score", "[train][stopping][unit]") {
  const std::vector<Scores> epochs{{1, 0.5}, {2, 0.6}, {0.5, 0.4}};
  CHECK(Watched(StopRule::accuracy, 9, epochs).kept == Epochs{1, 2});
  CHECK(Watched(StopRule::loss, 9, epochs).kept == Epochs{1, 3});
  CHECK(Watched(StopRule::none, 9, epochs).kept == Epochs{1, 2, 3});
}

TEST_CASE("progress starts patience anew", "[train][stopping][unit]") {
  const Watched watched(StopRule::loss, 2, {{1, 0}, {2, 0}, {1, 0}, {2, 0}, {1.5, 0}, {0, 0}});
  CHECK(watched.stopped_at == 5);
  CHECK(watched.stopping.epochs_without_progress() == 2);
}

TEST_CASE("without validation scores the rule none keeps the last epoch", "[train][stopping][unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Watched(StopRule::none, 1, {{nan, nan}, {nan, nan}}).kept == Epochs{1, 2});
}

TEST_CASE("stopping rules have names, patience a least value", "[train][stopping][options]") {
  for (const char* name : {"paper", "accuracy", "loss", "none"})
    CHECK(name_of(stop_rule_named(name)) == name);
  CHECK_THROWS_AS(stop_rule_named("best"), UsageError);
  CHECK_THROWS_AS(EarlyStopping(StopRule::paper, 0), UsageError);
}

TEST_CASE("the rule by ROC-AUC looks at nothing else", "[train][stopping][unit]") {
  const std::vector<Scores> epochs{
      {3, 0.1, 0.7}, {2, 0.2, 0.6}, {1, 0.3, 0.7}, {0.5, 0.4, 0.5}, {0.2, 0.9, 0.6}};
  const Watched watched(StopRule::roc_auc, 2, epochs);
  CHECK(watched.kept == Epochs{1, 3});
  CHECK(watched.stopped_at == 5);
  CHECK_THAT(watched.reason, Catch::Contains("\"roc_auc\""));
  CHECK(stop_rule_named("roc_auc") == StopRule::roc_auc);
}
