// The same layer in double, in a translation unit of its own: one program links both precisions.
#include "gat/graph/graph_builder.hpp"
#include "gat/nn/layers/gat.hpp"

double sum_of_layer_in_double() {
  gat::EdgeList path;
  for (const auto& [u, v] : {std::pair{0, 1}, {1, 2}, {2, 3}}) {
    path.add(u, v);
    path.add(v, u);
  }
  const gat::BuiltGraph built = gat::build_graph(path, 4, {});
  gat::Matrix features(4, 2);
  features.view().fill(1);
  gat::GatLayerOptions options;
  options.in_features = 2;
  options.num_heads = 2;
  options.head_dim = 3;
  const gat::GatLayer layer(options);
  gat::Weights weights = layer.make_weights();
  weights.fill(0.5);
  const gat::GraphView view = built.graph.view();
  gat::Workspace workspace;
  gat::LayerInput input;
  input.source = features;
  gat::Matrix out(4, 6);
  layer.forward({.graph = view, .weights = weights, .workspace = workspace}, input, out);
  double sum = 0;
  for (gat::Index k = 0; k < out.size(); ++k) sum += out.data()[k];
  static_assert(sizeof(gat::Real) == 8);
  return sum;
}
