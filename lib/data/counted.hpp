/// Numbers with their nouns, for notes and messages: `1 edge`, `2 edges`.
#pragma once

#include <string>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// `count` and the noun, with an s unless it is one.
inline std::string counted(Index count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace gat::inline GAT_PRECISION
