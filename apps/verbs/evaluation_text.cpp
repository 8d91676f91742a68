#include "verbs/evaluation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/report.hpp"

namespace gat::app {

namespace {

// Columns as people see them: bytes that continue a UTF-8 character take no room.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t have = display_width(text);
  return have < width ? text + std::string(width - have, ' ') : text;
}

std::size_t name_width(const EvaluationView& view, const char* heading) {
  std::size_t width = std::string(heading).size();
  for (const std::string& name : view.class_names) width = std::max(width, display_width(name));
  return width;
}

// In a column of the table of parts.
std::string number_or_none(double value) {
  return std::isnan(value) ? fmt::format("{:>10}", "none") : fmt::format("{:>10.4f}", value);
}

std::string parts_text(const EvaluationView& view) {
  const bool binary = !view.multi_label && view.class_names.size() == 2;
  std::string text = fmt::format("{:<11}{:>8}{:>10}{:>10}{:>10}{:>10}", "part", "nodes", "loss", "accuracy",
                                 "micro-F1", "macro-F1");
  if (binary) text += fmt::format("{:>10}", "ROC-AUC");
  if (!view.multi_label) text += fmt::format("{:>10}", "ECE");
  text += "\n";
  for (const ScoredPart& part : view.parts) {
    if (!part.evaluation) continue;
    const Metrics& m = part.evaluation->metrics;
    text += fmt::format("{:<11}{:>8}{:>10.4f}{:>10.4f}{:>10.4f}{:>10.4f}", part.name, m.count,
                        part.evaluation->loss, m.accuracy, m.micro_f1, m.macro_f1);
    if (binary) text += number_or_none(m.roc_auc);
    if (!view.multi_label) text += number_or_none(m.calibration_error);
    text += "\n";
  }
  return text;
}

std::string classes_text(const EvaluationView& view) {
  const std::size_t width = name_width(view, "class") + 2;
  std::string text = padded("class", width) +
                     fmt::format("{:>10}{:>10}{:>10}{:>10}\n", "precision", "recall", "F1", "nodes");
  for (std::size_t c = 0; c < view.class_names.size(); ++c) {
    const ClassScore& score = view.details.metrics.classes[c];
    text += padded(view.class_names[c], width) + fmt::format("{:>10.4f}{:>10.4f}{:>10.4f}{:>10}\n",
                                                             score.precision, score.recall, score.f1,
                                                             score.support);
  }
  return text;
}

std::string confusion_text(const EvaluationView& view) {
  const std::size_t classes = view.class_names.size();
  const std::size_t width = name_width(view, "true") + 2;
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < classes; ++c) {
    std::size_t widest = display_width(view.class_names[c]);
    for (std::size_t t = 0; t < classes; ++t) {
      widest = std::max(widest, std::to_string(view.details.metrics.confusion[t * classes + c]).size());
    }
    columns.push_back(widest + 2);
  }
  std::string text = "confusion (rows: true, columns: predicted)\n" + std::string(width, ' ');
  for (std::size_t c = 0; c < classes; ++c) {
    text += std::string(columns[c] - display_width(view.class_names[c]), ' ') + view.class_names[c];
  }
  text += "\n";
  for (std::size_t t = 0; t < classes; ++t) {
    text += padded(view.class_names[t], width);
    for (std::size_t c = 0; c < classes; ++c) {
      text += fmt::format("{:>{}}", view.details.metrics.confusion[t * classes + c], columns[c]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string evaluation_text(const EvaluationView& view) {
  std::string text = fmt::format("model {}\ndata {}{}\nsplit {}\n\n", view.model, view.data,
                                 view.same_data ? "" : " (not the data of training)", view.split);
  text += parts_text(view) + "\n" + view.part + " by class\n" + classes_text(view);
  if (!view.multi_label) text += "\n" + confusion_text(view);
  return text;
}

Json evaluation_json(const EvaluationView& view) {
  Json json{{"model", view.model}, {"data", view.data}, {"same_data", view.same_data}, {"split", view.split}};
  for (const ScoredPart& part : view.parts) {
    json["parts"][part.name] = part.evaluation ? to_json(*part.evaluation) : Json(nullptr);
  }
  json["part"] = view.part;
  const Metrics& metrics = view.details.metrics;
  Json classes = Json::array();
  for (std::size_t c = 0; c < view.class_names.size(); ++c) {
    const ClassScore& s = metrics.classes[c];
    classes.push_back({{"class", view.class_names[c]},
                       {"precision", s.precision},
                       {"recall", s.recall},
                       {"f1", s.f1},
                       {"nodes", s.support}});
  }
  json["classes"] = classes;
  Json confusion = Json::array();
  const std::size_t n = view.class_names.size();
  for (std::size_t t = 0; !metrics.confusion.empty() && t < n; ++t) {
    confusion.push_back(
        std::vector<std::int64_t>(metrics.confusion.begin() + static_cast<std::ptrdiff_t>(t * n),
                                  metrics.confusion.begin() + static_cast<std::ptrdiff_t>((t + 1) * n)));
  }
  json["confusion"] = view.multi_label ? Json(nullptr) : confusion;
  return json;
}

}  // namespace gat::app
