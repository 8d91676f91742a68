#include "options/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/option_value.hpp"

namespace gat::app {

namespace {

constexpr std::size_t kIndent = 30;
constexpr std::size_t kWidth = 100;

// The text in lines of at most kWidth columns; all but the first are indented.
std::string wrapped(std::string_view text) {
  std::string result;
  std::size_t column = kIndent;
  for (const std::string& word : cut(text, ' ')) {
    if (column > kIndent && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (column > kIndent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string entry(const std::string& names, const std::string& text) {
  std::string line = "  " + names;
  if (line.size() + 1 > kIndent) line += "\n" + std::string(kIndent, ' ');
  else line.resize(kIndent, ' ');
  return line + wrapped(text) + "\n";
}

std::string option_entry(const Option& option, bool with_key) {
  // Names without a short form line up with those that have one.
  std::string names(option.names);
  names = names.starts_with("--") ? "    " + names : names.replace(names.find(','), 1, ", ");
  if (!option.value.empty()) names += " " + std::string(option.value);
  std::string text(option.help);
  if (option.known != nullptr) {
    for (const std::string_view name : option.known()) text += ", " + std::string(name);
  }
  const std::string standard = text_of(Settings{}, option);
  if (option.is_switch())
    text += standard == "true" ? " (default on; --no-" + std::string(option.long_name().substr(2)) + ")" : "";
  else if (!standard.empty()) text += " (default " + standard + ")";
  if (with_key && option.in_files()) text += " [" + option.path() + "]";
  return entry(names, text);
}

std::string options_of(const Verb& verb, bool all) {
  std::string text;
  std::size_t hidden = 0;
  for (const Option& option : option_table()) {
    if ((option.verbs & verb.bit) == 0) continue;
    if (!all && !option.common) {
      ++hidden;
      continue;
    }
    text += option_entry(option, all && verb.bit == kTrain);
  }
  text += entry("-h, --help", "this text");
  if (hidden > 0) text += entry("    --help-all", fmt::format("all options ({} more)", hidden));
  return text;
}

}  // namespace

std::string overview() {
  std::string text = "gat: graph attention networks on CPUs\n\nverbs: ";
  std::string names;
  for (const Verb& verb : verbs()) names += (names.empty() ? "" : ", ") + std::string(verb.name);
  text += names + "\n\n";
  text +=
      "  gat train karate                               trains on a data set and saves a run folder\n"
      "  gat evaluate runs/karate-gat-001 karate        scores the trained model\n"
      "  gat predict runs/karate-gat-001 karate 5,17    class probabilities of two nodes\n\n"
      "DATA is a file, a folder or a name: karate, synthetic-cora, cora, citeseer, pubmed.\n"
      "gat VERB --help explains a verb, gat VERB --help-all lists all its options.\n"
      "gat recipe list shows tested settings with the accuracy that they reach.\n"
      "Results go to standard output, everything else to standard error.\n";
  return text;
}

std::string help_of(const Verb& verb, bool all) {
  std::string usage = "gat " + std::string(verb.name);
  for (const Argument& argument : verb.arguments) {
    usage += argument.required ? " " + std::string(argument.name) : " [" + std::string(argument.name) + "]";
  }
  std::string text = usage + " [options]: " + std::string(verb.summary) + "\n\n";
  text += options_of(verb, all) + "\nexamples:\n";
  for (const std::string_view example : verb.examples) text += "  " + std::string(example) + "\n";
  return text;
}

}  // namespace gat::app
