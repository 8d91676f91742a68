/// How the ids in text files become nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gat/io/text_table.hpp"

namespace gat::inline GAT_PRECISION {

/// An integer in the plain form `0`, `17`, `-4`, so that equal numbers are equal texts; nothing else.
std::optional<std::int64_t> plain_integer(std::string_view id);

/// A numbering of the nodes of a folder. Ids are compared as texts and may be any words or numbers.
/// It borrows the tables that the ids come from.
class NodeIds {
 public:
  /// The ids are the row numbers 0, …, num_rows − 1.
  static NodeIds row_numbers(Index num_rows);
  /// In the order of a table's column. \throws InputError for an id that is there twice
  static NodeIds listed(const TextTable& table, Index column);
  /// Any ids, repeated or not: sorted if all are integers, else in order of first appearance.
  static NodeIds collected(const std::vector<std::string_view>& ids);

  Index size() const { return size_; }
  std::optional<NodeId> find(std::string_view id) const;
  /// One name per node; none when the ids are 0, …, N − 1 in order.
  std::vector<std::string> names() const;

 private:
  bool add(std::string_view id);

  Index size_ = 0;
  std::vector<std::string_view> ids_;  // empty = row numbers
  std::unordered_map<std::string_view, NodeId> by_id_;
};

}  // namespace gat::inline GAT_PRECISION
