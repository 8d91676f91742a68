#include "run/predictions.hpp"

#include <algorithm>

namespace gat::app {

namespace {

void add_name(std::string& names, const std::string& name) { names += (names.empty() ? "" : ";") + name; }

std::vector<const char*> part_of_nodes(Index num_nodes, const Split& split) {
  std::vector<const char*> parts(static_cast<std::size_t>(num_nodes), "none");
  const auto mark = [&](const std::vector<NodeId>& nodes, const char* name) {
    for (const NodeId node : nodes) parts[static_cast<std::size_t>(node)] = name;
  };
  mark(split.train, "train");
  mark(split.validation, "validation");
  mark(split.test, "test");
  return parts;
}

}  // namespace

std::vector<std::string> probability_columns(const std::vector<std::string>& class_names) {
  std::vector<std::string> columns;
  for (const std::string& name : class_names) columns.push_back("probability_" + name);
  return columns;
}

std::string predicted_class(std::span<const Real> class_logits, const ModelDescription& model) {
  if (!model.multi_label) {
    const auto best = std::max_element(class_logits.begin(), class_logits.end());
    return model.class_names[static_cast<std::size_t>(best - class_logits.begin())];
  }
  std::string names;
  for (std::size_t c = 0; c < class_logits.size(); ++c) {
    if (class_logits[c] > 0) add_name(names, model.class_names[c]);
  }
  return names;
}

std::string true_class(const Dataset& dataset, NodeId node) {
  if (dataset.labels.empty() || !dataset.labels.labelled(node)) return "";
  if (!dataset.labels.multi_label()) {
    return dataset
        .class_names[static_cast<std::size_t>(dataset.labels.classes[static_cast<std::size_t>(node)])];
  }
  std::string names;
  for (Index c = 0; c < dataset.num_classes; ++c) {
    if (dataset.labels.targets(node, c) >= Real(0.5))
      add_name(names, dataset.class_names[static_cast<std::size_t>(c)]);
  }
  return names;
}

void write_run_predictions(Sink& sink, const Dataset& dataset, const Split& split, const Model& model,
                           ConstMatrixView class_logits) {
  const ModelDescription& description = model.description();
  std::vector<std::string> columns{"node", "id", "true", "predicted", "split"};
  for (std::string& column : probability_columns(description.class_names))
    columns.push_back(std::move(column));
  RowWriter rows(sink, RowFormat::csv, std::move(columns));
  const std::vector<const char*> parts = part_of_nodes(dataset.num_nodes(), split);
  Matrix probabilities(class_logits.rows, class_logits.cols);
  model.to_probabilities(class_logits, probabilities);
  for (Index i = 0; i < class_logits.rows; ++i) {
    const auto node = static_cast<NodeId>(i);
    rows.integer(node).text(dataset.node_name(node)).text(true_class(dataset, node));
    rows.text(
        predicted_class({class_logits.row(i), static_cast<std::size_t>(class_logits.cols)}, description));
    rows.text(parts[static_cast<std::size_t>(i)]);
    for (Index c = 0; c < class_logits.cols; ++c) rows.number(probabilities(i, c));
    rows.end_row();
  }
  rows.finish();
}

}  // namespace gat::app
