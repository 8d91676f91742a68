/// Help with misspelt names: the nearest known one, by edit distance.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// The known name with the fewest edits (insert, delete, replace, swap of neighbours; upper and lower
/// case are equal) from `name`; the first of several. Empty when none is near: at most two edits, or
/// a third of the longer name's length where that is more, and never all of `name`.
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

/// The end of a message about an unknown name, for example
/// `did you mean "cora"? Known: karate, cora, citeseer`.
std::string known_names_hint(std::string_view name, std::span<const std::string_view> known);

}  // namespace gat::inline GAT_PRECISION
