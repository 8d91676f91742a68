/// One forward and backward of a general attention layer in tests.
#pragma once

#include <functional>
#include <memory>

#include "gat/nn/layers/attention.hpp"
#include "graphs.hpp"
#include "nn/attention_cases.hpp"
#include "nn/product_score.hpp"
#include "nn/random_weights.hpp"
#include "numbers.hpp"

namespace gat::test {

/// What one round gives.
struct AttentionRound {
  Matrix out, logits, attention, weighted, dropped;  ///< coefficients by edge id
  Matrix d_source, d_destination, d_edges;
  double added_loss = 0;
  Weights gradients;
  Workspace::Statistics statistics;
};

/// A layer with random weights and one round of it.
class AttentionProbe {
 public:
  explicit AttentionProbe(const AttentionLayerOptions& options, std::uint64_t weight_seed = 3)
      : layer(options), weights(layer.make_weights()) {
    randomize(weights, RandomStream(weight_seed));
  }

  /// Sets a parameter, in the order of files.
  void set(const char* name, const std::vector<double>& values) {
    const std::vector<Real> reals(values.begin(), values.end());
    weights.import_values(weights.find(name), reals);
  }

  /// \param upstream  gradient of the output; empty = ones
  AttentionRound run(const GraphView& graph, const LayerInput& input, const Matrix& upstream = {}) const {
    AttentionRound r;
    r.gradients = layer.make_weights();
    r.out = Matrix(graph.num_destinations(), layer.check_input(graph, input));
    const Matrix by_edge(graph.edge_id_bound(), layer.num_heads());
    r.logits = r.attention = r.weighted = r.dropped = by_edge;
    const AttentionSink sink{r.logits, r.attention, r.weighted, r.dropped};
    Workspace workspace;
    Tape tape;
    const Context context{.graph = graph,
                          .weights = weights,
                          .workspace = workspace,
                          .mode = mode,
                          .random = RandomStream(seed),
                          .execution = threads,
                          .tape = &tape,
                          .attention = &sink,
                          .loss = loss,
                          .baseline = baseline};
    layer.forward(context, input, r.out);
    r.added_loss = layer.added_loss(tape);
    Matrix ones(r.out.rows(), r.out.cols());
    ones.view().fill(1);
    r.d_source = Matrix(input.source.rows(), input.source.cols());
    r.d_destination = Matrix(input.destination.features.rows(), input.destination.features.cols());
    r.d_edges = Matrix(input.edge_features.rows, input.edge_features.cols);
    InputGradient d_input;
    if (!input.source.is_sparse()) d_input.source = r.d_source;
    if (input.destination.kind == Destinations::Kind::own) d_input.destination = r.d_destination;
    if (!input.edge_features.empty()) d_input.edge_features = r.d_edges;
    layer.backward(context, input, r.out, upstream.empty() ? ones : upstream, d_input, r.gradients);
    r.statistics = workspace.statistics;
    return r;
  }
  AttentionRound run(const GraphView& graph, const Matrix& x, const Matrix& upstream = {}) const {
    return run(graph, LayerInput{.source = x}, upstream);
  }

  AttentionLayer layer;
  Weights weights;
  Mode mode = Mode::training;
  std::uint64_t seed = 0;
  Execution threads = 1;
  std::span<const double> loss, baseline;
};

inline ConstMatrixView numbers_of(const Weights& weights) {
  return {weights.values().data(), 1, weights.num_values()};
}

inline bool is_finite(ConstMatrixView matrix) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) {
      if (!std::isfinite(matrix(i, j))) return false;
    }
  }
  return true;
}

/// The input of a layer of some score: features, and a score of its own where the score is "custom".
struct ScoreInputs {
  ScoreInputs(const AttentionLayer& layer, const GraphView& graph, std::uint64_t seed = 7)
      : x(random_matrix(graph.num_sources(), layer.options().in_features, seed)),
        edges(random_matrix(graph.edge_id_bound(), layer.options().edge_features, seed + 1)),
        custom(random_matrix(graph.num_destinations(), 3, seed + 2),
               random_matrix(graph.num_sources(), 3, seed + 3)) {
    input.source = x;
    if (edges.cols() > 0) input.edge_features = edges;
    if (layer.options().score == "custom") input.custom_score = &custom;
  }
  Matrix x, edges;
  ProductScore custom;
  LayerInput input;
};

}  // namespace gat::test
