/// Values of settings as text, in both directions, whatever the locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options/option_table.hpp"

namespace gat::app {

/// The shortest text that reads back as the same number.
std::string shortest(double value);
std::string shortest(float value);

/// Reads a value as the command line spells it and stores it, after its check.
/// \throws UsageError that says what was expected, without the place
void assign(Settings& settings, const Option& option, std::string_view text);

/// The value as the command line spells it: 0.005, 8,8, true; empty for an empty text.
std::string text_of(const Settings& settings, const Option& option);
/// The value as TOML spells it: 0.005, [8, 8], true, "elu".
std::string toml_of(const Settings& settings, const Option& option);

std::vector<std::string> cut(std::string_view text, char separator);
/// \throws UsageError that says what was expected
std::int64_t parse_integer(std::string_view text);
double parse_number(std::string_view text);

/// "0-9", "3" or "0,2,5-7" as numbers in the order given.
/// \throws UsageError for anything else, for a number named twice and for more than 100,000 numbers
std::vector<std::int64_t> parse_ranges(std::string_view text);

}  // namespace gat::app
