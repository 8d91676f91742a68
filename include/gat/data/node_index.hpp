/// From the original ids of a data set to its nodes.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// Looks ids up in O(1); building it costs O(N). It borrows the data set's names and is valid while
/// the data set lives and its names stay as they are.
class NodeIndex {
 public:
  explicit NodeIndex(const Dataset& dataset);

  /// The node with this original id; nothing when there is none. Where the data set has no names,
  /// ids are the numbers 0, 1, …, N − 1 in plain decimal form.
  std::optional<NodeId> find(std::string_view name) const;

 private:
  Index num_nodes_;
  std::unordered_map<std::string_view, NodeId> by_name_;
};

}  // namespace gat::inline GAT_PRECISION
