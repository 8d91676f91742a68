#include "gat/data/statistics.hpp"

#include <algorithm>

namespace gat::inline GAT_PRECISION {

namespace {

/// What was met while looking at one node; a new node needs no clearing.
class Marks {
 public:
  explicit Marks(Index num_nodes) : node_(static_cast<std::size_t>(num_nodes), NodeId(-1)) {}
  /// Whether `other` is met for the first time while looking at `node`.
  bool first(NodeId other, Index node) {
    NodeId& mark = node_[static_cast<std::size_t>(other)];
    if (mark == static_cast<NodeId>(node)) return false;
    mark = static_cast<NodeId>(node);
    return true;
  }

 private:
  std::vector<NodeId> node_;
};

}  // namespace

EdgeStatistics edge_statistics(const CsrGraph& graph) {
  EdgeStatistics result;
  result.num_stored = graph.num_edges();
  Marks out(graph.num_nodes());
  Marks in(graph.num_nodes());
  Index degree_sum = 0;
  for (Index i = 0; i < graph.num_nodes(); ++i) {
    Index degree = 0;
    bool looped = false;
    const EdgeRow out_row = graph.out_edges(i);
    for (Index k = 0; k < out_row.count; ++k) {
      if (out_row.node(k) != i && out.first(out_row.node(k), i)) ++degree;
    }
    const EdgeRow in_row = graph.in_edges(i);
    for (Index k = 0; k < in_row.count; ++k) {
      const NodeId source = in_row.node(k);
      const bool repeated = !in.first(source, i);
      result.num_duplicates += repeated;
      if (source == i) {
        ++result.num_self_loops;
        looped = true;
      } else if (!repeated) {
        ++result.num_distinct;
        if (out.first(source, i)) {  // i has no edge back to the source
          ++result.num_one_way;
          ++degree;
        }
      }
    }
    result.num_looped += looped;
    result.num_isolated += degree == 0;
    result.max_degree = std::max(result.max_degree, degree);
    degree_sum += degree;
  }
  result.num_undirected = degree_sum / 2;
  return result;
}

std::optional<double> edge_homophily(const Dataset& dataset) {
  const std::vector<NodeId>& classes = dataset.labels.classes;
  if (classes.empty()) return std::nullopt;
  const CsrGraph& graph = dataset.graph_data.graph;
  Marks seen(graph.num_nodes());
  Index edges = 0;
  Index equal = 0;
  for (Index i = 0; i < graph.num_nodes(); ++i) {
    const NodeId own = classes[static_cast<std::size_t>(i)];
    if (own == kNoLabel) continue;
    for (const EdgeRow& row : {graph.in_edges(i), graph.out_edges(i)}) {
      for (Index k = 0; k < row.count; ++k) {
        const NodeId other = row.node(k);
        if (other >= i || !seen.first(other, i)) continue;  // each pair once, at its higher end
        const NodeId label = classes[static_cast<std::size_t>(other)];
        edges += label != kNoLabel;
        equal += label == own;
      }
    }
  }
  if (edges == 0) return std::nullopt;
  return static_cast<double>(equal) / static_cast<double>(edges);
}

namespace {

void count_node(const Dataset& dataset, Index node, std::vector<Index>& counts) {
  const Labels& labels = dataset.labels;
  if (labels.multi_label()) {
    for (Index c = 0; c < labels.targets.cols(); ++c) {
      counts[static_cast<std::size_t>(c)] += labels.targets(node, c) >= Real(0.5);
    }
  } else if (!labels.classes.empty()) {
    const NodeId label = labels.classes[static_cast<std::size_t>(node)];
    if (label != kNoLabel) ++counts[static_cast<std::size_t>(label)];
  }
}

}  // namespace

std::vector<Index> class_counts(const Dataset& dataset) {
  std::vector<Index> counts(static_cast<std::size_t>(dataset.num_classes), 0);
  for (Index i = 0; i < dataset.num_nodes(); ++i) count_node(dataset, i, counts);
  return counts;
}

std::vector<Index> class_counts(const Dataset& dataset, std::span<const NodeId> nodes) {
  std::vector<Index> counts(static_cast<std::size_t>(dataset.num_classes), 0);
  for (const NodeId node : nodes) count_node(dataset, node, counts);
  return counts;
}

Index num_unlabelled(const Dataset& dataset) {
  Index count = 0;
  for (Index i = 0; i < dataset.num_nodes(); ++i) count += !dataset.labels.labelled(static_cast<NodeId>(i));
  return count;
}

}  // namespace gat::inline GAT_PRECISION
