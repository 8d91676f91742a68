#include "output/rows.hpp"

#include <cmath>
#include <utility>

#include "gat/core/error.hpp"
#include "options/option_value.hpp"
#include "output/json.hpp"

namespace gat::app {

namespace {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string tsv_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\t':
        escaped += "\\t";
        break;
      case '\n':
        escaped += "\\n";
        break;
      case '\r':
        escaped += "\\r";
        break;
      case '\\':
        escaped += "\\\\";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string spelled(RowFormat format, std::string_view text) {
  switch (format) {
    case RowFormat::csv:
      return csv_cell(text);
    case RowFormat::tsv:
      return tsv_cell(text);
    case RowFormat::jsonl:
    case RowFormat::json:
      break;
  }
  return json_line(Json(text));
}

}  // namespace

RowFormat row_format_named(std::string_view name) {
  if (name == "csv") return RowFormat::csv;
  if (name == "tsv") return RowFormat::tsv;
  if (name == "jsonl") return RowFormat::jsonl;
  if (name == "json") return RowFormat::json;
  throw UsageError("unknown format of rows \"" + std::string(name) + "\"");
}

RowWriter::RowWriter(Sink& sink, RowFormat format, std::vector<std::string> columns)
    : sink_(sink), format_(format), columns_(std::move(columns)) {
  for (std::string& column : columns_) column = spelled(format_, column);
  if (is_json()) return;
  for (const std::string& column : columns_) cell(column);
  end_row();
}

void RowWriter::cell(std::string_view bytes) {
  const char separator = format_ == RowFormat::tsv ? '\t' : ',';
  if (column_ > 0) row_ += separator;
  if (is_json()) row_.append(columns_[column_]).append(":");
  row_.append(bytes);
  ++column_;
}

RowWriter& RowWriter::text(std::string_view value) {
  cell(spelled(format_, value));
  return *this;
}

RowWriter& RowWriter::number(Real value) {
  if (is_json() && !std::isfinite(value)) return absent();
  cell(shortest(value));
  return *this;
}

RowWriter& RowWriter::integer(std::int64_t value) {
  cell(std::to_string(value));
  return *this;
}

RowWriter& RowWriter::flag(bool value) {
  if (is_json()) cell(value ? "true" : "false");
  else cell(value ? "1" : "0");
  return *this;
}

RowWriter& RowWriter::absent() {
  cell(is_json() ? "null" : "");
  return *this;
}

void RowWriter::end_row() {
  if (format_ == RowFormat::json) sink_.write(first_row_ ? "[\n" : ",\n");
  if (is_json()) row_ = "{" + row_ + "}";
  if (format_ != RowFormat::json) row_ += '\n';
  sink_.write(row_);
  row_.clear();
  column_ = 0;
  first_row_ = false;
}

void RowWriter::finish() {
  if (format_ == RowFormat::json) sink_.write(first_row_ ? "[]\n" : "\n]\n");
  sink_.finish();
}

}  // namespace gat::app
