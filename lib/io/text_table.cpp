#include "gat/io/text_table.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "gat/core/error.hpp"
#include "gat/io/gzip.hpp"
#include "io/bytes.hpp"
#include "io/line_reader.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 24;

// First words of columns in the tables that people share.
constexpr std::array<std::string_view, 24> kHeaderWords = {
    "source",  "target", "src",          "dst",      "destination", "from",   "to",    "node",
    "node_id", "nodeid", "id",           "id_1",     "id_2",        "node1",  "node2", "label",
    "labels",  "class",  "target_class", "category", "split",       "weight", "name",  "features"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool is_header_word(std::string_view field) {
  return std::find(kHeaderWords.begin(), kHeaderWords.end(), lower(field)) != kHeaderWords.end();
}

// Makes "" inside a quoted field one quote, in place; returns the new length.
std::size_t undouble_quotes(char* field, std::size_t length) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < length; ++i) {
    field[kept++] = field[i];
    if (field[i] == '"') ++i;
  }
  return kept;
}

std::string read_text(const std::filesystem::path& path, Index byte_limit) {
  std::string bytes = read_file(path, byte_limit);
  return is_gzip(bytes) ? gunzip(bytes, path.string(), byte_limit) : bytes;
}

}  // namespace

TextTable::TextTable(const std::filesystem::path& path, const TextTableOptions& options)
    : TextTable(read_text(path, options.byte_limit), path.string(), options) {}

TextTable::TextTable(std::string text, std::string name, const TextTableOptions& options)
    : text_(std::move(text)), name_(std::move(name)) {
  if (text_.starts_with("\xef\xbb\xbf")) {
    had_byte_order_mark_ = true;
    text_.erase(0, 3);
  }
  check_encoding();
  parse(options);
  measure_rows();
  const bool has_rows = rows_.size() > 1;
  if (has_rows && (options.header == HeaderRule::yes ||
                   (options.header == HeaderRule::automatic && looks_like_header()))) {
    first_row_ = 1;
    measure_rows();
  }
}

void TextTable::check_encoding() const {
  const std::size_t bad = std::min(find_invalid_utf8(text_), text_.find('\0'));
  if (bad == std::string::npos) return;
  LineReader reader(std::string_view(text_).substr(0, bad + 1));
  while (reader.next()) continue;
  const bool utf16 = text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff");
  throw InputError(
      name_ + ":" + std::to_string(reader.number()) + ":" + std::to_string(bad - reader.begin() + 1),
      std::string(utf16 ? "the text is UTF-16"
                        : "the byte " + shown(text_.substr(bad, 1)) + " is not UTF-8 text") +
          "; save the file as UTF-8");
}

void TextTable::parse(const TextTableOptions& options) {
  delimiter_ = options.delimiter != '\0' ? options.delimiter : detect_delimiter(text_, options.comments);
  std::vector<FieldSpan> spans;
  LineReader reader(text_);
  while (reader.next_content(options.comments)) {
    const auto line_place = [&] { return name_ + ":" + std::to_string(reader.number()); };
    if (reader.line().size() > kLongestLine) {
      throw LimitError(line_place() + ": a line of " + std::to_string(reader.line().size()) +
                       " bytes, above the limit of 16 MiB");
    }
    const std::size_t bad = cut_fields(reader.line(), delimiter_, spans);
    if (bad != std::string_view::npos) {
      throw InputError(line_place() + ":" + std::to_string(bad + 1),
                       "a double quote is not closed or not followed by a delimiter; close it on the same "
                       "line, and write a quote within a field as \"\"");
    }
    rows_.push_back({reader.begin(), fields_.size(), reader.number()});
    for (const FieldSpan& span : spans) {
      std::size_t length = span.end - span.begin;
      if (span.quoted) length = undouble_quotes(text_.data() + reader.begin() + span.begin, length);
      fields_.push_back({static_cast<std::uint32_t>(span.begin), static_cast<std::uint32_t>(length)});
    }
  }
  had_carriage_returns_ = reader.saw_carriage_return();
  rows_.push_back({text_.size(), fields_.size(), reader.number() + 1});
}

void TextTable::measure_rows() {
  num_columns_ = 0;
  Index fewest = num_rows() > 0 ? num_fields(0) : 0;
  for (Index i = 0; i < num_rows(); ++i) {
    num_columns_ = std::max(num_columns_, num_fields(i));
    fewest = std::min(fewest, num_fields(i));
  }
  rectangular_ = fewest == num_columns_;
}

// See the class comment for the rule. All rows count as data while this runs.
bool TextTable::looks_like_header() const {
  constexpr Index kSample = 100;
  const Index last = std::min(num_rows(), kSample + 1);
  const auto is_number = [](std::string_view text) { return to_real(text).has_value(); };
  bool has_number = false;
  for (Index c = 0; c < num_fields(0); ++c) has_number |= is_number(field(0, c));
  for (Index c = 0; c < num_fields(0); ++c) {
    const std::string_view word = field(0, c);
    if (word.empty() || is_number(word)) continue;
    const bool usual = is_header_word(word);
    bool numbers_below = last > 1;
    bool recurs = false;
    for (Index i = 1; i < last; ++i) {
      const std::string_view below = c < num_fields(i) ? field(i, c) : std::string_view();
      numbers_below &= is_number(below);
      recurs |= below == word;
    }
    if (numbers_below && (usual || !has_number)) return true;
    if (usual && !has_number && !recurs) return true;
  }
  return false;
}

std::vector<std::string_view> TextTable::header() const {
  std::vector<std::string_view> names;
  if (has_header()) {
    for (Index c = 0; c < num_fields_of(0); ++c) names.push_back(field_of(0, c));
  }
  return names;
}

std::optional<Index> TextTable::find_column(std::string_view name) const {
  const std::string wanted = lower(name);
  for (Index c = 0; has_header() && c < num_fields_of(0); ++c) {
    if (lower(field_of(0, c)) == wanted) return c;
  }
  return std::nullopt;
}

std::string TextTable::place(Index row) const {
  return name_ + ":" + std::to_string(rows_[static_cast<std::size_t>(row + first_row_)].line);
}

std::string TextTable::place(std::string_view part) const {
  const auto offset = static_cast<std::size_t>(part.data() - text_.data());
  assert(offset <= text_.size());
  auto row = std::upper_bound(rows_.begin(), rows_.end(), offset,
                              [](std::size_t at, const Row& candidate) { return at < candidate.begin; });
  // The entry for the end of the text is no row: an empty last field lies there.
  row = std::min(row, rows_.end() - 1);
  --row;
  return name_ + ":" + std::to_string(row->line) + ":" + std::to_string(offset - row->begin + 1);
}

Real TextTable::parse_real(std::string_view part, bool allow_non_finite) const {
  const std::optional<Real> number = to_real(part);
  if (!number) {
    throw InputError(place(part),
                     "found " + shown(part) + "; expected a number, with a dot before its decimals");
  }
  if (!allow_non_finite && !std::isfinite(*number)) {
    throw InputError(place(part), "found " + shown(part) + "; expected a finite number");
  }
  return *number;
}

std::int64_t TextTable::parse_integer(std::string_view part) const {
  const std::optional<std::int64_t> number = to_integer(part);
  if (!number)
    throw InputError(place(part), "found " + shown(part) + "; expected a whole number of at most 64 bits");
  return *number;
}

}  // namespace gat::inline GAT_PRECISION
