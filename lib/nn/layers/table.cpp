#include "gat/nn/layers/table.hpp"

#include <array>
#include <string>
#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "gat/nn/layers/activation.hpp"
#include "gat/nn/layers/add.hpp"
#include "gat/nn/layers/attention.hpp"
#include "gat/nn/layers/batch_norm.hpp"
#include "gat/nn/layers/concat.hpp"
#include "gat/nn/layers/dropout.hpp"
#include "gat/nn/layers/feed_forward.hpp"
#include "gat/nn/layers/gat.hpp"
#include "gat/nn/layers/layer_norm.hpp"
#include "gat/nn/layers/learned_positions.hpp"
#include "gat/nn/layers/linear.hpp"
#include "gat/nn/layers/lstm_attention.hpp"
#include "gat/nn/layers/max.hpp"
#include "gat/nn/layers/readout.hpp"

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

// Layers that read several.
template <class Kind>
std::unique_ptr<Layer> of_several(const LayerDescription& description, const LayerWidths& widths) {
  return Kind::from_description(description, widths.inputs);
}

constexpr std::array kLayerKinds{
    LayerKind{"gat", &of_one<GatLayer>},
    LayerKind{"attention", &of_one<AttentionLayer>},
    LayerKind{"linear", &of_one<LinearLayer>},
    LayerKind{"feed_forward", &of_one<FeedForwardLayer>},
    LayerKind{"activation", &of_one<ActivationLayer>},
    LayerKind{"dropout", &of_one<DropoutLayer>},
    LayerKind{"layer_norm", &of_one<LayerNormLayer>},
    LayerKind{"batch_norm", &of_one<BatchNormLayer>},
    LayerKind{"add", &of_several<AddLayer>},
    LayerKind{"concat", &of_several<ConcatLayer>},
    LayerKind{"max", &of_several<MaxLayer>},
    LayerKind{"lstm_attention", &of_several<LstmAttentionLayer>},
    LayerKind{"learned_positions", &of_one<LearnedPositionsLayer>},
    LayerKind{"readout", &of_one<ReadoutLayer>},
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
