/// The gather rate: rows of a stated width summed in a graph's own column order.
///
/// The simplest loop that does what attention must do with memory: each destination's row is summed in
/// registers (up to 16 of 64 bytes; of wider rows in the first cache) and written once. Rows start at
/// multiples of 64 bytes where they are that wide. Bytes counted are edges × width × 4.
#pragma once

#include <memory>

#include "bench/yardsticks.hpp"

namespace gat::app {

/// \pre the graph is stored
std::unique_ptr<Yardstick> make_gather_yardstick(const YardstickKey& key, Team& team, HugeBuffers& buffers);

}  // namespace gat::app
