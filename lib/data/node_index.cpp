#include "gat/data/node_index.hpp"

#include <charconv>

namespace gat::inline GAT_PRECISION {

NodeIndex::NodeIndex(const Dataset& dataset) : num_nodes_(dataset.num_nodes()) {
  by_name_.reserve(dataset.node_names.size());
  NodeId node = 0;
  for (const std::string& name : dataset.node_names) by_name_.emplace(name, node++);
}

std::optional<NodeId> NodeIndex::find(std::string_view name) const {
  if (!by_name_.empty()) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
  }
  NodeId node = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, node);
  if (error != std::errc() || stop != end || node < 0 || node >= num_nodes_) return std::nullopt;
  return node;
}

}  // namespace gat::inline GAT_PRECISION
