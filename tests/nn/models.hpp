/// A small model and data for it.
#pragma once

#include "gat/nn/model.hpp"
#include "nn/networks.hpp"

namespace gat::test {

inline GraphData random_data(Index num_nodes, Index num_features, std::uint64_t seed = 1) {
  GraphData data;
  data.graph = random_graph(num_nodes, 4 * num_nodes, seed);
  data.features.dense = random_half_empty(num_nodes, num_features, seed + 1);
  return data;
}

/// 3 heads, slope 0.1, loops off, row-normalised, two classes called "b" and "a".
inline ModelDescription small_description(Index num_features = 4) {
  ModelDescription d;
  d.network = {
      num_features,
      0,
      {gat_step(
           {{"num_heads", 3}, {"head_dim", 2}, {"negative_slope", 0.1}, {"activation", std::string("elu")}}),
       gat_step({{"num_heads", 1}, {"head_dim", 2}, {"negative_slope", 0.1}})}};
  d.graph_policy = {Direction::symmetrize, SelfLoops::as_given, Duplicates::keep,
                    Dangling::drop,        LoopFill::max,       0.25};
  d.input_transform = InputTransform::row_normalize;
  d.class_names = {"b", "a"};
  d.metadata = {{"seed", "7"}, {"split", "public"}};
  return d;
}
inline Model small_model(Index num_features = 4) {
  const ModelDescription d = small_description(num_features);
  return Model(d, random_weights(Network(d.network)));
}

inline Matrix predict(const Model& model, const GraphData& data) {
  Workspace workspace;
  return model.class_logits(model.prepare(data), workspace);
}

}  // namespace gat::test
