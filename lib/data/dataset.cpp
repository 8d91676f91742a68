#include "gat/data/dataset.hpp"

#include <bit>
#include <cmath>
#include <span>
#include <unordered_set>

#include "data/counted.hpp"
#include "gat/core/error.hpp"
#include "gat/data/node_index.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

/// An ordered digest of 64-bit words (SplitMix64's finaliser, chained).
class Digest {
 public:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  // In single precision, so that both builds agree; all NaNs, and both zeros, are one number.
  static std::uint64_t number(Real value) {
    if (std::isnan(value)) return 0x7fc00000U;
    return value == 0 ? 0 : std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }

  void add(std::uint64_t word) { state_ = mix(state_ + 0x9e3779b97f4a7c15ULL + word); }
  void add(Index count) { add(static_cast<std::uint64_t>(count)); }
  void add(const std::vector<std::string>& names) {
    add(static_cast<Index>(names.size()));
    for (const std::string& name : names) {
      add(static_cast<Index>(name.size()));
      for (const char c : name) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
  }
  void add(ConstMatrixView matrix) {
    add(matrix.rows);
    add(matrix.cols);
    for (Index i = 0; i < matrix.rows; ++i) {
      for (Index j = 0; j < matrix.cols; ++j) add(number(matrix(i, j)));
    }
  }
  std::string text() const {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(state_ >> shift) & 15];
    return digits;
  }

 private:
  std::uint64_t state_ = 0;
};

// The entries of a row are summed, so that neither zeros nor the order of columns count.
void add_features(Digest& digest, const Features& features) {
  const auto entry = [](Index column, Real value) {
    return value == 0
               ? 0
               : Digest::mix(Digest::mix(static_cast<std::uint64_t>(column) + 1) + Digest::number(value));
  };
  digest.add(features.rows());
  digest.add(features.cols());
  for (Index i = 0; i < features.rows(); ++i) {
    std::uint64_t row = 0;
    if (features.is_sparse) {
      const CsrMatrix& sparse = features.sparse;
      const auto at = static_cast<std::size_t>(i);
      for (EdgeId k = sparse.row_offsets[at]; k < sparse.row_offsets[at + 1]; ++k) {
        const auto e = static_cast<std::size_t>(k);
        row += entry(sparse.column_indices[e], sparse.values[e]);
      }
    } else {
      for (Index j = 0; j < features.cols(); ++j) row += entry(j, features.dense(i, j));
    }
    digest.add(row);
  }
}

[[noreturn]] void refuse(const Dataset& dataset, const std::string& message) {
  throw InputError(dataset.source.empty() ? "data set \"" + dataset.name + "\"" : dataset.source, message);
}

void check_classes(const Dataset& dataset) {
  const std::vector<NodeId>& classes = dataset.labels.classes;
  if (static_cast<Index>(classes.size()) != dataset.num_nodes()) {
    refuse(dataset, counted(static_cast<Index>(classes.size()), "label") + " for " +
                        counted(dataset.num_nodes(), "node") + "; give one per node");
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == kNoLabel || (classes[i] >= 0 && classes[i] < dataset.num_classes)) continue;
    refuse(dataset, "node " + dataset.node_name(static_cast<NodeId>(i)) + " has class " +
                        std::to_string(classes[i]) + ", outside 0.." +
                        std::to_string(dataset.num_classes - 1) + "; -1 stands for no label");
  }
}

void check_targets(const Dataset& dataset) {
  const Matrix& targets = dataset.labels.targets;
  if (!dataset.labels.classes.empty()) refuse(dataset, "labels are given both as classes and as targets");
  if (targets.rows() != dataset.num_nodes() || targets.cols() != dataset.num_classes) {
    throw ShapeError("targets are " + std::to_string(targets.rows()) + " x " +
                     std::to_string(targets.cols()) + ", expected nodes x classes = " +
                     std::to_string(dataset.num_nodes()) + " x " + std::to_string(dataset.num_classes));
  }
  for (Index i = 0; i < targets.rows(); ++i) {
    for (Index c = 0; c < targets.cols(); ++c) {
      if (std::isnan(targets(i, c)) || (targets(i, c) >= 0 && targets(i, c) <= 1)) continue;
      refuse(dataset, "node " + dataset.node_name(static_cast<NodeId>(i)) + ", target " + std::to_string(c) +
                          " is outside [0, 1]; NaN stands for a missing one");
    }
  }
}

