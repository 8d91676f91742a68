#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "gat/data/split.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::array<std::string_view, 7> kForms{
    "auto", "public", "stored:K", "random", "random:20/500/1000", "fraction:0.6/0.2/0.2", "file:PATH"};
constexpr std::array<std::string_view, 7> kWords{"auto",   "public",   "stored", "index",
                                                 "random", "fraction", "file"};

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  std::string message = "split \"" + text + "\": " + why + "; known: ";
  for (std::size_t k = 0; k < kForms.size(); ++k) message += (k > 0 ? ", " : "") + std::string(kForms[k]);
  throw UsageError(message + ", or the path of a table of node ids and parts");
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::vector<std::string_view> cut(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::array<double, 3>> parse_fractions(std::string_view text) {
  const std::vector<std::string_view> parts = cut(text, '/');
  if (parts.size() != 3) return std::nullopt;
  std::array<double, 3> fractions{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto value = parse_number<double>(parts[k]);
    if (!value) return std::nullopt;
    fractions[k] = *value;
  }
  return fractions;
}

void set_fractions(SplitOptions& options, const std::array<double, 3>& fractions) {
  options.kind = SplitOptions::Kind::fraction;
  options.train_fraction = fractions[0];
  options.validation_fraction = fractions[1];
  options.test_fraction = fractions[2];
}

void set_random(SplitOptions& options, const std::string& text, std::string_view value) {
  options.kind = SplitOptions::Kind::random;
  const std::vector<std::string_view> parts = cut(value, '/');
  if (parts.size() != 3) refuse(text, "expected three numbers, as in random:20/500/1000");
  const std::array<Index*, 3> numbers{&options.per_class, &options.validation, &options.test};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto number = parse_number<Index>(parts[k]);
    if (k == 2 && parts[k] == "rest") *numbers[k] = SplitOptions::kRest;
    else if (number && *number >= 0) *numbers[k] = *number;
    else refuse(text, "\"" + std::string(parts[k]) + "\" is not a number of nodes");
  }
}

std::string shortest(double value) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

// A word, or a word and a value; false when the text starts with none of the words.
bool parse_word(SplitOptions& options, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = std::string_view(text).substr(0, colon);
  const bool has_value = colon != std::string::npos;
  const std::string_view value = has_value ? std::string_view(text).substr(colon + 1) : std::string_view();
  if (word == "auto" || word == "stored" || word == "index" || (word == "public" && !has_value)) {
    options.kind = word == "auto" ? SplitOptions::Kind::automatic : SplitOptions::Kind::stored;
    const auto index = has_value ? parse_number<Index>(value) : std::optional<Index>(0);
    if (!index || *index < 0) refuse(text, "expected the number of a stored split, as in stored:0");
    options.index = *index;
  } else if (word == "random") {
    options.kind = SplitOptions::Kind::random;
    if (has_value) set_random(options, text, value);
  } else if (word == "fraction") {
    options.kind = SplitOptions::Kind::fraction;
    const auto fractions = parse_fractions(value);
    if (has_value && !fractions) refuse(text, "expected three fractions, as in fraction:0.6/0.2/0.2");
    if (fractions) set_fractions(options, *fractions);
  } else if (word == "file" && !value.empty()) {
    options.kind = SplitOptions::Kind::file;
    options.path = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

void SplitOptions::validate() const {
  if (index < 0)
    throw UsageError("split: index " + std::to_string(index) + " is negative; stored splits count from 0");
  if (kind == Kind::random && (per_class < 1 || validation < 0 || test < kRest)) {
    throw UsageError("split: random needs at least one training node per class and no negative numbers");
  }
  if (kind == Kind::fraction) {
    const auto bad = [](double f) { return !(f >= 0 && f <= 1); };
    if (bad(train_fraction) || bad(validation_fraction) || bad(test_fraction) || train_fraction == 0 ||
        train_fraction + validation_fraction + test_fraction > 1 + 1e-9) {
      throw UsageError("split: fractions " + shortest(train_fraction) + "/" + shortest(validation_fraction) +
                       "/" + shortest(test_fraction) +
                       " must lie in [0, 1], with a training part, and sum to 1 at most");
    }
  }
  if (kind == Kind::file && path.empty()) throw UsageError("split: the path of the split file is empty");
}

SplitOptions parse_split(const std::string& text) {
  SplitOptions options;
  if (!parse_word(options, text)) {
    std::error_code ignored;
    if (const auto fractions = parse_fractions(text)) {
      set_fractions(options, *fractions);
    } else if (text.find_first_of("/.\\") != std::string::npos || std::filesystem::exists(text, ignored)) {
      options.kind = SplitOptions::Kind::file;
      options.path = text;
    } else {
      const std::string nearest = nearest_name(text.substr(0, text.find(':')), kWords);
      refuse(text, nearest.empty() ? "there is no such split" : "did you mean \"" + nearest + "\"");
    }
  }
  options.validate();
  return options;
}

std::string describe(const SplitOptions& options) {
  switch (options.kind) {
    case SplitOptions::Kind::automatic:
      return options.index == 0 ? "auto" : "auto:" + std::to_string(options.index);
    case SplitOptions::Kind::stored:
      return "stored:" + std::to_string(options.index);
    case SplitOptions::Kind::random:
      return "random:" + std::to_string(options.per_class) + "/" + std::to_string(options.validation) + "/" +
             (options.test == SplitOptions::kRest ? "rest" : std::to_string(options.test));
    case SplitOptions::Kind::fraction:
      return "fraction:" + shortest(options.train_fraction) + "/" + shortest(options.validation_fraction) +
             "/" + shortest(options.test_fraction);
    case SplitOptions::Kind::file:
      return "file:" + options.path;
  }
  return {};
}

}  // namespace gat::inline GAT_PRECISION
