/// Tables as CSV, TSV, JSON lines or one JSON array, written row by row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gat/core/real.hpp"
#include "output/sink.hpp"

namespace gat::app {

enum class RowFormat { csv, tsv, jsonl, json };

/// \throws UsageError for an unknown name
RowFormat row_format_named(std::string_view name);

/// Cells are given in the order of the columns. Numbers have the shortest text that reads back as the
/// same number. CSV quotes where RFC 4180 says so; in TSV a tab, a line break and a backslash become
/// \t, \n and \\; an absent cell is empty, in JSON null.
class RowWriter {
 public:
  RowWriter(Sink& sink, RowFormat format, std::vector<std::string> columns);

  RowWriter& text(std::string_view value);
  RowWriter& number(Real value);
  RowWriter& integer(std::int64_t value);
  /// 1 or 0; in JSON true or false.
  RowWriter& flag(bool value);
  RowWriter& absent();
  void end_row();
  /// Closes the table and the sink.
  void finish();

 private:
  bool is_json() const { return format_ == RowFormat::jsonl || format_ == RowFormat::json; }
  void cell(std::string_view bytes);

  Sink& sink_;
  RowFormat format_;
  std::vector<std::string> columns_;  // as they stand in the output
  std::string row_;
  std::size_t column_ = 0;
  bool first_row_ = true;
};

}  // namespace gat::app
