// A layer with its numbers, for training loops of one's own.
#pragma once

#include "gat/nn/layer.hpp"
#include "gat/train/optimizer.hpp"

namespace example {

/// What a layer, an immutable description, leaves to its user: weights, gradients, and the rule that joins
/// them.
template <class LayerType>
struct TrainedLayer {
  template <class Options>
  TrainedLayer(const Options& options, const gat::AdamOptions& adam, gat::RandomStream seed)
      : layer(options), weights(layer.make_weights()), gradients(layer.make_weights()), optimizer(adam) {
    weights.initialize(seed);
  }

  /// What one call runs with. \param tape  null outside training
  gat::Context context(const gat::GraphView& graph, gat::Tape* tape, gat::RandomStream random = {},
                       int call = 0, const gat::AttentionSink* sink = nullptr) {
    const gat::Mode mode = tape ? gat::Mode::training : gat::Mode::evaluation;
    return {.graph = graph,
            .weights = weights,
            .workspace = workspace,
            .mode = mode,
            .random = random,
            .call = call,
            .tape = tape,
            .attention = sink};
  }

  void step() {
    optimizer.step(weights, gradients, 1);
    gradients.fill(0);
  }

  LayerType layer;
  gat::Weights weights, gradients;
  gat::Adam optimizer;
  gat::Workspace workspace;
};

}  // namespace example
