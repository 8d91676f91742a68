#include "gat/graph/clusters.hpp"

#include <numeric>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

class LabelPropagation {
 public:
  LabelPropagation(const CsrGraph& graph, Index max_nodes)
      : graph_(graph),
        max_nodes_(max_nodes),
        label_(static_cast<std::size_t>(graph.num_nodes())),
        size_(label_.size(), 1),
        votes_(label_.size(), 0) {
    std::iota(label_.begin(), label_.end(), NodeId(0));
  }

  /// One turn of every node; the number of nodes that moved.
  Index sweep() {
    Index moved = 0;
    for (NodeId node = 0; node < graph_.num_nodes(); ++node) {
      count(graph_.in_edges(node), node);
      count(graph_.out_edges(node), node);
      const NodeId old = label_[static_cast<std::size_t>(node)];
      const NodeId best = winner(old);
      if (best == old) continue;
      --size_[static_cast<std::size_t>(old)];
      ++size_[static_cast<std::size_t>(best)];
      label_[static_cast<std::size_t>(node)] = best;
      ++moved;
    }
    return moved;
  }

  Clusters finish() const {
    Clusters clusters;
    clusters.cluster_of.resize(label_.size());
    std::vector<NodeId> number(label_.size(), NodeId(-1));
    for (std::size_t i = 0; i < label_.size(); ++i) {
      NodeId& known = number[static_cast<std::size_t>(label_[i])];
      if (known < 0) known = static_cast<NodeId>(clusters.count++);
      clusters.cluster_of[i] = known;
    }
    return clusters;
  }

 private:
  void count(const EdgeRow& row, NodeId node) {
    for (Index k = 0; k < row.count; ++k) {
      if (row.node(k) == node) continue;
      const NodeId label = label_[static_cast<std::size_t>(row.node(k))];
      if (votes_[static_cast<std::size_t>(label)]++ == 0) met_.push_back(label);
    }
  }

  // The label with most votes among those with room and the node's own; clears the votes.
  NodeId winner(NodeId own) {
    NodeId best = own;
    Index most = votes_[static_cast<std::size_t>(own)];
    for (const NodeId label : met_) {
      const auto at = static_cast<std::size_t>(label);
      if (votes_[at] > most && size_[at] < max_nodes_) {
        most = votes_[at];
        best = label;
      }
    }
    for (const NodeId label : met_) votes_[static_cast<std::size_t>(label)] = 0;
    met_.clear();
    return best;
  }

  const CsrGraph& graph_;
  Index max_nodes_;
  std::vector<NodeId> label_;
  std::vector<Index> size_;   // of each label
  std::vector<Index> votes_;  // of each label, for the node in turn
  std::vector<NodeId> met_;   // labels with votes
};

}  // namespace

void ClusterOptions::validate() const {
  if (max_nodes < 1) throw UsageError("clusters: max_nodes must be at least 1");
  if (num_sweeps < 1) throw UsageError("clusters: num_sweeps must be at least 1");
}

Clusters find_clusters(const CsrGraph& graph, const ClusterOptions& options) {
  options.validate();
  if (graph.bipartite())
    throw UsageError("clusters need a graph whose sources and destinations are the same nodes");
  LabelPropagation propagation(graph, options.max_nodes);
  for (int sweep = 0; sweep < options.num_sweeps; ++sweep) {
    // The last few nodes would cost a whole sweep more.
    if (propagation.sweep() <= graph.num_nodes() / 100) break;
  }
  return propagation.finish();
}

}  // namespace gat::inline GAT_PRECISION
