#include "options/assemble.hpp"

#include <algorithm>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "gat/io/file.hpp"
#include "options/block_choice.hpp"
#include "options/config_file.hpp"
#include "options/option_value.hpp"
#include "options/recipes.hpp"

namespace gat::app {

namespace {

void assign_option(Settings& settings, const Option& option, const std::string& text) {
  try {
    assign(settings, option, text);
  } catch (const UsageError& error) {
    throw UsageError(std::string(option.long_name()) + ": " + error.what());
  }
}

// Options of the command line alone say which files to read, so they come first.
void read_call_options(const CommandLine& line, Settings& settings) {
  for (const GivenOption& given : line.options) {
    if (!given.option->in_files()) assign_option(settings, *given.option, given.text);
  }
}

const Option& option_at(const std::string& path) {
  if (const Option* option = find_option(path)) return *option;
  std::vector<std::string> paths;
  for (const Option& option : option_table()) {
    if (option.in_files()) paths.push_back(option.path());
  }
  const std::vector<std::string_view> known(paths.begin(), paths.end());
  const std::string nearest = nearest_name(path, known);
  throw UsageError(
      "--set: unknown key \"" + path + "\"; " +
      (nearest.empty() ? "gat train --help-all lists the keys" : "did you mean \"" + nearest + "\"?"));
}

void read_assignments(Settings& settings, std::vector<const Option*>& given) {
  for (const std::string& text : settings.assignments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw UsageError("--set: expected KEY=VALUE, for example model.heads=4, got \"" + text + "\"");
    }
    const Option& option = option_at(text.substr(0, equals));
    try {
      assign(settings, option, text.substr(equals + 1));
    } catch (const UsageError& error) {
      throw UsageError("--set " + option.path() + ": " + error.what());
    }
    given.push_back(&option);
  }
}

// The configuration files by path. Read once, since one may be standard input.
using Texts = std::vector<std::pair<std::string, std::string>>;

Texts read_texts(const Settings& settings) {
  Texts texts;
  for (const std::string& path : settings.config_files)
    texts.emplace_back(path, read_file(path == "-" ? "/dev/stdin" : path));
  return texts;
}

void read_files(Settings& settings, const Texts& texts, std::vector<const Option*>& given) {
  // What a recipe sets is a default, not something that the user asked for by name.
  if (!settings.recipe.empty())
    read_config(recipe_named(settings.recipe).toml, "recipe " + settings.recipe, settings);
  for (const auto& [path, text] : texts) {
    const std::vector<const Option*> options = read_config(text, path, settings);
    given.insert(given.end(), options.begin(), options.end());
  }
}

void read_options(const CommandLine& line, Call& call) {
  std::vector<std::string_view> names;
  for (const GivenOption& given : line.options) {
    if (!given.option->in_files()) continue;
    assign_option(call.settings, *given.option, given.text);
    call.given.push_back(given.option);
    names.push_back(given.option->long_name());
  }
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has("--seed") && has("--seeds")) throw UsageError("--seed and --seeds exclude each other; leave one");
  call.threads_given = has("--threads");
}

void read_everything(const CommandLine& line, const Texts& texts, Call& call) {
  read_files(call.settings, texts, call.given);
  read_assignments(call.settings, call.given);
  read_options(line, call);
}

// A number of heads for every layer names those of the output layer too.
void settle_heads(Call& call) {
  Settings& s = call.settings;
  if (!block_of(s).is_stack() || s.layers < 2 || s.heads.size() != static_cast<std::size_t>(s.layers)) return;
  if (call.is_given("model.output_heads") && s.output_heads != s.heads.back()) {
    throw UsageError("--heads: " + std::to_string(s.heads.back()) +
                     " for the output layer, but --output-heads is " + std::to_string(s.output_heads) +
                     "; leave one");
  }
  s.output_heads = s.heads.back();
  s.heads.pop_back();
}

void copy_arguments(const CommandLine& line, Settings& settings) {
  for (const Argument& argument : line.verb->arguments) {
    if (const auto* list = std::get_if<std::vector<std::string> Settings::*>(&argument.member)) {
      settings.** list = line.arguments.**list;
    } else {
      const auto text = std::get<std::string Settings::*>(argument.member);
      if (!(line.arguments.*text).empty()) settings.*text = line.arguments.*text;
    }
  }
}

}  // namespace

Call assemble(const CommandLine& line, std::vector<std::string> command, Console& console) {
  Call call{{}, {}, false, std::move(command), console};
  read_call_options(line, call.settings);
  const Texts texts = read_texts(call.settings);
  read_everything(line, texts, call);
  // Blocks have defaults of their own: start again from these.
  if (const BlockChoice& block = block_of(call.settings); block.kind != BlockKind::gat) {
    call.settings = default_settings(block);
    call.given.clear();
    read_call_options(line, call.settings);
    read_everything(line, texts, call);
  }
  settle_heads(call);
  copy_arguments(line, call.settings);
  return call;
}

}  // namespace gat::app
