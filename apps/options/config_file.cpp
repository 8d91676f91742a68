// The only file that includes toml++.
#include "options/config_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <type_traits>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "options/option_value.hpp"

namespace gat::app {

namespace {

std::string place(const std::string& name, const toml::source_region& region) {
  return name + ":" + std::to_string(region.begin.line) + ":" + std::to_string(region.begin.column) + ": ";
}

const char* type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or a time";
  }
}

// A TOML value in the spelling of the command line, if its type fits the option.
std::string text_of_node(const toml::node& node, const Option& option) {
  const auto refuse = [&](const char* expected) -> std::string {
    throw UsageError(std::string("expected ") + expected + ", found " + type_name(node));
  };
  const auto integer = [&](const toml::node& value) {
    return value.is_integer() ? std::to_string(**value.as_integer()) : refuse("a whole number");
  };
  return std::visit(
      [&](auto member) -> std::string {
        using Value = std::decay_t<decltype(std::declval<Settings>().*member)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return node.is_boolean() ? (**node.as_boolean() ? "true" : "false") : refuse("true or false");
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          return integer(node);
        } else if constexpr (std::is_same_v<Value, double>) {
          if (node.is_integer()) return integer(node);
          return node.is_floating_point() ? shortest(**node.as_floating_point()) : refuse("a number");
        } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
          if (!node.is_array()) return integer(node);
          std::string text;
          for (const toml::node& element : *node.as_array())
            text += (text.empty() ? "" : ",") + integer(element);
          return text.empty() ? refuse("at least one whole number") : text;
        } else {
          return node.is_string() ? **node.as_string() : refuse("a text in quotes");
        }
      },
      option.member);
}

// Files hold the data set's name beside the options of the table.
constexpr std::string_view kDataSection = "data";
constexpr std::string_view kDataKey = "name";

std::vector<std::string_view> known_sections() {
  std::vector<std::string_view> names;
  for (const Option& option : option_table()) {
    if (option.in_files() && std::find(names.begin(), names.end(), option.section) == names.end()) {
      names.push_back(option.section);
    }
  }
  return names;
}

std::vector<std::string_view> known_keys(std::string_view section) {
  std::vector<std::string_view> names;
  if (section == kDataSection) names.push_back(kDataKey);
  for (const Option& option : option_table()) {
    if (option.section == section) names.push_back(option.key);
  }
  return names;
}

void read_key(std::string_view section, std::string_view key, const toml::node& node,
              const std::string& key_place, Settings& settings, std::vector<const Option*>& given) {
  if (section == kDataSection && key == kDataKey) {
    if (!node.is_string()) throw UsageError(key_place + "data.name: expected a text in quotes");
    settings.data = **node.as_string();
    return;
  }
  const Option* option = find_option(section, key);
  if (option == nullptr) {
    throw UsageError(key_place + "unknown key \"" + std::string(section) + "." + std::string(key) + "\"; " +
                     known_names_hint(key, known_keys(section)));
  }
  try {
    assign(settings, *option, text_of_node(node, *option));
  } catch (const UsageError& error) {
    throw UsageError(key_place + option->path() + ": " + error.what());
  }
  given.push_back(option);
}

}  // namespace

std::vector<const Option*> read_config(std::string_view toml, const std::string& name, Settings& settings) {
  toml::table root;
  try {
    root = toml::parse(toml, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(place(name, error.source()) + std::string(error.description()));
  }
  std::vector<const Option*> given;
  const std::vector<std::string_view> sections = known_sections();
  for (const auto& [section, node] : root) {
    const bool known = std::find(sections.begin(), sections.end(), section.str()) != sections.end();
    if (!known) {
      throw UsageError(place(name, section.source()) + "unknown table \"" + std::string(section.str()) +
                       "\"; " + known_names_hint(section.str(), sections));
    }
    if (!node.is_table()) {
      throw UsageError(place(name, section.source()) + "\"" + std::string(section.str()) +
                       "\" must be a table");
    }
    for (const auto& [key, value] : *node.as_table()) {
      read_key(section.str(), key.str(), value, place(name, key.source()), settings, given);
    }
  }
  return given;
}

std::string write_config(const Settings& settings, std::string_view comment) {
  std::string text(comment);
  std::string_view section;
  for (const Option& option : option_table()) {
    if (!option.in_files() ||
        (option.key == "seed" && option.section == "training" && !settings.seeds.empty()))
      continue;
    if (option.section != section) {
      section = option.section;
      text += "\n[" + std::string(section) + "]\n";
      if (section == kDataSection) {
        Option name = option;
        name.member = &Settings::data;
        text += "name = " + toml_of(settings, name) + "\n";
      }
    }
    if (text_of(settings, option).empty()) continue;
    text += std::string(option.key) + " = " + toml_of(settings, option) + "\n";
  }
  return text;
}

}  // namespace gat::app
