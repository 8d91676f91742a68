/// Settings in TOML files: recipes, the user's configuration, the effective one of a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options/option_table.hpp"

namespace gat::app {

/// Reads TOML text into the settings and returns the options that it sets.
/// \param name  of the file, for messages
/// \throws UsageError with file:line:column for a syntax error, a key given twice, an unknown table or
///         key (with the nearest known one), and a value of the wrong type or out of range
std::vector<const Option*> read_config(std::string_view toml, const std::string& name, Settings& settings);

/// All settings that files can hold, as TOML that starts the same run again, opened by a comment.
std::string write_config(const Settings& settings, std::string_view comment);

}  // namespace gat::app
