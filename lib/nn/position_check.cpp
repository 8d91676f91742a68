#include "nn/position_check.hpp"

#include "gat/nn/layers/learned_positions.hpp"

namespace gat::inline GAT_PRECISION {

void check_positions(const Network& network, Index num_nodes) {
  for (int step = 0; step < network.num_steps(); ++step) {
    const auto* layer = dynamic_cast<const LearnedPositionsLayer*>(&network.layer(step));
    if (layer != nullptr) layer->check_num_nodes(num_nodes);
  }
}

}  // namespace gat::inline GAT_PRECISION
