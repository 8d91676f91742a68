/// Help texts, made from the verb table and the option table.
#pragma once

#include <string>

#include "verbs/verb_table.hpp"

namespace gat::app {

/// What bare `gat` says: twelve lines with three examples.
std::string overview();
/// Usage, arguments, options with unit and default, examples.
/// \param all  every option, not only the most used ones
std::string help_of(const Verb& verb, bool all);

}  // namespace gat::app
