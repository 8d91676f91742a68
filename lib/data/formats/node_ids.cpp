#include "data/formats/node_ids.hpp"

#include <algorithm>
#include <utility>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr Index kMaxNodes = (Index(1) << 31) - 1;

}  // namespace

std::optional<std::int64_t> plain_integer(std::string_view id) {
  const std::string_view digits = id.starts_with('-') ? id.substr(1) : id;
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return std::nullopt;
  if (digits[0] == '0' && id.size() > 1) return std::nullopt;
  return to_integer(id);
}

NodeIds NodeIds::row_numbers(Index num_rows) {
  NodeIds result;
  result.size_ = num_rows;
  return result;
}

bool NodeIds::add(std::string_view id) {
  if (size_ >= kMaxNodes) throw LimitError("more than 2^31 - 1 different node ids");
  if (!by_id_.emplace(id, static_cast<NodeId>(size_)).second) return false;
  ids_.push_back(id);
  ++size_;
  return true;
}

NodeIds NodeIds::listed(const TextTable& table, Index column) {
  NodeIds result;
  for (Index row = 0; row < table.num_rows(); ++row) {
    const std::string_view id = table.field(row, column);
    if (result.add(id)) continue;
    throw InputError(table.place(id), "node \"" + std::string(id) + "\" is there a second time, first at " +
                                          table.place(*result.find(id)) + "; keep one of the rows");
  }
  return result;
}

NodeIds NodeIds::collected(const std::vector<std::string_view>& ids) {
  std::vector<std::pair<std::int64_t, std::string_view>> numbers;
  for (const std::string_view id : ids) {
    const auto number = plain_integer(id);
    if (!number) break;
    numbers.emplace_back(*number, id);
  }
  NodeIds result;
  if (numbers.size() < ids.size()) {
    for (const std::string_view id : ids) result.add(id);
    return result;
  }
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end(), same), numbers.end());
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (count > 0 && numbers.front().first == 0 && numbers.back().first == count - 1) return row_numbers(count);
  for (const auto& [number, id] : numbers) result.add(id);
  return result;
}

std::optional<NodeId> NodeIds::find(std::string_view id) const {
  if (ids_.empty()) {
    const auto number = plain_integer(id);
    if (!number || *number < 0 || *number >= size_) return std::nullopt;
    return static_cast<NodeId>(*number);
  }
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> NodeIds::names() const {
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    if (ids_[k] != std::to_string(k)) return {ids_.begin(), ids_.end()};
  }
  return {};
}

}  // namespace gat::inline GAT_PRECISION
