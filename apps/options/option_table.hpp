/// The one table of all options: it drives the command line, the keys of TOML files, the effective
/// configuration and the help texts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "settings.hpp"

namespace gat::app {

/// The verbs, as bits of `Option::verbs`.
enum VerbBit : unsigned {
  kTrain = 1,
  kEvaluate = 2,
  kPredict = 4,
  kAttention = 8,
  kEmbed = 16,
  kInfo = 32,
  kRecipe = 64,
  kVersion = 128,
  kBench = 256,
  kEveryVerb = 511
};

/// Where a value lives in `Settings`; its type decides how text and TOML are read.
using Member =
    std::variant<bool Settings::*, std::int64_t Settings::*, double Settings::*, std::string Settings::*,
                 std::vector<std::int64_t> Settings::*, std::vector<std::string> Settings::*>;

struct Option {
  std::string_view names;    ///< "-t,--threads"; a switch also has its "--no-" form
  std::string_view section;  ///< table in TOML files; empty = an option of the command line alone
  std::string_view key;      ///< name in TOML files
  Member member;
  std::string_view value;    ///< what the value is called in help, empty for a switch
  std::string_view help;     ///< one sentence part, with the unit
  unsigned verbs;            ///< which verbs have it
  bool common;               ///< shown by --help, not only by --help-all
  void (*check)(Settings&);  ///< throws UsageError; may put related settings right; may be null
  /// Names that the help lists behind its text, where a table elsewhere has them; may be null.
  std::vector<std::string_view> (*known)() = nullptr;

  bool is_switch() const { return std::holds_alternative<bool Settings::*>(member); }
  /// Whether the option may be given several times.
  bool is_repeatable() const { return std::holds_alternative<std::vector<std::string> Settings::*>(member); }
  bool in_files() const { return !section.empty(); }
  /// "--threads"
  std::string_view long_name() const;
  /// "training.threads"
  std::string path() const;
};

std::span<const Option> option_table();
/// The row of a TOML key; null when there is none.
const Option* find_option(std::string_view section, std::string_view key);
/// The row of "section.key"; null when there is none.
const Option* find_option(std::string_view path);

}  // namespace gat::app
