#include "bench/generated.hpp"

namespace gat::app {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  const RandomStream random(seed);
  Matrix matrix(rows, cols);
  for (Index k = 0; k < matrix.size(); ++k)
    matrix.data()[k] = static_cast<Real>(2 * random.uniform(static_cast<std::uint64_t>(k)) - 1);
  return matrix;
}

NetworkDescription gat_network(Index num_features, std::span<const LayerShape> layers, double dropout) {
  NetworkDescription network;
  network.num_features = num_features;
  Index width = num_features;
  for (const LayerShape& shape : layers) {
    GatLayerOptions o;
    o.in_features = width;
    o.num_heads = shape.num_heads;
    o.head_dim = shape.head_dim;
    o.merge = shape.merge;
    o.feature_dropout = o.attention_dropout = dropout;
    if (&shape != &layers.back()) o.activation = {ActivationKind::elu, 1};
    width = shape.merge == HeadMerge::concat ? shape.num_heads * shape.head_dim : shape.head_dim;
    network.steps.push_back({GatLayer(o).describe(), "", ""});
  }
  return network;
}

GeneratedData::GeneratedData(const std::string& graph_name, const PowerLawOptions& options,
                             Index num_features, Index num_classes, double share_labelled)
    : graph(generate_power_law(options).graph),
      named{graph_name, graph.view()},
      features(random_matrix(options.num_nodes, num_features, 2)) {
  const RandomStream random(3);
  for (Index i = 0; i < options.num_nodes; ++i) {
    const auto at = static_cast<std::uint64_t>(2 * i);
    labels.classes.push_back(static_cast<NodeId>(random.below(at, static_cast<std::uint64_t>(num_classes))));
    if (random.uniform(at + 1) < share_labelled) train.push_back(static_cast<NodeId>(i));
  }
}

GeneratedTraining::GeneratedTraining(const GeneratedData& data, const NetworkDescription& description,
                                     std::span<const NodeId> order)
    : network(description),
      steps({network, data.named.view, data.features, {}, data.labels, data.train, {}},
            order.empty() ? Blocks::whole(data.named.view, network.num_steps())
                          : Blocks::reordered(data.graph, order, network.num_steps())) {}

}  // namespace gat::app
