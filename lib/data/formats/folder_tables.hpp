/// The tables of a plain folder: edges, features, labels; each read once and checked on its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/node_ids.hpp"
#include "gat/data/dataset.hpp"
#include "gat/io/text_table.hpp"

namespace gat::inline GAT_PRECISION {

/// What was detected about a table, as a note: header, delimiter, byte-order mark, line ends.
std::string describe_table(const TextTable& table);

/// Refuses a table without rows (a header may be there).
/// \throws InputError `FILE: holds no WHAT; FIX`
void require_rows(const std::string& file, Index rows, const std::string& what, const std::string& fix);

/// An edge list: source, destination, and further columns. The numeric ones are edge features.
class EdgeTable {
 public:
  /// \throws InputError when there are no rows, or they differ in length or have fewer than two fields
  explicit EdgeTable(const std::filesystem::path& path);

  const TextTable& table() const { return table_; }
  /// The sources and destinations of all rows, row by row.
  std::vector<std::string_view> ids() const;
  /// \param rows_of what defines the nodes, for messages: `features.npy has 5 rows`
  EdgeList edges(const NodeIds& nodes, const std::string& rows_of) const;
  /// One row per edge; no columns when there are none.
  Matrix edge_features() const;
  /// What became of the columns beyond the second.
  std::vector<std::string> notes() const;

 private:
  std::string column_name(Index column) const;

  TextTable table_;
  Index source_ = 0;
  Index destination_ = 1;
  std::vector<Index> numeric_;  ///< columns of edge features
  std::vector<Index> ignored_;
};

/// Features, from a table or an .npy file.
class FeatureTable {
 public:
  /// \param ids the ids of the edge list; they tell whether the first column holds ids
  FeatureTable(const std::filesystem::path& path, const std::vector<std::string_view>& ids);

  bool has_ids() const { return has_ids_; }
  const std::optional<TextTable>& table() const { return table_; }
  Index num_rows() const { return table_ ? table_->num_rows() : dense_.rows(); }
  /// Moves the numbers out; one row per row of the file.
  Matrix take();

 private:
  std::optional<TextTable> table_;
  bool has_ids_ = false;
  Matrix dense_;
};

/// Labels: a class or several 0/1 columns, with or without ids.
class LabelTable {
 public:
  explicit LabelTable(const std::filesystem::path& path);

  const TextTable& table() const { return table_; }
  bool has_ids() const { return has_ids_; }
  std::vector<std::string_view> ids() const;
  /// Fills labels, class names and notes of a data set whose nodes are numbered by `nodes`.
  void set_labels(Dataset& dataset, const NodeIds& nodes, const std::string& rows_of) const;

 private:
  bool is_multi_label() const { return table_.num_columns() - has_ids_ > 1; }
  NodeId node_of_row(Index row, const NodeIds& nodes, const std::string& rows_of,
                     std::vector<Index>& row_of_node) const;
  void set_classes(Dataset& dataset, const NodeIds& nodes, const std::string& rows_of) const;
  void set_targets(Dataset& dataset, const NodeIds& nodes, const std::string& rows_of) const;

  TextTable table_;
  bool has_ids_ = false;
};

/// The node of an id. \throws InputError with its place when there is none
NodeId find_node(const TextTable& table, std::string_view id, const NodeIds& nodes,
                 const std::string& rows_of);

}  // namespace gat::inline GAT_PRECISION
