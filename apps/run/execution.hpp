/// How a call computes: on how many threads, with which instructions, from rows of which precision.
#pragma once

#include "gat/core/execution.hpp"
#include "verbs/verb_table.hpp"

namespace gat::app {

/// What --threads, --simd and --precision ask for, settled for this machine.
Execution execution_of(const Call& call);

}  // namespace gat::app