void check_names(const Dataset& dataset) {
  if (static_cast<Index>(dataset.class_names.size()) != dataset.num_classes) {
    refuse(dataset, counted(static_cast<Index>(dataset.class_names.size()), "class name") + " for " +
                        std::to_string(dataset.num_classes) + " classes");
  }
  if (dataset.node_names.empty()) return;
  if (static_cast<Index>(dataset.node_names.size()) != dataset.num_nodes()) {
    refuse(dataset, counted(static_cast<Index>(dataset.node_names.size()), "node name") + " for " +
                        counted(dataset.num_nodes(), "node"));
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : dataset.node_names) {
    if (!seen.insert(name).second) refuse(dataset, "two nodes have the id \"" + name + "\"");
  }
}

void check_split(const Dataset& dataset, std::size_t index) {
  const Split& split = dataset.splits[index];
  const std::string what = "stored split " + std::to_string(index) + ": ";
  std::vector<std::uint8_t> used(static_cast<std::size_t>(dataset.num_nodes()), 0);
  for (const std::vector<NodeId>* part : {&split.train, &split.validation, &split.test}) {
    NodeId previous = -1;
    for (const NodeId node : *part) {
      if (node < 0 || node >= dataset.num_nodes()) {
        refuse(dataset, what + "node " + std::to_string(node) + " is outside 0.." +
                            std::to_string(dataset.num_nodes() - 1));
      }
      if (node <= previous) refuse(dataset, what + "node " + std::to_string(node) + " is out of order");
      previous = node;
      std::uint8_t& seen = used[static_cast<std::size_t>(node)];
      if (seen != 0) refuse(dataset, what + "node " + dataset.node_name(node) + " is in two parts");
      seen = 1;
    }
  }
}

}  // namespace

bool Labels::labelled(NodeId node) const {
  if (!multi_label()) {
    return static_cast<std::size_t>(node) < classes.size() &&
           classes[static_cast<std::size_t>(node)] != kNoLabel;
  }
  for (Index c = 0; c < targets.cols(); ++c) {
    if (!std::isnan(targets(node, c))) return true;
  }
  return false;
}

std::string Dataset::node_name(NodeId node) const {
  return node_names.empty() ? std::to_string(node) : node_names[static_cast<std::size_t>(node)];
}

NodeId Dataset::node_named(const std::string& name_of_node) const {
  if (const auto node = NodeIndex(*this).find(name_of_node)) return *node;
  const std::string known = num_nodes() == 0     ? "it has no nodes"
                            : node_names.empty() ? "its ids are 0.." + std::to_string(num_nodes() - 1)
                                                 : "its first id is \"" + node_names.front() + "\"";
  throw InputError("data set \"" + name + "\"", "there is no node \"" + name_of_node + "\"; " + known);
}

std::string Dataset::fingerprint() const {
  Digest digest;
  const CsrGraph& graph = graph_data.graph;
  digest.add(graph.num_nodes());
  for (const EdgeId offset : graph.row_offsets()) digest.add(offset);
  for (const NodeId source_node : graph.column_indices()) digest.add(static_cast<Index>(source_node));
  if (graph_data.has_edge_features()) {  // their rows follow the user's edges, not the graph's
    for (const EdgeId user_edge : graph.user_edge_ids()) digest.add(user_edge);
    digest.add(graph_data.edge_features);
  }
  add_features(digest, graph_data.features);
  digest.add(num_classes);
  digest.add(static_cast<Index>(labels.classes.size()));
  for (const NodeId label : labels.classes) digest.add(static_cast<Index>(label));
  digest.add(labels.targets);
  digest.add(class_names);
  digest.add(node_names);
  return digest.text();
}

void Dataset::validate() const {
  if (graph_data.graph.bipartite())
    refuse(*this, "the graph is bipartite; node classification needs one kind of node");
  graph_data.validate();
  if (num_classes < 0) refuse(*this, "the number of classes is negative");
  if (labels.multi_label()) check_targets(*this);
  else if (!labels.classes.empty()) check_classes(*this);
  check_names(*this);
  for (std::size_t k = 0; k < splits.size(); ++k) check_split(*this, k);
}

}  // namespace gat::inline GAT_PRECISION
