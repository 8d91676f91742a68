/// The loops behind the yardsticks, compiled once per instruction level.
///
/// `loops.cpp` is built into one program for every level and must share no inline function with another
/// file, or code of a level that a processor lacks could be called: it includes `loop_types.hpp` alone.
#pragma once

#include <span>

#include "bench/loop_types.hpp"

namespace gat::app {

/// The loops of every level that this processor has, best first.
std::span<const Loops* const> available_loops();
inline const Loops& best_loops() { return *available_loops().front(); }

}  // namespace gat::app
