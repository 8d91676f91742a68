/// Puts the settings of a call together: defaults < recipe < configuration files < options.
#pragma once

#include "options/command_line.hpp"

namespace gat::app {

/// \throws UsageError with the place (option or file:line:column), FileError for a missing file
Call assemble(const CommandLine& line, std::vector<std::string> command, Console& console);

}  // namespace gat::app
