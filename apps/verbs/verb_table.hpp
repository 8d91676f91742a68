/// The verbs of the program: what they do, what they take, and examples for the help.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "options/option_table.hpp"
#include "terminal/console.hpp"

namespace gat::app {

/// An argument that is not an option.
struct Argument {
  std::string_view name;  ///< "DATA"
  Member member;
  bool required = true;
};

/// What a verb gets to work with.
struct Call {
  Settings settings;
  std::vector<const Option*> given;  ///< what a configuration file or an option set
  bool threads_given = false;        ///< on the command line
  std::vector<std::string> command;  ///< the words of the command line
  Console& console;

  /// \param path  of a key, for example "training.stop"
  bool is_given(std::string_view path) const;
};

struct Verb {
  std::string_view name;
  VerbBit bit;
  std::string_view summary;
  std::vector<Argument> arguments;
  std::vector<std::string_view> examples;
  int (*run)(const Call& call);  ///< returns the exit code
};

std::span<const Verb> verbs();
/// \throws UsageError for an unknown verb, with the nearest known one
const Verb& verb_named(std::string_view name);

}  // namespace gat::app
