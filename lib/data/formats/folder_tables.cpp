#include "data/formats/folder_tables.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "data/counted.hpp"
#include "data/feature_forms.hpp"
#include "gat/core/error.hpp"
#include "gat/io/npy.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

void require_fields(const TextTable& table, Index row, Index expected, const std::string& what) {
  if (table.num_fields(row) == expected) return;
  throw InputError(table.place(row),
                   "found " + counted(table.num_fields(row), "field") + ", expected " + what);
}

}  // namespace

void require_rows(const std::string& file, Index rows, const std::string& what, const std::string& fix) {
  if (rows == 0) throw InputError(file, "holds no " + what + "; " + fix);
}

std::string describe_table(const TextTable& table) {
  std::string text = std::filesystem::path(table.name()).filename().string();
  text += table.has_header() ? ": header: yes" : ": header: no";
  if (table.num_columns() > 1) {
    switch (table.delimiter()) {
      case ',':
        text += ", delimiter: comma";
        break;
      case ';':
        text += ", delimiter: semicolon";
        break;
      case '\t':
        text += ", delimiter: tab";
        break;
      default:
        text += ", delimiter: blanks";
        break;
    }
  }
  if (table.had_byte_order_mark()) text += ", byte-order mark dropped";
  if (table.had_carriage_returns()) text += ", line ends: CRLF or CR";
  return text;
}

NodeId find_node(const TextTable& table, std::string_view id, const NodeIds& nodes,
                 const std::string& rows_of) {
  if (const auto node = nodes.find(id)) return *node;
  if (plain_integer(id) && nodes.names().empty()) {
    throw InputError(table.place(id), "node id " + std::string(id) + " is outside 0.." +
                                          std::to_string(nodes.size() - 1) + " (" + rows_of +
                                          "); mend the id, or add a column of ids to that file");
  }
  throw InputError(table.place(id), "node id \"" + std::string(id) + "\" is unknown (" + rows_of +
                                        "); mend the id, or add it there");
}

EdgeTable::EdgeTable(const std::filesystem::path& path) : table_(path) {
  require_rows(table_.name(), table_.num_rows(), "edges", "write one line per edge: source, destination");
  const Index columns = table_.num_fields(0);
  const auto named = [&](std::initializer_list<std::string_view> names, Index otherwise) {
    for (const std::string_view name : names) {
      if (const auto column = table_.find_column(name)) return *column;
    }
    return otherwise;
  };
  source_ = named({"source", "src", "from"}, 0);
  destination_ = named({"destination", "target", "dst", "to"}, 1);
  if (source_ == destination_ || std::max(source_, destination_) >= columns) {
    source_ = 0;
    destination_ = 1;
  }
  for (Index row = 0; row < table_.num_rows(); ++row) {
    if (table_.num_fields(row) < 2) require_fields(table_, row, 2, "a source and a destination");
    require_fields(table_, row, columns, std::to_string(columns) + " as in the first row of an edge list");
  }
  for (Index column = 0; column < columns; ++column) {
    if (column == source_ || column == destination_) continue;
    (to_real(table_.field(0, column)) ? numeric_ : ignored_).push_back(column);
  }
}

std::string EdgeTable::column_name(Index column) const {
  const std::vector<std::string_view> names = table_.header();
  const auto at = static_cast<std::size_t>(column);
  if (at < names.size() && !names[at].empty()) return std::string(names[at]);
  return "column " + std::to_string(column + 1);
}

std::vector<std::string_view> EdgeTable::ids() const {
  std::vector<std::string_view> result;
  result.reserve(static_cast<std::size_t>(2 * table_.num_rows()));
  for (Index row = 0; row < table_.num_rows(); ++row) {
    for (const Index column : {source_, destination_}) {
      const std::string_view id = table_.field(row, column);
      if (id.empty())
        throw InputError(table_.place(row), "a node id is empty; expected a source and a destination");
      result.push_back(id);
    }
  }
  return result;
}

