// gat train: plans, trains one run per seed, saves, reports.
#include <fmt/format.h>

#include <exception>
#include <utility>

#include "exit_code.hpp"
#include "gat/io/file.hpp"
#include "options/config_file.hpp"
#include "output/sink.hpp"
#include "run/environment_file.hpp"
#include "run/network_plan.hpp"
#include "run/run_folder.hpp"
#include "run/training_run.hpp"
#include "system/environment.hpp"
#include "system/signals.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfigComment = "# gat train -c config.toml starts this run again.\n";

int print_dry_run(const Plan& plan, const Call& call) {
  const Network network(plan.description.network);
  if (call.settings.json) {
    Json parameters = Json::array();
    const Weights weights = network.make_weights();
    for (const ParameterSpec& spec : weights.specs())
      parameters.push_back({{"name", spec.name}, {"shape", spec.shape}});
    print(json_document({{"settings", settings_json(plan.settings)},
                         {"parameters", parameters},
                         {"num_parameters", weights.num_parameters()},
                         {"training_memory_bytes", training_memory(plan)}}));
    return kDone;
  }
  std::string text;
  for (const std::string& line : network_lines(network)) text += line + "\n";
  const Weights weights = network.make_weights();
  for (const ParameterSpec& spec : weights.specs())
    text += fmt::format("  {} {}\n", spec.name, json_line(Json(spec.shape)));
  text += fmt::format("{} parameters; training needs about {} besides the data\n", weights.num_parameters(),
                      memory_text(training_memory(plan)));
  print(text);
  return kDone;
}

// One seed of several has a folder and a configuration of its own.
fs::path folder_of_seed(const Plan& plan, const RunFolder& folder, std::int64_t seed) {
  if (plan.settings.seeds.empty()) return folder.path();
  const fs::path path = folder.path() / fmt::format("seed-{}", seed);
  fs::create_directory(path);
  Settings settings = plan.settings;
  settings.seeds.clear();
  settings.seed = seed;
  write_file(path / "config.toml", write_config(settings, kConfigComment));
  return path;
}

// Lines on standard output. Whoever reads them may go or the disk may fill, training goes on and is saved.
class ResultLines {
 public:
  ResultLines(Console& console, const RunFolder& folder) : console_(console), folder_(folder) {}

  void say(const std::string& text) {
    if (failure_) return;
    try {
      print(text);
    } catch (...) {
      failure_ = std::current_exception();
      console_.note("standard output takes no more results; find them in " + folder_.final_path().string());
    }
  }
  // Throws what went wrong.
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Console& console_;
  const RunFolder& folder_;
  std::exception_ptr failure_;
};

std::vector<RunReport> run_seeds(const Plan& plan, const Call& call, RunFolder& folder, ResultLines& lines) {
  std::vector<RunReport> reports;
  for (const std::int64_t seed : plan.seeds) {
    const fs::path path = folder_of_seed(plan, folder, seed);
    reports.push_back(run_training(plan, seed, {path, call.console}, [&] { folder.keep(); }));
    const RunReport& report = reports.back();
    call.console.clear_line();
    const std::string line = report_line(report, plan.score_name());
    if (call.settings.json) call.console.note(line);
    else {
      call.console.log_only(line);
      lines.say(line + "\n");
      if (report.profile) lines.say(profile_text(*report.profile));
    }
    call.console.note("stopped: " + report.stop_reason);
    call.console.note(computed_line(report));
    if (report.signal != 0) break;
  }
  return reports;
}

std::string summary_line(const Summary& summary, const std::string& score_name) {
  if (!summary.standard_deviation)
    return fmt::format("test {} {:.4f} over 1 seed (mean)", score_name, summary.mean);
  return fmt::format("test {} {:.4f} ± {:.4f} over {} seeds (mean ± standard deviation)", score_name,
                     summary.mean, *summary.standard_deviation, summary.count);
}

// None when no finished run has test nodes.
std::vector<std::string> summary_lines(const std::vector<RunReport>& reports, const std::string& score_name) {
  std::vector<std::string> lines;
  const Summary score = summarize(reports);
  const Summary ranking = summarize(reports, &RunReport::test_roc_auc);
  if (score.count > 0) lines.push_back(summary_line(score, score_name));
  if (ranking.count > 0) lines.push_back(summary_line(ranking, "ROC-AUC"));
  return lines;
}

