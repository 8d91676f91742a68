/// How a call computes: on how many threads, with which instructions, from rows of which precision.
#pragma once

#include "gat/core/execution.hpp"
#include "gat/nn/network.hpp"
#include "verbs/verb_table.hpp"

namespace gat::app {

/// What --threads, --simd and --precision ask for, settled for this machine.
Execution execution_of(const Call& call);

/// Whether the layers of a network, described by settings or saved, can gather rows of the call's precision.
/// \throws UsageError naming the layer that cannot
void check_precision(const Network& network, const Execution& execution);

}  // namespace gat::app
