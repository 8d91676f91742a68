// gat evaluate: scores of a trained model on its split or another one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exit_code.hpp"
#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "options/option_value.hpp"
#include "output/sink.hpp"
#include "run/model_on_data.hpp"
#include "run/report.hpp"
#include "verbs/evaluation_text.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

struct Threshold {
  std::string name;
  double least = 0;
};

constexpr std::string_view kThresholdNames[] = {"accuracy", "micro_f1", "macro_f1", "roc_auc"};

std::vector<Threshold> parse_thresholds(const std::vector<std::string>& texts) {
  std::vector<Threshold> thresholds;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw UsageError("--fail-under: expected NAME=X, for example accuracy=0.8, got \"" + text + "\"");
    Threshold threshold{text.substr(0, equals), 0};
    const auto* known = std::find(std::begin(kThresholdNames), std::end(kThresholdNames), threshold.name);
    if (known == std::end(kThresholdNames)) {
      throw UsageError("--fail-under: unknown measure \"" + threshold.name + "\"; " +
                       known_names_hint(threshold.name, kThresholdNames));
    }
    try {
      threshold.least = parse_number(std::string_view(text).substr(equals + 1));
    } catch (const UsageError& error) {
      throw UsageError(std::string("--fail-under: ") + error.what());
    }
    thresholds.push_back(threshold);
  }
  return thresholds;
}

double measure(const Metrics& metrics, const std::string& name) {
  if (name == "accuracy") return metrics.accuracy;
  if (name == "roc_auc") return metrics.roc_auc;
  return name == "micro_f1" ? metrics.micro_f1 : metrics.macro_f1;
}

// Every labelled node.
std::vector<NodeId> labelled_nodes(const Dataset& dataset) {
  std::vector<NodeId> nodes(static_cast<std::size_t>(dataset.num_nodes()));
  std::iota(nodes.begin(), nodes.end(), NodeId(0));
  std::erase_if(nodes, [&](NodeId node) { return !dataset.labels.labelled(node); });
  return nodes;
}

// The split that the model was trained with, or the one that is asked for.
std::optional<SplitOptions> chosen_split(const Call& call, const ModelOnData& on) {
  if (call.is_given("data.split")) return parse_split(call.settings.split);
  if (!on.provenance.split) {
    call.console.note(
        "the model does not say which split it was trained with: all labelled nodes are scored (--split)");
  }
  return on.provenance.split;
}

const std::vector<NodeId>& nodes_of_part(const std::vector<ScoredPart>& parts, const std::string& name) {
  for (const ScoredPart& part : parts) {
    if (part.name == name && !part.nodes.empty()) return part.nodes;
  }
  throw UsageError("--part: there are no " + name + " nodes to score; choose another part");
}

int check_thresholds(const Call& call, const std::vector<Threshold>& thresholds, const Metrics& metrics) {
  int code = kDone;
  for (const Threshold& threshold : thresholds) {
    const double value = measure(metrics, threshold.name);
    if (std::isnan(value)) {
      throw UsageError("--fail-under: " + threshold.name +
                       " is not defined for these nodes; it needs two classes, and both of them");
    }
    if (value >= threshold.least) continue;
    call.console.error(fmt::format("{} {} is below {} (--fail-under)", threshold.name, shortest(value),
                                   shortest(threshold.least)));
    code = kThresholdMissed;
  }
  return code;
}

}  // namespace

int run_evaluate(const Call& call) {
  const std::vector<Threshold> thresholds = parse_thresholds(call.settings.fail_under);
  const ModelOnData on = load_model_on_data(call);
  if (on.dataset.labels.empty())
    throw InputError(on.dataset.source, "there are no labels to score against; use gat predict");
  const std::optional<SplitOptions> options = chosen_split(call, on);
  Workspace workspace;
  const Matrix logits = on.model.class_logits(on.graph, workspace, on.execution);

  EvaluationView view;
  view.model = on.path.string();
  view.data = on.dataset.name + " (" + on.dataset.source + ")";
  view.same_data = on.same_data;
  view.multi_label = on.model.description().multi_label;
  view.class_names = on.model.description().class_names;
  view.split = options ? split_name(on.dataset, *options) : "all labelled nodes";
  if (options) {
    const Split split = make_split(on.dataset, *options, static_cast<std::uint64_t>(on.provenance.seed));
    view.parts = {{"train", split.train, {}}, {"validation", split.validation, {}}, {"test", split.test, {}}};
  }
  view.parts.push_back({"all", labelled_nodes(on.dataset), {}});
  for (ScoredPart& part : view.parts) part.evaluation = evaluate_part(logits, on.dataset.labels, part.nodes);
  view.part = options ? call.settings.part : "all";
  view.details = evaluate(logits, on.dataset.labels, nodes_of_part(view.parts, view.part));

  print(call.settings.json ? json_document(evaluation_json(view)) : evaluation_text(view));
  return check_thresholds(call, thresholds, view.details.metrics);
}

}  // namespace gat::app
