/// Text tables as people hold them: edge lists, features, labels, in CSV or with tabs or blanks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gat/io/file.hpp"

namespace gat::inline GAT_PRECISION {

/// A number without sign rules of a locale: `1`, `-2.5`, `+1e-3`, `nan`, `inf`; nothing unless the whole
/// field is one. A real too small for Real becomes 0; one too large gives nothing.
std::optional<Real> to_real(std::string_view field);
std::optional<std::int64_t> to_integer(std::string_view field);

enum class HeaderRule { automatic, yes, no };

struct TextTableOptions {
  char delimiter = '\0';  ///< ',', ';', '\t', or ' ' for runs of blanks and tabs; '\0': from the content
  HeaderRule header = HeaderRule::automatic;
  bool comments = true;  ///< lines that start with # or % are left out
  Index byte_limit = kDefaultByteLimit;
};

/// The rows of a text file, cut into fields.
///
/// The delimiter comes from the content of the first 100 rows: the first of tab, semicolon, comma and
/// blanks that cuts all of them into the same number of fields (more than one); failing that, the one
/// that occurs in most rows. Blank lines and blanks around fields do not count; # and % start a comment
/// only at the start of a line. A byte-order mark is dropped, lines end in LF, CRLF or CR, the last one
/// may lack its end. A field may stand in double quotes, with "" for a quote inside; quotes close on the
/// same line. The text is UTF-8.
///
/// The first row is a header (automatic rule) if a column has words there and numbers below and the
/// row has no number itself (or the word is one of the usual ones: source, target, id, label, …), or if
/// it has no number and a usual word that does not occur again below it. Rows may differ in length; the
/// caller decides what that means.
///
/// Throws `InputError` (bytes that are not UTF-8, zero bytes, an open quote) and `LimitError` (a line
/// above 16 MiB). Keeps the file's bytes and 8 bytes per field.
class TextTable {
 public:
  /// Reads a file; one packed by gzip is unpacked.
  explicit TextTable(const std::filesystem::path& path, const TextTableOptions& options = {});
  /// Takes text from memory; `name` stands for the path in messages.
  TextTable(std::string text, std::string name, const TextTableOptions& options = {});

  /// Rows of data, without the header.
  Index num_rows() const { return static_cast<Index>(rows_.size()) - 1 - first_row_; }
  Index num_fields(Index row) const { return num_fields_of(row + first_row_); }
  /// The longest row's number of fields, and whether all rows have it.
  Index num_columns() const { return num_columns_; }
  bool is_rectangular() const { return rectangular_; }
  /// \pre 0 ≤ row < num_rows(), 0 ≤ column < num_fields(row)
  std::string_view field(Index row, Index column) const { return field_of(row + first_row_, column); }
  /// The names of the columns; empty without a header.
  std::vector<std::string_view> header() const;
  /// The position of a header's word, ignoring case; nothing when there is none.
  std::optional<Index> find_column(std::string_view name) const;

  bool has_header() const { return first_row_ == 1; }
  char delimiter() const { return delimiter_; }
  bool had_byte_order_mark() const { return had_byte_order_mark_; }
  bool had_carriage_returns() const { return had_carriage_returns_; }

  /// `path:line` of a row, and `path:line:column` (counted in bytes from 1) of a field or a part of one.
  /// \pre `part` was obtained from this table
  std::string place(Index row) const;
  std::string place(std::string_view part) const;
  const std::string& name() const { return name_; }

  /// The number in a field or in a part of one; `InputError` with the place when it is not one. NaN and
  /// infinities are errors unless allowed. \pre `part` was obtained from this table
  Real parse_real(std::string_view part, bool allow_non_finite = false) const;
  std::int64_t parse_integer(std::string_view part) const;

 private:
  struct Row {
    std::size_t begin = 0;        // of the line in text_
    std::size_t first_field = 0;  // in fields_
    Index line = 0;               // counted from 1
  };
  struct Field {
    std::uint32_t offset = 0;  // from the row's begin
    std::uint32_t length = 0;
  };

  Index num_fields_of(Index r) const {
    const auto i = static_cast<std::size_t>(r);
    return static_cast<Index>(rows_[i + 1].first_field - rows_[i].first_field);
  }
  std::string_view field_of(Index r, Index column) const {
    const Row& row = rows_[static_cast<std::size_t>(r)];
    const Field& f = fields_[row.first_field + static_cast<std::size_t>(column)];
    return std::string_view(text_).substr(row.begin + f.offset, f.length);
  }
  void parse(const TextTableOptions& options);
  void check_encoding() const;
  void measure_rows();
  bool looks_like_header() const;

  std::string text_;
  std::string name_;
  std::vector<Row> rows_;  // the header if there is one, the data, and one entry for the end
  std::vector<Field> fields_;
  Index first_row_ = 0;
  Index num_columns_ = 0;
  bool rectangular_ = true;
  char delimiter_ = ' ';
  bool had_byte_order_mark_ = false;
  bool had_carriage_returns_ = false;
};

}  // namespace gat::inline GAT_PRECISION
