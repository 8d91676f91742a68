// gat predict: class probabilities of all or of chosen nodes, answered while ids are read.
#include <algorithm>
#include <numeric>

#include "exit_code.hpp"
#include "run/model_on_data.hpp"
#include "run/predictions.hpp"
#include "verbs/node_source.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

std::vector<std::string> columns_of(const ModelOnData& on, std::size_t top) {
  std::vector<std::string> columns{"node", "id", "predicted"};
  if (top == 0) {
    for (std::string& column : probability_columns(on.model.description().class_names))
      columns.push_back(std::move(column));
  }
  for (std::size_t k = 1; k <= top; ++k) {
    columns.push_back("class_" + std::to_string(k));
    columns.push_back("probability_" + std::to_string(k));
  }
  return columns;
}

// Classes by falling logit; the lower number first among equals.
std::vector<std::size_t> ranked(std::span<const Real> logits) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  return order;
}

// What one batch gave, a row per node.
struct Scores {
  Matrix logits, probabilities;
};

Scores score(const ModelOnData& on, const NodeSource& nodes, const std::vector<NodeId>& batch,
             Workspace& workspace) {
  Scores scores;
  scores.logits = nodes.everything() ? on.model.class_logits(on.graph, workspace, on.execution)
                                     : on.model.class_logits(on.graph, batch, workspace, on.execution);
  scores.probabilities.resize(scores.logits.rows(), scores.logits.cols());
  on.model.to_probabilities(scores.logits, scores.probabilities);
  return scores;
}

void write_row(RowWriter& rows, const ModelOnData& on, NodeId node, const Scores& scores, Index row,
               std::size_t top) {
  const ModelDescription& model = on.model.description();
  const auto width = static_cast<std::size_t>(scores.logits.cols());
  const std::span<const Real> logits(scores.logits.row(row), width);
  const std::span<const Real> probabilities(scores.probabilities.row(row), width);
  rows.integer(node).text(on.dataset.node_name(node)).text(predicted_class(logits, model));
  if (top == 0) {
    for (const Real p : probabilities) rows.number(p);
  } else {
    const std::vector<std::size_t> order = ranked(logits);
    for (std::size_t k = 0; k < top; ++k)
      rows.text(model.class_names[order[k]]).number(probabilities[order[k]]);
  }
  rows.end_row();
}

}  // namespace

int run_predict(const Call& call) {
  const ModelOnData on = load_model_on_data(call);
  NodeSource nodes(on.dataset, call.settings.nodes, call.settings.json);
  const auto sink = open_sink(call.settings.output_file);
  const auto top =
      static_cast<std::size_t>(std::min<std::int64_t>(call.settings.top, on.model.num_classes()));
  RowWriter rows(*sink, call.settings.json ? RowFormat::json : row_format_named(call.settings.output_format),
                 columns_of(on, top));
  Workspace workspace;
  for (std::vector<NodeId> batch; nodes.next(batch);) {
    const Scores scores = score(on, nodes, batch, workspace);
    for (std::size_t k = 0; k < batch.size(); ++k)
      write_row(rows, on, batch[k], scores, static_cast<Index>(k), top);
    sink->flush();
  }
  rows.finish();
  return kDone;
}

}  // namespace gat::app
