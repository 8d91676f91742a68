#include "output/sink.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "exit_code.hpp"
#include "gat/core/error.hpp"
#include "gat/io/file.hpp"

namespace gat::app {

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 16;

class StandardOutput final : public Sink {
 public:
  void write(std::string_view bytes) override {
    buffer_.append(bytes);
    if (buffer_.size() >= kBufferSize) flush();
  }

  void flush() override {
    std::string_view rest = buffer_;
    while (!rest.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EPIPE) throw BrokenPipe();
      if (written < 0) {
        throw FileError("standard output: " + std::generic_category().message(errno) +
                        "; free some space or send the results elsewhere");
      }
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
  }

  void finish() override { flush(); }

 private:
  std::string buffer_;
};

class FileSink final : public Sink {
 public:
  explicit FileSink(const std::string& path) : writer_(path) {}
  void write(std::string_view bytes) override { writer_.write(bytes); }
  void flush() override {}
  void finish() override { writer_.commit(); }

 private:
  FileWriter writer_;
};

}  // namespace

std::unique_ptr<Sink> open_sink(const std::string& path) {
  if (path == "-") return std::make_unique<StandardOutput>();
  return std::make_unique<FileSink>(path);
}

void print(std::string_view text) {
  StandardOutput output;
  output.write(text);
  output.finish();
}

}  // namespace gat::app
