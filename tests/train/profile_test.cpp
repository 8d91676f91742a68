// Times per phase and step of a training run.
#include <numeric>

#include "catch.hpp"
#include "train/tiny_task.hpp"

using namespace gat;

namespace {

TrainResult trained(bool profile, bool with_validation = true) {
  test::RandomTask task;
  if (!with_validation) task.split.validation.clear();
  TrainOptions options = test::short_run(4);
  options.profile = profile;
  if (!with_validation) options.stop = StopRule::none;
  return train(Network(test::two_layers(10, true)), task.prepared(), task.labels, task.split, options);
}

double sum(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace

TEST_CASE("a profiled run says how long each phase and each step took", "[train][profile]") {
  const TrainResult result = trained(true);
  REQUIRE(result.phases);
  const PhaseTimes& t = *result.phases;
  double all = 0;
  for (const double seconds : {t.preparation_seconds, t.forward_seconds, t.loss_seconds, t.backward_seconds,
                               t.update_seconds, t.validation_seconds, t.observer_seconds}) {
    CHECK(seconds > 0);
    all += seconds;
  }
  CHECK(all <= result.seconds * 1.001);
  REQUIRE(t.steps.forward_seconds.size() == 2);
  REQUIRE(t.steps.backward_seconds.size() == 2);
  CHECK(sum(t.steps.forward_seconds) <= t.forward_seconds);
  CHECK(sum(t.steps.backward_seconds) <= t.backward_seconds);
}

TEST_CASE("a run that is not profiled has no times and the same weights", "[train][profile]") {
  const TrainResult plain = trained(false);
  CHECK_FALSE(plain.phases);
  CHECK(test::same_bits(test::all_values(plain.weights), test::all_values(trained(true).weights)));
}

TEST_CASE("without validation nodes no time is spent on validation", "[train][profile]") {
  CHECK(trained(true, false).phases->validation_seconds == 0);
}
