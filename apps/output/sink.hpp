/// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gat::app {

class Sink {
 public:
  virtual ~Sink() = default;
  /// Appends bytes; they may wait in a buffer.
  virtual void write(std::string_view bytes) = 0;
  /// Makes everything so far visible to whoever reads along.
  virtual void flush() = 0;
  /// Called once, after everything is written.
  virtual void finish() = 0;
};

/// \param path  "-" is standard output. Standard output throws BrokenPipe when its reader has gone, and
/// FileError when it cannot take the bytes.
std::unique_ptr<Sink> open_sink(const std::string& path);

/// Writes text to standard output at once.
void print(std::string_view text);

}  // namespace gat::app
