#include "data/finish_dataset.hpp"

#include <cmath>

#include "data/counted.hpp"
#include "gat/data/statistics.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

void note_edges(Dataset& dataset) {
  const EdgeStatistics counts = edge_statistics(dataset.graph_data.graph);
  std::vector<std::string>& notes = dataset.notes;
  if (counts.num_duplicates > 0) notes.push_back(counted(counts.num_duplicates, "duplicate edge"));
  if (counts.num_self_loops > 0) notes.push_back(counted(counts.num_self_loops, "self-loop"));
  if (counts.num_one_way > 0) {
    notes.push_back(std::to_string(counts.num_one_way) + " of " + counted(counts.num_distinct, "edge") +
                    (counts.num_one_way == 1 ? " has" : " have") + " no reverse; " +
                    (dataset.suggested_direction == Direction::symmetrize
                         ? "the suggested direction, symmetrize, adds what is missing"
                         : "--direction symmetrize adds what is missing"));
  }
  if (counts.num_isolated > 0) notes.push_back(counted(counts.num_isolated, "isolated node"));
}

void note_labels(Dataset& dataset) {
  const Labels& labels = dataset.labels;
  if (labels.empty()) {
    dataset.notes.push_back("no labels");
    return;
  }
  const Index unlabelled = num_unlabelled(dataset);
  if (unlabelled > 0) dataset.notes.push_back(counted(unlabelled, "unlabelled node"));
  Index missing = 0;
  for (Index k = 0; k < labels.targets.size(); ++k) missing += std::isnan(labels.targets.data()[k]);
  if (missing > 0) dataset.notes.push_back(counted(missing, "unlabelled target"));
}

}  // namespace

CsrGraph graph_as_given(const EdgeList& edges, Index num_nodes) {
  GraphPolicy policy;
  policy.self_loops = SelfLoops::as_given;
  policy.duplicates = Duplicates::keep;
  return build_graph(edges, num_nodes, policy).graph;
}

void finish_dataset(Dataset& dataset) {
  if (dataset.class_names.empty()) {
    for (Index c = 0; c < dataset.num_classes; ++c) dataset.class_names.push_back(std::to_string(c));
  }
  dataset.validate();
  note_edges(dataset);
  note_labels(dataset);
}

}  // namespace gat::inline GAT_PRECISION
