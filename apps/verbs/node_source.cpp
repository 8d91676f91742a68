#include "verbs/node_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include "gat/core/error.hpp"
#include "options/option_value.hpp"

namespace gat::app {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 16;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// What can be opened and read to its end; a folder cannot.
bool is_readable_kind(const std::string& path) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  return kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::fifo ||
         kind == std::filesystem::file_type::character;
}

}  // namespace

NodeSource::NodeSource(const Dataset& dataset, const std::string& argument, bool at_once)
    : dataset_(dataset), index_(dataset), place_(argument), everything_(argument.empty()), at_once_(at_once) {
  if (argument == "-") {
    place_ = "standard input";
    descriptor_ = STDIN_FILENO;
  } else if (!argument.empty() && !names_nodes(argument) && is_readable_kind(argument)) {
    descriptor_ = ::open(argument.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      throw FileError("cannot open " + argument + ": " + std::generic_category().message(errno) +
                      "; check the path");
    }
  } else {
    text_ = argument;
  }
}

NodeSource::~NodeSource() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

bool NodeSource::names_nodes(const std::string& list) const {
  if (index_.find(list)) return true;
  for (const std::string& id : cut(list, ',')) {
    if (!trimmed(id).empty() && !index_.find(trimmed(id))) return false;
  }
  return true;
}

void NodeSource::add(std::string_view id, std::vector<NodeId>& batch) {
  id = trimmed(id);
  if (id.empty()) return;
  const auto node = index_.find(id);
  if (!node) {
    const std::string name = "\"" + std::string(id) + "\"";
    if (descriptor_ < 0) {
      throw InputError("NODES",
                       name + " is neither the id of a node of " + dataset_.name +
                           " nor a file; separate ids by commas, or name a file with one id per line");
    }
    throw InputError(
        place_ + ":" + std::to_string(line_),
        name + " is not the id of a node of " + dataset_.name + "; give the ids of the data, one per line");
  }
  batch.push_back(*node);
}

bool NodeSource::next(std::vector<NodeId>& batch) {
  batch.clear();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (done_) return false;
  if (descriptor_ >= 0) return next_lines(batch);
  done_ = true;
  if (everything_) {
    batch.resize(static_cast<std::size_t>(dataset_.num_nodes()));
    std::iota(batch.begin(), batch.end(), NodeId(0));
  } else if (const auto node = index_.find(text_)) {
    // An id may hold a comma.
    batch.push_back(*node);
  } else {
    for (const std::string& id : cut(text_, ',')) add(id, batch);
    if (batch.empty()) throw UsageError("NODES: \"" + text_ + "\" names no node; give ids of the data set");
  }
  return !batch.empty();
}

// What comes before an unknown id is answered first.
bool NodeSource::add_line(std::string_view line, std::vector<NodeId>& batch) {
  try {
    add(line, batch);
    return true;
  } catch (const InputError&) {
    if (batch.empty() || at_once_) throw;
    failure_ = std::current_exception();
    done_ = true;
    return false;
  }
}

bool NodeSource::next_lines(std::vector<NodeId>& batch) {
  std::array<char, kStep> bytes;
  while ((batch.empty() || at_once_) && !done_) {
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError("cannot read " + place_ + ": " + std::generic_category().message(errno));
    text_.append(bytes.data(), static_cast<std::size_t>(count));
    done_ = count == 0;
    if (done_ && !text_.empty()) text_ += '\n';
    std::size_t begin = 0;
    for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      ++line_;
      std::string_view line = std::string_view(text_).substr(begin, end - begin);
      if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      if (!add_line(line, batch)) return true;
    }
    text_.erase(0, begin);
  }
  return !batch.empty();
}

}  // namespace gat::app
