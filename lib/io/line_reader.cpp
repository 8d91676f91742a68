#include "io/line_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gat::inline GAT_PRECISION {

namespace {

constexpr auto kEnd = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

bool LineReader::next() {
  if (at_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
  begin_ = at_;
  line_ = text_.substr(begin_, end - begin_);
  ++number_;
  at_ = end + 1;
  if (end < text_.size() && text_[end] == '\r') {
    saw_carriage_return_ = true;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  }
  return true;
}

bool LineReader::next_content(bool comments) {
  while (next()) {
    const std::size_t first = line_.find_first_not_of(" \t");
    if (first == kEnd) continue;
    if (!comments || (line_[first] != '#' && line_[first] != '%')) return true;
  }
  return false;
}

std::size_t cut_fields(std::string_view line, char delimiter, std::vector<FieldSpan>& fields) {
  fields.clear();
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  const bool by_blanks = delimiter == ' ';
  const auto ends_field = [&](char c) { return by_blanks ? is_blank(c) : c == delimiter; };
  const auto skip_blanks = [&](std::size_t at) {
    while (at < line.size() && is_blank(line[at]) && (by_blanks || line[at] != delimiter)) ++at;
    return at;
  };
  std::size_t at = skip_blanks(0);
  for (;;) {
    FieldSpan field;
    if (at < line.size() && line[at] == '"') {
      field.quoted = true;
      field.begin = at + 1;
      field.end = field.begin;
      for (;; field.end += 2) {  // past a doubled quote
        field.end = line.find('"', field.end);
        if (field.end == kEnd) return at;
        if (field.end + 1 == line.size() || line[field.end + 1] != '"') break;
      }
      const std::size_t after = field.end + 1;
      at = by_blanks ? after : skip_blanks(after);
      if (at < line.size() && !ends_field(line[at])) return at;
    } else {
      field.begin = at;
      while (at < line.size() && !ends_field(line[at])) ++at;
      field.end = at;
      while (field.end > field.begin && is_blank(line[field.end - 1])) --field.end;
    }
    fields.push_back(field);
    if (at >= line.size()) return kEnd;
    at = skip_blanks(at + 1);
  }
}

char detect_delimiter(std::string_view text, bool comments) {
  constexpr int kSample = 100;
  constexpr std::array kCandidates = {'\t', ';', ',', ' '};
  struct Verdict {
    int lines_cut = 0;  // into more than one field
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    std::size_t most = 0;
    bool consistent() const { return fewest == most && most > 1; }
  };
  std::array<Verdict, kCandidates.size()> verdicts;
  std::vector<FieldSpan> fields;
  LineReader reader(text);
  for (int i = 0; i < kSample && reader.next_content(comments); ++i) {
    for (std::size_t k = 0; k < kCandidates.size(); ++k) {
      // A line that cannot be cut (an open quote) speaks against the candidate.
      const std::size_t count = cut_fields(reader.line(), kCandidates[k], fields) == kEnd ? fields.size() : 0;
      verdicts[k].lines_cut += count > 1;
      verdicts[k].fewest = std::min(verdicts[k].fewest, count);
      verdicts[k].most = std::max(verdicts[k].most, count);
    }
  }
  // Doubled tabs between all fields mean one gap, not an empty column: blanks cut into fewer fields.
  const Verdict& by_blanks = verdicts.back();
  if (verdicts[0].consistent() && by_blanks.consistent() && by_blanks.most < verdicts[0].most) return ' ';
  for (std::size_t k = 0; k < kCandidates.size(); ++k) {
    if (verdicts[k].consistent()) return kCandidates[k];
  }
  std::size_t best = kCandidates.size() - 1;
  for (std::size_t k = kCandidates.size(); k-- > 0;) {
    if (verdicts[k].lines_cut >= verdicts[best].lines_cut && verdicts[k].lines_cut > 0) best = k;
  }
  return kCandidates[best];
}

}  // namespace gat::inline GAT_PRECISION
