/// Standard error: notes, warnings and the moving progress line; keeps a log of what it says.
#pragma once

#include <string>
#include <string_view>

namespace gat::app {

class Console {
 public:
  /// \param color  auto, always or never. \param quiet  notes are only logged
  explicit Console(std::string_view color = "auto", bool quiet = false);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void configure(std::string_view color, bool quiet);

  void note(std::string_view line);
  /// Several lines, as they are.
  void note_text(std::string_view lines);
  void warn(std::string_view line);
  void error(std::string_view line);
  /// Into the log alone.
  void log_only(std::string_view line);

  /// Redraws the moving line, cut to the terminal's width; the next line of any kind removes it.
  void draw_line(std::string_view line);
  void clear_line();

  bool quiet() const { return quiet_; }
  /// Whether standard error can show a moving line: a terminal, no TERM=dumb, no NO_COLOR.
  bool can_move() const { return can_move_; }
  /// All lines so far.
  const std::string& log() const { return log_; }

 private:
  void say(std::string_view tag, const char* color, std::string_view line, bool shown);

  std::string log_;
  bool quiet_ = false;
  bool colored_ = false;
  bool can_move_ = false;
  bool line_drawn_ = false;
};

}  // namespace gat::app
