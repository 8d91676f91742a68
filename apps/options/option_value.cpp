#include "options/option_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>

#include "gat/core/error.hpp"

namespace gat::app {

namespace {

template <class Number>
std::string to_text(Number value) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

template <class Number>
std::optional<Number> from_text(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool parse_switch(std::string_view text) {
  for (const std::string_view yes : {"true", "yes", "on", "1"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"false", "no", "off", "0"}) {
    if (text == no) return false;
  }
  throw UsageError("expected true or false, got \"" + std::string(text) + "\"");
}

std::string quoted(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result.append("\\u00") += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string toml_number(double value) {
  const std::string text = shortest(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

template <class Values, class Spell>
std::string joined(const Values& values, const char* separator, Spell spell) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : separator) + spell(value);
  return text;
}

std::string same(const std::string& text) { return text; }
std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

std::string shortest(double value) { return to_text(value); }
std::string shortest(float value) { return to_text(value); }

std::vector<std::string> cut(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::int64_t parse_integer(std::string_view text) {
  const auto value = from_text<std::int64_t>(text);
  if (!value) throw UsageError("expected a whole number, got \"" + std::string(text) + "\"");
  return *value;
}

double parse_number(std::string_view text) {
  const auto value = from_text<double>(text);
  if (!value || !std::isfinite(*value)) {
    throw UsageError("expected a number such as 0.005 or 5e-4, got \"" + std::string(text) + "\"");
  }
  return *value;
}

std::vector<std::int64_t> parse_ranges(std::string_view text) {
  constexpr std::size_t kMost = 100000;
  std::vector<std::int64_t> numbers;
  for (const std::string& part : cut(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = from_text<std::int64_t>(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : from_text<std::int64_t>(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) {
      throw UsageError("expected numbers and ranges such as 0-9 or 0,2,5-7, got \"" + std::string(text) +
                       "\"");
    }
    if (static_cast<std::size_t>(*last - *first) >= kMost - numbers.size()) {
      throw UsageError("\"" + std::string(text) + "\" names more than " + std::to_string(kMost) + " numbers");
    }
    for (std::int64_t n = *first; n <= *last; ++n) numbers.push_back(n);
  }
  std::vector<std::int64_t> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw UsageError("\"" + std::string(text) + "\" names " + std::to_string(*twice) + " twice");
  }
  return numbers;
}

void assign(Settings& settings, const Option& option, std::string_view text) {
  std::visit(
      [&](auto member) {
        auto& value = settings.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          value = parse_switch(text);
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          value = parse_integer(text);
        } else if constexpr (std::is_same_v<Value, double>) {
          value = parse_number(text);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          value = std::string(text);
        } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
          value.clear();
          for (const std::string& part : cut(text, ',')) value.push_back(parse_integer(part));
        } else {
          value.emplace_back(text);
        }
      },
      option.member);
  if (option.check != nullptr) option.check(settings);
}

std::string text_of(const Settings& settings, const Option& option) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = settings.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) return value ? "true" : "false";
        else if constexpr (std::is_same_v<Value, std::int64_t>) return number(value);
        else if constexpr (std::is_same_v<Value, double>) return shortest(value);
        else if constexpr (std::is_same_v<Value, std::string>) return value;
        else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>)
          return joined(value, ",", number);
        else return joined(value, ",", same);
      },
      option.member);
}

std::string toml_of(const Settings& settings, const Option& option) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = settings.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, double>) return toml_number(value);
        else if constexpr (std::is_same_v<Value, std::string>) return quoted(value);
        else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>)
          return "[" + joined(value, ", ", number) + "]";
        else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
          return "[" + joined(value, ", ", quoted) + "]";
        else return text_of(settings, option);
      },
      option.member);
}

}  // namespace gat::app
