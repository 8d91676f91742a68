#include "gat/nn/layers/table.hpp"

#include <array>
#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "gat/nn/layers/attention.hpp"
#include "gat/nn/layers/gat.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::array kLayerKinds{
    LayerKind{"gat", &GatLayer::from_description},
    LayerKind{"attention", &AttentionLayer::from_description},
};

}  // namespace

std::span<const LayerKind> layer_kinds() { return kLayerKinds; }

std::unique_ptr<Layer> make_layer(const LayerDescription& description, Index in_features,
                                  Index edge_features) {
  std::vector<std::string_view> names;
  for (const LayerKind& kind : kLayerKinds) {
    if (kind.name == description.kind) return kind.make(description, in_features, edge_features);
    names.push_back(kind.name);
  }
  throw UsageError("unknown kind of layer \"" + description.kind + "\"; " +
                   known_names_hint(description.kind, names));
}

}  // namespace gat::inline GAT_PRECISION
