#include "terminal/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "system/environment.hpp"

namespace gat::app {

namespace {

constexpr const char* kRed = "\033[1;31m";
constexpr const char* kYellow = "\033[1;33m";
constexpr const char* kPlain = "\033[0m";

std::size_t terminal_width() {
  struct winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// Bytes that end a line or steer a terminal must not come out of file names.
std::string printable(std::string_view line) {
  std::string text;
  for (const char c : line) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text;
}

}  // namespace

Console::Console(std::string_view color, bool quiet) { configure(color, quiet); }

Console::~Console() { clear_line(); }

void Console::configure(std::string_view color, bool quiet) {
  const auto term = environment("TERM");
  can_move_ = ::isatty(STDERR_FILENO) == 1 && term && *term != "dumb" && !environment("NO_COLOR");
  colored_ = color == "always" || (color == "auto" && can_move_);
  quiet_ = quiet;
}

void Console::say(std::string_view tag, const char* color, std::string_view line, bool shown) {
  const std::string text = printable(line);
  log_.append(tag).append(text).append("\n");
  if (!shown) return;
  clear_line();
  std::string out;
  if (colored_ && !tag.empty()) out.append(color).append(tag).append(kPlain);
  else out.append(tag);
  out.append(text).append("\n");
  std::fwrite(out.data(), 1, out.size(), stderr);
}

void Console::note(std::string_view line) { say("", kPlain, line, !quiet_); }
void Console::note_text(std::string_view lines) { std::fwrite(lines.data(), 1, lines.size(), stderr); }
void Console::warn(std::string_view line) { say("warning: ", kYellow, line, true); }
void Console::error(std::string_view line) { say("error: ", kRed, line, true); }
void Console::log_only(std::string_view line) { say("", kPlain, line, false); }

void Console::draw_line(std::string_view line) {
  const std::size_t width = terminal_width();
  const std::string out = "\r\033[K" + std::string(line.substr(0, width > 1 ? width - 1 : 0));
  std::fwrite(out.data(), 1, out.size(), stderr);
  std::fflush(stderr);
  line_drawn_ = true;
}

void Console::clear_line() {
  if (!line_drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  line_drawn_ = false;
}

}  // namespace gat::app
