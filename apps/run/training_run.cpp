#include "run/training_run.hpp"

#include <functional>
#include <utility>

#include "gat/data/statistics.hpp"
#include "gat/io/file.hpp"
#include "output/sink.hpp"
#include "run/metrics_log.hpp"
#include "run/network_plan.hpp"
#include "run/predictions.hpp"
#include "run/provenance.hpp"
#include "system/signals.hpp"
#include "terminal/progress.hpp"

namespace gat::app {

namespace {

constexpr const char* kInterrupted = "interrupted by ";

// Ends training after the epoch in which an interrupt came.
class InterruptObserver final : public TrainObserver {
 public:
  void epoch_finished(const EpochRecord&, const Weights&, TrainControl& control) override {
    if (InterruptWatch::noted() == 0) return;
    control.stop = true;
    control.stop_reason = std::string(kInterrupted) + signal_name(InterruptWatch::noted());
  }
};

class FirstEpochObserver final : public TrainObserver {
 public:
  explicit FirstEpochObserver(const std::function<void()>& action) : action_(action) {}
  void epoch_finished(const EpochRecord& record, const Weights&, TrainControl&) override {
    if (record.epoch == 1) action_();
  }

 private:
  const std::function<void()>& action_;
};

TrainResult train_observed(const Plan& plan, const Network& network, const Split& split,
                           const TrainOptions& options, const RunPlace& place,
                           const std::function<void()>& on_first_epoch) {
  MetricsLog log(place.folder / "metrics.jsonl");
  Progress progress(place.console, plan.settings.progress, options.epochs, plan.score_name());
  InterruptObserver interrupt;
  FirstEpochObserver first(on_first_epoch);
  TrainObserver* const observers[] = {&log, &first, &progress, &interrupt};
  TrainResult result = train(network, plan.graph, plan.dataset.labels, split, options, observers);
  progress.finish();
  return result;
}

Provenance provenance_of(const Plan& plan, std::int64_t seed, const RunReport& report) {
  Provenance provenance;
  provenance.data_name = plan.dataset.name;
  provenance.data_source = plan.dataset.source;
  provenance.fingerprint = plan.fingerprint;
  provenance.split = plan.split;
  provenance.seed = seed;
  // Without times: equal runs give equal files.
  Json metrics = to_json(report);
  metrics.erase("seconds");
  metrics.erase("epochs_per_second");
  metrics.erase("profile");
  provenance.metrics = json_line(metrics);
  return provenance;
}

}  // namespace

RunReport run_training(const Plan& plan, std::int64_t seed, const RunPlace& place,
                       const std::function<void()>& on_first_epoch) {
  const Split split = make_split(plan.dataset, plan.split, static_cast<std::uint64_t>(seed));
  TrainOptions options =
      train_options(plan.settings, class_counts(plan.dataset, split.train), plan.execution);
  options.seed = static_cast<std::uint64_t>(seed);
  options.profile = plan.settings.profile;
  const Network network(plan.description.network);
  TrainResult result = train_observed(plan, network, split, options, place, on_first_epoch);

  RunReport report;
  report.seed = seed;
  report.best_epoch = result.best_epoch;
  report.epochs = result.epochs;
  report.stop_reason = result.stop_reason;
  report.seconds = result.seconds;
  report.training_rows = result.training_rows;
  report.validation_rows = result.validation_rows;
  if (result.phases) report.profile = make_profile(*result.phases, network, result.epochs, result.seconds);
  report.multi_label = plan.multi_label();
  report.signal = InterruptWatch::noted();
  report.interrupted = report.stop_reason.starts_with(kInterrupted);
  const Model model(plan.description, std::move(result.weights));
  Workspace workspace;
  const Matrix logits = model.class_logits(plan.graph, workspace, plan.execution);
  report.train = evaluate_part(logits, plan.dataset.labels, split.train);
  report.validation = evaluate_part(logits, plan.dataset.labels, split.validation);
  report.test = evaluate_part(logits, plan.dataset.labels, split.test);

  ModelDescription description = model.description();
  description.metadata = to_metadata(provenance_of(plan, seed, report));
  Model(std::move(description), model.weights()).save(place.folder / "model.safetensors");
  write_run_predictions(*open_sink((place.folder / "predictions.csv").string()), plan.dataset, split, model,
                        logits);
  write_file(place.folder / "summary.json", json_document(to_json(report)));
  return report;
}

}  // namespace gat::app
