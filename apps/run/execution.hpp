/// How a call computes: on how many threads and with which instructions.
#pragma once

#include "gat/core/execution.hpp"
#include "verbs/verb_table.hpp"

namespace gat::app {

/// What --threads and --simd ask for, settled for this machine.
Execution execution_of(const Call& call);

}  // namespace gat::app
