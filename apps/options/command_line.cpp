// The only file that includes CLI11.
#include "options/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "options/option_value.hpp"

namespace gat::app {

namespace {

// What CLI11 found for one row of the table.
struct Found {
  const Option* option;
  std::vector<std::string> texts;
};

std::string no_form(const Option& option) { return "--no-" + std::string(option.long_name().substr(2)); }

std::vector<Found*> add_options(CLI::App& app, const Verb& verb, std::deque<Found>& found) {
  std::vector<Found*> rows;
  for (const Option& option : option_table()) {
    if ((option.verbs & verb.bit) == 0) continue;
    Found& row = found.emplace_back(Found{&option, {}});
    rows.push_back(&row);
    const std::string names(option.names);
    if (option.is_switch()) {
      app.add_flag_callback(names, [&row] { row.texts.emplace_back("true"); });
      app.add_flag_callback(no_form(option), [&row] { row.texts.emplace_back("false"); });
    } else {
      app.add_option(names, row.texts)->allow_extra_args(false);
    }
  }
  return rows;
}

std::vector<std::string> known_options(const Verb& verb) {
  std::vector<std::string> names{"--help", "--help-all"};
  for (const Option& option : option_table()) {
    if ((option.verbs & verb.bit) == 0) continue;
    for (const std::string& name : cut(option.names, ',')) names.push_back(name);
    if (option.is_switch()) names.push_back(no_form(option));
  }
  return names;
}

[[noreturn]] void refuse_unknown_option(const Verb& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> known = known_options(verb);
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string nearest = nearest_name(name, views);
  throw UsageError(name + ": gat " + std::string(verb.name) + " has no such option; " +
                   (nearest.empty() ? "gat " + std::string(verb.name) + " --help-all lists them"
                                    : "did you mean \"" + nearest + "\"?"));
}

void store_arguments(const Verb& verb, const std::vector<std::string>& words, Settings& settings) {
  std::size_t used = 0;
  for (const Argument& argument : verb.arguments) {
    if (used == words.size()) {
      if (!argument.required) continue;
      throw UsageError("gat " + std::string(verb.name) + ": " + std::string(argument.name) +
                       " is missing; see gat " + std::string(verb.name) + " --help");
    }
    if (words[used].empty()) {
      throw UsageError("gat " + std::string(verb.name) + ": " + std::string(argument.name) +
                       " is an empty text; " + (argument.required ? "name it" : "name it or leave it out"));
    }
    if (const auto* list = std::get_if<std::vector<std::string> Settings::*>(&argument.member)) {
      for (; used < words.size(); ++used) (settings.**list).push_back(words[used]);
    } else {
      settings.*std::get<std::string Settings::*>(argument.member) = words[used++];
    }
  }
  if (used < words.size()) {
    throw UsageError("gat " + std::string(verb.name) + ": unexpected argument \"" + words[used] +
                     "\"; see gat " + std::string(verb.name) + " --help");
  }
}

}  // namespace

CommandLine parse_command_line(const Verb& verb, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  std::deque<Found> found;
  const std::vector<Found*> rows = add_options(app, verb, found);
  std::vector<std::string> arguments;
  app.add_option("arguments", arguments);
  try {
    // CLI11 takes words from the back.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    throw UsageError(what.substr(0, what.find(':')) + ": a value is missing");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.front() == '-') refuse_unknown_option(verb, word);
    arguments.push_back(word);
  }
  CommandLine line;
  line.verb = &verb;
  for (const Found* row : rows) {
    if (row->texts.size() > 1 && !row->option->is_repeatable()) {
      throw UsageError(std::string(row->option->long_name()) + " is given twice; leave one");
    }
    for (const std::string& text : row->texts) line.options.push_back({row->option, text});
  }
  store_arguments(verb, arguments, line.arguments);
  return line;
}

}  // namespace gat::app
