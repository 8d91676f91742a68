/// From settings to the layers of networks other than the original's.
#pragma once

#include <optional>

#include "gat/nn/layers/gat.hpp"
#include "gat/nn/layers/learned_positions.hpp"
#include "gat/nn/network.hpp"
#include "settings.hpp"

namespace gat::app {

/// One layer of a stack.
struct LayerPlace {
  Index in_features = 0, edge_features = 0;
  int num_heads = 1, head_dim = 1;
  bool is_output = false;  ///< averages its heads and has no activation
  Residual residual = Residual::none;
};

/// A layer of `--block attention` or `transformer-conv`.
/// \throws UsageError for options that the layer does not have
LayerDescription attention_layer(const Settings& settings, const LayerPlace& place);

/// The networks of `BlockForm`. \param widths  of the features; without steps
/// \throws UsageError for options that do not fit them
NetworkDescription blocks_network(const Settings& settings, const NetworkDescription& widths,
                                  const std::optional<LearnedPositionsOptions>& positions, Index num_outputs);

/// \throws UsageError for options that no stack of layers has
void check_stack(const Settings& settings);

/// The options of the original's layer, without its widths.
GatLayerOptions gat_layer_options(const Settings& settings);

}  // namespace gat::app
