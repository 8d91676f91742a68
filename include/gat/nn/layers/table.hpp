/// The kinds of layers that a description can name.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

struct LayerKind {
  std::string_view name;
  std::unique_ptr<Layer> (*make)(const LayerDescription& description, Index in_features, Index edge_features);
};

/// All kinds; adding a layer is one line here.
std::span<const LayerKind> layer_kinds();
/// \throws UsageError for an unknown kind, with the known ones
std::unique_ptr<Layer> make_layer(const LayerDescription& description, Index in_features,
                                  Index edge_features);

}  // namespace gat::inline GAT_PRECISION
