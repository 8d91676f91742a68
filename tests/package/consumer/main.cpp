// Turns a Boost graph into a CsrGraph, runs one GAT layer forward and backward, and uses a trained model.
#include <boost/graph/adjacency_list.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "gat/core/eigen.hpp"
#include "gat/graph/boost_graph.hpp"
#include "gat/nn/layers/gat.hpp"
#include "gat/nn/model.hpp"

double sum_of_layer_in_double();

namespace {

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

// The sum of a layer's output and whether every gradient is finite.
double run_layer(const gat::CsrGraph& graph) {
  const gat::EigenMatrix features = gat::EigenMatrix::Ones(graph.num_nodes(), 2);
  gat::GatLayerOptions options;
  options.in_features = 2;
  options.num_heads = 2;
  options.head_dim = 3;
  const gat::GatLayer layer(options);
  gat::Weights weights = layer.make_weights();
  weights.fill(0.5);
  gat::Weights gradients = layer.make_weights();

  const gat::GraphView view = graph.view();
  gat::Workspace workspace;
  gat::Tape tape;
  const gat::Context context{.graph = view,
                             .weights = weights,
                             .workspace = workspace,
                             .mode = gat::Mode::training,
                             .random = gat::RandomStream(1),
                             .execution = 2,
                             .tape = &tape};
  gat::LayerInput input;
  input.source = gat::as_view(features);
  gat::Matrix out(graph.num_nodes(), layer.check_input(view, input));
  layer.forward(context, input, out);
  gat::Matrix d_out(out.rows(), out.cols());
  d_out.view().fill(1);
  layer.backward(context, input, out, d_out, {}, gradients);

  double sum = 0;
  for (gat::Index k = 0; k < out.size(); ++k) sum += out.data()[k];
  for (const gat::Real g : gradients.values()) sum += std::isfinite(g) ? 0 : NAN;
  return sum;
}

}  // namespace

int main(int argc, char** argv) try {
  BoostGraph boost_graph(4);
  add_edge(0, 1, boost_graph);
  add_edge(1, 2, boost_graph);
  add_edge(2, 3, boost_graph);
  const gat::BuiltGraph built = gat::csr_graph_from_boost(boost_graph);
  // Each coefficient row sums to 1, so every output element is 0.5 · (1 + 1) + the bias 0.5: 24 · 1.5.
  const double sum = run_layer(built.graph);
  const double sum_double = sum_of_layer_in_double();
  std::printf("edges %lld, sum %.6f, in double %.12f\n", static_cast<long long>(built.graph.num_edges()), sum,
              sum_double);
  if (built.graph.num_edges() != 10 || std::abs(sum - 36) > 1e-4 || std::abs(sum_double - 36) > 1e-10)
    return 1;

  if (argc < 2) return 2;
  const gat::Model model = gat::Model::load(argv[1]);
  gat::GraphData data;
  data.graph = gat::build_graph(
                   [&] {
                     gat::EdgeList edges;
                     for (gat::NodeId node = 1; node < model.description().network.num_features; ++node)
                       edges.add(0, node);
                     return edges;
                   }(),
                   model.description().network.num_features, {.self_loops = gat::SelfLoops::as_given})
                   .graph;
  data.features.dense.resize(data.num_nodes(), data.num_nodes());
  for (gat::Index i = 0; i < data.num_nodes(); ++i) data.features.dense(i, i) = 1;
  gat::Workspace workspace;
  const gat::Matrix logits = model.class_logits(model.prepare(data), workspace);
  std::printf("model of %lld classes, logit %g\n", static_cast<long long>(model.num_classes()),
              static_cast<double>(logits(0, 0)));
  return std::isfinite(logits(0, 0)) && model.num_classes() == 4 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
