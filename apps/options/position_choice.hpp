/// What --positions names: columns that the program computes, and positions that a model learns.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gat/graph/positions.hpp"
#include "gat/nn/layers/learned_positions.hpp"

namespace gat::app {

struct PositionChoice {
  std::vector<PositionEncoding> encodings;
  std::optional<LearnedPositionsOptions> learned;  ///< without the number of nodes
};

/// Encodings by name and width, "learned" (added) or "learned:WIDTH" (columns) among them; empty for none.
/// \throws UsageError that says what was expected
PositionChoice parse_positions(std::string_view text);

}  // namespace gat::app