EdgeList EdgeTable::edges(const NodeIds& nodes, const std::string& rows_of) const {
  EdgeList result;
  for (Index row = 0; row < table_.num_rows(); ++row) {
    result.add(find_node(table_, table_.field(row, source_), nodes, rows_of),
               find_node(table_, table_.field(row, destination_), nodes, rows_of));
  }
  return result;
}

Matrix EdgeTable::edge_features() const {
  if (numeric_.empty()) return {};
  Matrix result(table_.num_rows(), static_cast<Index>(numeric_.size()));
  for (Index row = 0; row < result.rows(); ++row) {
    for (Index k = 0; k < result.cols(); ++k) {
      result(row, k) = table_.parse_real(table_.field(row, numeric_[static_cast<std::size_t>(k)]));
    }
  }
  return result;
}

std::vector<std::string> EdgeTable::notes() const {
  std::vector<std::string> result{describe_table(table_)};
  const auto list = [this](const std::vector<Index>& columns) {
    std::string text;
    for (const Index column : columns) text += (text.empty() ? "" : ", ") + column_name(column);
    return text;
  };
  if (!numeric_.empty()) result.push_back("edge features: " + list(numeric_));
  if (!ignored_.empty()) result.push_back("left out, not numeric: " + list(ignored_) + " of the edges");
  return result;
}

namespace {

bool is_id_word(std::string_view word) {
  std::string lower;
  for (const char c : word) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::array<std::string_view, 8> kWords{"id",     "ids",  "node",      "node_id",
                                                   "nodeid", "name", "node_name", "index"};
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

// A header says so. Without a word for it, the first column holds ids if it has words, or if it is
// made of different integers among which most of the ids of the edges are.
bool first_column_is_ids(const TextTable& table, const std::vector<std::string_view>& edge_ids) {
  if (table.num_columns() < 2) return false;
  if (table.has_header() && is_id_word(table.header()[0])) return true;
  std::unordered_set<std::string_view> seen;
  bool integers = true;
  for (Index row = 0; row < table.num_rows(); ++row) {
    const std::string_view field = table.field(row, 0);
    if (!to_real(field)) return true;
    integers = integers && plain_integer(field).has_value() && seen.insert(field).second;
  }
  if (!integers) return false;
  std::unordered_set<std::string_view> wanted(edge_ids.begin(), edge_ids.end());
  const auto found =
      std::count_if(wanted.begin(), wanted.end(), [&](std::string_view id) { return seen.contains(id); });
  return 2 * static_cast<std::size_t>(found) > wanted.size();
}

}  // namespace

FeatureTable::FeatureTable(const std::filesystem::path& path, const std::vector<std::string_view>& ids) {
  constexpr const char* kFix = "write one row per node, or remove the file for one feature per node";
  if (path.extension() == ".npy") {
    const StoredArray array = read_npy(path);
    dense_ = array.as_matrix();
    require_rows(path.string(), dense_.rows(), "features", kFix);
    require_finite(dense_, array.place());
    return;
  }
  table_.emplace(path);
  require_rows(table_->name(), table_->num_rows(), "features", kFix);
  const Index columns = table_->num_columns();
  for (Index row = 0; row < table_->num_rows(); ++row) {
    require_fields(*table_, row, columns,
                   std::to_string(columns) + " as in the longest row; rows must be equally long");
  }
  has_ids_ = first_column_is_ids(*table_, ids);
}

Matrix FeatureTable::take() {
  if (!table_) return std::move(dense_);
  const Index first = has_ids_ ? 1 : 0;
  Matrix result(table_->num_rows(), std::max<Index>(0, table_->num_columns() - first));
  for (Index row = 0; row < result.rows(); ++row) {
    for (Index k = 0; k < result.cols(); ++k)
      result(row, k) = table_->parse_real(table_->field(row, first + k));
  }
  return result;
}

}  // namespace gat::inline GAT_PRECISION
