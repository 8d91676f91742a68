/// Words of the command line become a verb with its arguments and options.
#pragma once

#include <string>
#include <vector>

#include "verbs/verb_table.hpp"

namespace gat::app {

/// An option as it was given.
struct GivenOption {
  const Option* option;
  std::string text;
};

struct CommandLine {
  const Verb* verb = nullptr;
  std::vector<GivenOption> options;  ///< in table order
  Settings arguments;                ///< only the verb's arguments are set
};

/// Reads the words after the verb.
/// \throws UsageError for an unknown or incomplete option, with the nearest known one, and for too many
/// or too few arguments
CommandLine parse_command_line(const Verb& verb, const std::vector<std::string>& words);

}  // namespace gat::app
