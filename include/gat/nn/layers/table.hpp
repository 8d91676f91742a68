/// The kinds of layers that a description can name.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// What a layer reads: the widths of its inputs, at least one, and of the edge features.
struct LayerWidths {
  std::span<const Index> inputs;
  Index edge_features = 0;
};

struct LayerKind {
  std::string_view name;
  /// \throws UsageError for options, widths or a number of inputs that the kind cannot have
  std::unique_ptr<Layer> (*make)(const LayerDescription& description, const LayerWidths& widths);
};

/// All kinds; adding a layer is one line here.
std::span<const LayerKind> layer_kinds();
/// \throws UsageError for an unknown kind, with the known ones, and what LayerKind::make throws
std::unique_ptr<Layer> make_layer(const LayerDescription& description, const LayerWidths& widths);
/// The same for one input.
std::unique_ptr<Layer> make_layer(const LayerDescription& description, Index in_features,
                                  Index edge_features);

}  // namespace gat::inline GAT_PRECISION
