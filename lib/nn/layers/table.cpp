#include "gat/nn/layers/table.hpp"

#include <array>
#include <string>
#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "gat/nn/layers/gat.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Layers that read one input.
template <class Kind>
std::unique_ptr<Layer> of_one(const LayerDescription& description, const LayerWidths& widths) {
  if (widths.inputs.size() != 1) {
    throw UsageError("layer \"" + description.kind + "\" reads one input, but " +
                     std::to_string(widths.inputs.size()) + " were named");
  }
  return Kind::from_description(description, widths.inputs.front(), widths.edge_features);
}

constexpr std::array kLayerKinds{
    LayerKind{"gat", &of_one<GatLayer>},
};

}  // namespace

std::span<const LayerKind> layer_kinds() { return kLayerKinds; }

std::unique_ptr<Layer> make_layer(const LayerDescription& description, const LayerWidths& widths) {
  std::vector<std::string_view> names;
  for (const LayerKind& kind : kLayerKinds) {
    if (kind.name == description.kind) return kind.make(description, widths);
    names.push_back(kind.name);
  }
  throw UsageError("unknown kind of layer \"" + description.kind + "\"; " +
                   known_names_hint(description.kind, names));
}

std::unique_ptr<Layer> make_layer(const LayerDescription& description, Index in_features,
                                  Index edge_features) {
  return make_layer(description, {{&in_features, 1}, edge_features});
}

}  // namespace gat::inline GAT_PRECISION
