/// A data set for node classification: graph, features, labels, names and stored splits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gat/graph/graph_builder.hpp"
#include "gat/graph/graph_data.hpp"

namespace gat::inline GAT_PRECISION {

/// The class of a node without label.
inline constexpr NodeId kNoLabel = -1;

/// The truth. Exactly one of the two forms is filled; both empty = the data set has no labels.
struct Labels {
  /// One class in [0, num_classes) per node, or `kNoLabel`.
  std::vector<NodeId> classes;
  /// N × C targets in [0, 1] for several labels per node; NaN = missing entry.
  Matrix targets;

  bool multi_label() const { return targets.cols() > 0; }
  bool empty() const { return classes.empty() && !multi_label(); }
  /// Whether a node can serve in a split: it has a class, or at least one target that is not missing.
  bool labelled(NodeId node) const;
};

/// Which nodes train, choose the model, and are scored; sorted, disjoint lists of node ids.
struct Split {
  std::vector<NodeId> train;
  std::vector<NodeId> validation;
  std::vector<NodeId> test;
};

/// Everything that is known about one data set. Edges are as stored in the files: no added loops, no
/// added reverse edges, duplicates kept; `suggested_direction` says which way messages should go.
struct Dataset {
  std::string name;    ///< "cora", or the stem of the path
  std::string format;  ///< name of the format that was read
  std::string source;  ///< path, or "embedded" or "generated"
  GraphData graph_data;
  Labels labels;
  Index num_classes = 0;
  std::vector<std::string> class_names;  ///< num_classes names; the number itself where files have none
  std::vector<std::string> node_names;   ///< original ids; empty = 0, 1, …, N − 1
  std::vector<Split> splits;             ///< stored splits, in order; may be empty
  std::string split_kind;                ///< "public" (one well-known split), "stored" or ""
  Direction suggested_direction = Direction::as_given;
  std::vector<std::string> notes;  ///< what a user should know about the files

  Index num_nodes() const { return graph_data.num_nodes(); }
  /// The original id of a node.
  std::string node_name(NodeId node) const;
  /// The node with an original id; O(N), many ids are looked up by a `NodeIndex`.
  /// \throws InputError naming the id when there is none
  NodeId node_named(const std::string& name) const;
  /// 64-bit digest of edges, features, labels and names (16 hexadecimal digits); a model file keeps it.
  /// Dense and sparse features, and both precisions, give the same digest; stored splits do not count.
  std::string fingerprint() const;
  /// Throws `InputError` or `ShapeError` when parts do not fit together: sizes, ranges, names given
  /// twice, splits that are not sorted or not disjoint.
  void validate() const;
};

}  // namespace gat::inline GAT_PRECISION
