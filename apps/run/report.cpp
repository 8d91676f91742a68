#include "run/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "options/option_value.hpp"

namespace gat::app {

namespace {

std::string score_text(const char* part, const std::optional<Evaluation>& evaluation, const RunReport& report,
                       const std::string& score_name) {
  if (!evaluation) return "";
  const Metrics& metrics = evaluation->metrics;
  std::string text = fmt::format("{} {} {:.4f}, ", part, score_name, metrics.score(report.multi_label));
  if (!std::isnan(metrics.roc_auc)) text += fmt::format("{} ROC-AUC {:.4f}, ", part, metrics.roc_auc);
  return text;
}

Json part_json(const std::optional<Evaluation>& evaluation) {
  return evaluation ? to_json(*evaluation) : Json(nullptr);
}

}  // namespace

std::optional<double> RunReport::test_score() const {
  if (!test) return std::nullopt;
  return test->metrics.score(multi_label);
}

std::optional<double> RunReport::test_roc_auc() const {
  if (!test || std::isnan(test->metrics.roc_auc)) return std::nullopt;
  return test->metrics.roc_auc;
}

std::optional<Evaluation> evaluate_part(ConstMatrixView class_logits, const Labels& labels,
                                        const std::vector<NodeId>& nodes) {
  if (nodes.empty()) return std::nullopt;
  return evaluate(class_logits, labels, nodes);
}

Json to_json(const Evaluation& evaluation) {
  const Metrics& m = evaluation.metrics;
  return {{"nodes", m.count},       {"loss", evaluation.loss},
          {"accuracy", m.accuracy}, {"micro_f1", m.micro_f1},
          {"macro_f1", m.macro_f1}, {"weighted_f1", m.weighted_f1},
          {"roc_auc", m.roc_auc},   {"calibration_error", m.calibration_error}};
}

Json to_json(const RunReport& report) {
  Json json{{"seed", report.seed},
            {"best_epoch", report.best_epoch},
            {"epochs", report.epochs},
            {"stop_reason", report.stop_reason},
            {"interrupted", report.interrupted},
            {"seconds", report.seconds},
            {"training_rows", name_of(report.training_rows)},
            {"validation_rows", report.validation ? Json(name_of(report.validation_rows)) : Json(nullptr)},
            {"epochs_per_second", report.seconds > 0 ? report.epochs / report.seconds : 0.0},
            {"train", part_json(report.train)},
            {"validation", part_json(report.validation)},
            {"test", part_json(report.test)}};
  if (report.profile) json["profile"] = to_json(*report.profile);
  return json;
}

std::string computed_line(const RunReport& report) {
  const auto text = [](ComputedRows rows) {
    if (rows == ComputedRows::pruned) return "the rows it reaches";
    return rows == ComputedRows::reordered ? "the whole graph, rows reordered" : "the whole graph";
  };
  std::string line = std::string("computed: for training ") + text(report.training_rows);
  if (report.validation) line += std::string(", for validation ") + text(report.validation_rows);
  return line;
}

std::string report_line(const RunReport& report, const std::string& score_name) {
  std::string line = fmt::format("seed {}{}: ", report.seed, report.interrupted ? " (unfinished)" : "");
  line += score_text("test", report.test, report, score_name);
  line += score_text("validation", report.validation, report, score_name);
  if (!report.test && !report.validation) line += score_text("train", report.train, report, score_name);
  const double rate = report.seconds > 0 ? report.epochs / report.seconds : 0;
  return line + fmt::format("best epoch {} of {}, {:.1f} s, {:.1f} epochs/s", report.best_epoch,
                            report.epochs, report.seconds, rate);
}

Summary summarize(const std::vector<RunReport>& reports, std::optional<double> (RunReport::*score)() const) {
  Summary summary;
  std::vector<double> scores;
  for (const RunReport& report : reports) {
    if ((report.*score)() && !report.interrupted) scores.push_back(*(report.*score)());
  }
  summary.count = scores.size();
  if (scores.empty()) return summary;
  for (const double value : scores) summary.mean += value;
  summary.mean /= static_cast<double>(summary.count);
  double squares = 0;
  for (const double value : scores) squares += (value - summary.mean) * (value - summary.mean);
  if (summary.count > 1)
    summary.standard_deviation = std::sqrt(squares / static_cast<double>(summary.count - 1));
  return summary;
}

Json settings_json(const Settings& settings) {
  Json json;
  json["data"]["name"] = settings.data;
  for (const Option& option : option_table()) {
    if (!option.in_files()) continue;
    Json& value = json[std::string(option.section)][std::string(option.key)];
    std::visit([&](auto member) { value = settings.*member; }, option.member);
  }
  return json;
}

}  // namespace gat::app
