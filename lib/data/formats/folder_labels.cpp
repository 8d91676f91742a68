#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "data/counted.hpp"
#include "data/formats/folder_tables.hpp"
#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

bool is_missing(std::string_view field) {
  if (field.empty()) return true;
  return field.size() == 3 && (field[0] | 32) == 'n' && (field[1] | 32) == 'a' && (field[2] | 32) == 'n';
}

bool is_target(std::string_view field) {
  return field == "0" || field == "1" || field == "0.0" || field == "1.0";
}

// Ids differ from each other: a table of nothing but zeros and ones whose first column repeats itself
// has no column of ids.
bool is_table_of_targets(const TextTable& table) {
  std::set<std::string_view> seen;
  bool repeated = false;
  for (Index row = 0; row < table.num_rows(); ++row) {
    for (Index column = 0; column < table.num_fields(row); ++column) {
      const std::string_view field = table.field(row, column);
      if (!is_missing(field) && !is_target(field)) return false;
    }
    repeated = (table.num_fields(row) > 0 && !seen.insert(table.field(row, 0)).second) || repeated;
  }
  return repeated;
}

/// Classes in order: by value when all are numbers, else by name.
std::vector<std::string> sorted_classes(const std::set<std::string_view>& names) {
  std::vector<std::pair<Real, std::string_view>> order;
  bool numeric = true;
  for (const std::string_view name : names) {
    const auto value = to_real(name);
    numeric = numeric && value.has_value();
    order.emplace_back(value.value_or(0), name);
  }
  if (numeric) std::sort(order.begin(), order.end());
  std::vector<std::string> result;
  if (numeric) {
    for (const auto& [value, name] : order) result.emplace_back(name);
  } else {
    result.assign(names.begin(), names.end());
  }
  return result;
}

}  // namespace

LabelTable::LabelTable(const std::filesystem::path& path) : table_(path) {
  require_rows(table_.name(), table_.num_rows(), "labels",
               "write one line per node: node id, label; or remove the file");
  has_ids_ = table_.num_columns() > 1 && !(table_.num_rows() > 2 && is_table_of_targets(table_));
  const Index columns = table_.num_columns();
  const Index fewest = columns == 2 ? 1 : columns;  // an id alone has no label
  for (Index row = 0; row < table_.num_rows(); ++row) {
    if (table_.num_fields(row) >= fewest) continue;
    throw InputError(table_.place(row), "found " + counted(table_.num_fields(row), "field") + ", expected " +
                                            std::to_string(columns) + " as in the longest row");
  }
}

std::vector<std::string_view> LabelTable::ids() const {
  std::vector<std::string_view> result;
  if (!has_ids_) return result;
  for (Index row = 0; row < table_.num_rows(); ++row) {
    const std::string_view id = table_.field(row, 0);
    if (id.empty())
      throw InputError(table_.place(row), "the node id is empty; expected a node id and a label");
    result.push_back(id);
  }
  return result;
}

NodeId LabelTable::node_of_row(Index row, const NodeIds& nodes, const std::string& rows_of,
                               std::vector<Index>& row_of_node) const {
  if (!has_ids_) return static_cast<NodeId>(row);
  const std::string_view id = table_.field(row, 0);
  const NodeId node = find_node(table_, id, nodes, rows_of);
  Index& earlier = row_of_node[static_cast<std::size_t>(node)];
  if (earlier >= 0) {
    throw InputError(table_.place(id), "node \"" + std::string(id) +
                                           "\" is labelled a second time, first at " + table_.place(earlier) +
                                           "; keep one of the lines");
  }
  earlier = row;
  return node;
}

void LabelTable::set_labels(Dataset& dataset, const NodeIds& nodes, const std::string& rows_of) const {
  if (!has_ids_ && table_.num_rows() != nodes.size()) {
    throw InputError(table_.name(), "found " + counted(table_.num_rows(), "label") + ", expected " +
                                        std::to_string(nodes.size()) + " (" + rows_of +
                                        "); give one label per row, or a node id and a label");
  }
  dataset.notes.push_back(describe_table(table_));
  if (is_multi_label()) set_targets(dataset, nodes, rows_of);
  else set_classes(dataset, nodes, rows_of);
}

void LabelTable::set_classes(Dataset& dataset, const NodeIds& nodes, const std::string& rows_of) const {
  const Index column = has_ids_ ? 1 : 0;
  const auto label_of = [&](Index row) {
    return table_.num_fields(row) > column ? table_.field(row, column) : std::string_view();
  };
  std::set<std::string_view> names;
  for (Index row = 0; row < table_.num_rows(); ++row) {
    if (!is_missing(label_of(row))) names.insert(label_of(row));
  }
  dataset.class_names = sorted_classes(names);
  dataset.num_classes = static_cast<Index>(dataset.class_names.size());
  std::unordered_map<std::string_view, NodeId> number;
  for (const std::string& name : dataset.class_names)
    number.emplace(name, static_cast<NodeId>(number.size()));
  if (names.contains("-1") && names.contains("0") && names.size() > 2) {
    dataset.notes.push_back("\"-1\" is taken as a class; write nan, or nothing, for nodes without a label");
  }

  dataset.labels.classes.assign(static_cast<std::size_t>(nodes.size()), kNoLabel);
  std::vector<Index> row_of_node(static_cast<std::size_t>(nodes.size()), Index(-1));
  for (Index row = 0; row < table_.num_rows(); ++row) {
    const NodeId node = node_of_row(row, nodes, rows_of, row_of_node);
    const std::string_view label = label_of(row);
    if (!is_missing(label)) dataset.labels.classes[static_cast<std::size_t>(node)] = number.at(label);
  }
}

void LabelTable::set_targets(Dataset& dataset, const NodeIds& nodes, const std::string& rows_of) const {
  const Index first = has_ids_ ? 1 : 0;
  dataset.num_classes = table_.num_columns() - first;
  const std::vector<std::string_view> header = table_.header();
  for (Index c = 0; c < dataset.num_classes; ++c) {
    const auto at = static_cast<std::size_t>(first + c);
    dataset.class_names.push_back(at < header.size() ? std::string(header[at]) : std::to_string(c));
  }
  Matrix& targets = dataset.labels.targets;
  targets.resize(nodes.size(), dataset.num_classes);
  targets.view().fill(std::numeric_limits<Real>::quiet_NaN());
  std::vector<Index> row_of_node(static_cast<std::size_t>(nodes.size()), Index(-1));
  for (Index row = 0; row < table_.num_rows(); ++row) {
    const NodeId node = node_of_row(row, nodes, rows_of, row_of_node);
    for (Index c = 0; c < dataset.num_classes; ++c) {
      const std::string_view field = table_.field(row, first + c);
      if (is_missing(field)) continue;
      if (!is_target(field)) {
        throw InputError(table_.place(field),
                         "found \"" + std::string(field) +
                             "\", expected 0, 1 or nan: several columns are several labels per "
                             "node; keep a single label column for classes");
      }
      targets(node, c) = field[0] == '1' ? Real(1) : Real(0);
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
