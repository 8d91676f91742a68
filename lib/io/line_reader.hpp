/// Lines of a text, and fields of a line.
#pragma once

#include <string_view>
#include <vector>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// Walks over the lines of a text; they end in LF, CRLF or CR.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  /// Moves to the next line; false after the last one.
  bool next();
  /// Moves to the next line with content: not blank and, if comments count, not starting with # or %.
  bool next_content(bool comments);

  std::string_view line() const { return line_; }  // without its end
  std::size_t begin() const { return begin_; }     // of the line in the text
  Index number() const { return number_; }         // counted from 1
  bool saw_carriage_return() const { return saw_carriage_return_; }

 private:
  std::string_view text_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  Index number_ = 0;
  bool saw_carriage_return_ = false;
};

/// A field's bytes within its line, without blanks around it and without its quotes.
struct FieldSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool quoted = false;
};

/// Cuts a line at a delimiter; ' ' stands for runs of blanks and tabs. Blanks around fields do not
/// count, and neither do tabs at the end of the line. Returns the position of a quote that does not
/// close, or of text behind a closing quote; npos when all is well.
std::size_t cut_fields(std::string_view line, char delimiter, std::vector<FieldSpan>& fields);

/// The delimiter of a text, judged by its first 100 lines of content: see `TextTable`.
char detect_delimiter(std::string_view text, bool comments);

}  // namespace gat::inline GAT_PRECISION