Json to_json(const Summary& summary) {
  Json json{{"mean", summary.mean}, {"standard_deviation", nullptr}, {"count", summary.count}};
  if (summary.standard_deviation) json["standard_deviation"] = *summary.standard_deviation;
  return json;
}

Json train_json(const Plan& plan, const std::vector<RunReport>& reports, const RunFolder& folder) {
  const Summary summary = summarize(reports);
  Json runs = Json::array();
  for (const RunReport& report : reports) runs.push_back(to_json(report));
  Json json{
      {"data",
       {{"name", plan.dataset.name}, {"source", plan.dataset.source}, {"fingerprint", plan.fingerprint}}},
      {"settings", settings_json(plan.settings)},
      {"threads", plan.execution.num_threads},
      {"simd", name_of(plan.execution.simd)},
      {"runs", runs},
      {"run_folder", folder.final_path().string()},
      {"peak_memory_bytes", peak_resident_bytes()}};
  if (summary.count > 0)
    json["test_" + std::string(plan.multi_label() ? "micro_f1" : "accuracy")] = to_json(summary);
  if (const Summary ranking = summarize(reports, &RunReport::test_roc_auc); ranking.count > 0)
    json["test_roc_auc"] = to_json(ranking);
  return json;
}

// Saves first, prints then.
void finish(const Plan& plan, const Call& call, RunFolder& folder, const std::vector<RunReport>& reports,
            ResultLines& lines) {
  const Json json = train_json(plan, reports, folder);
  std::vector<std::string> summaries;
  if (!plan.settings.seeds.empty()) {
    write_file(folder.path() / "summary.json", json_document(json));
    summaries = summary_lines(reports, plan.score_name());
    for (const std::string& line : summaries) call.console.log_only(line);
  }
  call.console.note(fmt::format("peak memory {}", memory_text(peak_resident_bytes())));
  write_file(folder.path() / "log.txt", call.console.log());
  folder.commit();
  if (call.settings.json) {
    lines.say(json_document(json));
    return;
  }
  if (reports.size() > 1) {
    for (const std::string& line : summaries) lines.say(line + "\n");
  }
  lines.say("saved in " + folder.final_path().string() + "\n");
}

std::string interrupt_note(const Plan& plan, const RunReport& last, const RunFolder& folder) {
  std::string note =
      fmt::format("interrupted by {}: the best weights (epoch {}) and the report are saved in {}",
                  signal_name(last.signal), last.best_epoch, folder.final_path().string());
  if (last.interrupted && !plan.settings.seeds.empty())
    note += fmt::format("; seed {} is unfinished and does not count in the mean", last.seed);
  return note;
}

}  // namespace

int run_train(const Call& call) {
  Plan plan = make_plan(call);
  const std::vector<std::string> plan_text = plan_lines(plan);
  if (call.settings.dry_run) {
    for (const std::string& line : plan_text) call.console.note(line);
    return print_dry_run(plan, call);
  }
  // The prepared graph holds what training reads of these.
  plan.dataset.graph_data.features = {};
  plan.dataset.graph_data.edge_features = Matrix();
  RunFolder folder(plan.settings, plan.dataset.name);
  write_file(folder.path() / "config.toml", write_config(plan.settings, kConfigComment));
  write_file(folder.path() / "env.json", json_document(run_environment(plan, call.command)));
  const InterruptWatch watch;
  try {
    for (const std::string& line : plan_text) call.console.note(line);
    ResultLines lines(call.console, folder);
    const std::vector<RunReport> reports = run_seeds(plan, call, folder, lines);
    finish(plan, call, folder, reports, lines);
    const int signal = reports.back().signal;
    if (signal != 0) {
      call.console.note(interrupt_note(plan, reports.back(), folder));
      return kSignalBase + signal;
    }
    lines.check();
    return kDone;
  } catch (...) {
    const std::string message = describe_current_exception().message;
    if (!message.empty()) call.console.log_only("error: " + message);
    if (folder.kept()) write_file(folder.path() / "log.txt", call.console.log());
    throw;
  }
}

}  // namespace gat::app
