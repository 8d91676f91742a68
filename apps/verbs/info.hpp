/// What `gat info` knows about one argument: as JSON, and the same as text.
#pragma once

#include <string>

#include "output/json.hpp"
#include "verbs/verb_table.hpp"

namespace gat::app {

/// Facts in the order in which they are shown.
Json model_facts(const std::string& path);
Json dataset_facts(const Call& call, const std::string& name_or_path);

/// "name: value" lines; tables are indented.
std::string facts_text(const Json& facts, std::size_t indent = 0);

}  // namespace gat::app
