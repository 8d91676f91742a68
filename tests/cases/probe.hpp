/// The probes of the reported faults: one GAT layer of one head whose weights are set by hand.
#pragma once

#include <functional>
#include <limits>

#include "gat/nn/layers/gat.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

namespace gat::test {

/// What one use of a probe gives. The loss is the sum of the output.
struct ProbeResult {
  Matrix out;
  Matrix logits, attention, dropped;  ///< by edge id
  Matrix d_source;
  Weights gradients;
  Workspace::Statistics statistics;
};

class Probe {
 public:
  using Change = std::function<void(GatLayerOptions&)>;

  /// Width 1, W = 1, score LeakyReLU₀.₂(a_src h_j + a_dst h_i), no bias, no activation.
  static Probe p1(double a_src, double a_dst, const Change& change = {}) {
    Probe probe(1, change);
    probe.set("a_src", {{a_src}});
    probe.set("a_dst", {{a_dst}});
    return probe;
  }
  /// Scores that are all 0: the plain mean of the neighbourhood.
  static Probe zero_scores(const Change& change = {}) { return p1(0, 0, change); }
  /// Width 2, W the identity, score LeakyReLU₀.₂ of the source's first component; read the second.
  static Probe p2() {
    Probe probe(2, {});
    probe.set("a_src", {{1, 0}});
    return probe;
  }

  /// Sets a parameter, in the order of files.
  void set(const char* name, std::initializer_list<std::initializer_list<double>> rows) {
    std::vector<Real> values;
    for (const auto& row : rows) {
      for (const double value : row) values.push_back(static_cast<Real>(value));
    }
    weights_.import_values(weights_.find(name), values);
  }

  Mode mode = Mode::evaluation;
  std::uint64_t seed = 0;
  int num_threads = 1;

  ProbeResult run(const CsrGraph& graph, const Matrix& h) const { return run(graph.view(), {.source = h}); }
  ProbeResult run(const GraphView& graph, const LayerInput& input) const {
    ProbeResult r;
    r.gradients = layer_.make_weights();
    r.out = Matrix(graph.num_destinations(), layer_.check_input(graph, input));
    r.logits = r.attention = r.dropped = Matrix(graph.edge_id_bound(), 1);
    r.d_source = Matrix(input.source.rows(), input.source.cols());
    const AttentionSink sink{r.logits, r.attention, {}, r.dropped};
    Matrix ones(r.out.rows(), r.out.cols());
    ones.view().fill(1);
    Workspace workspace;
    Tape tape;
    const Context context{.graph = graph,
                          .weights = weights_,
                          .workspace = workspace,
                          .mode = mode,
                          .random = RandomStream(seed),
                          .execution = num_threads,
                          .tape = &tape,
                          .attention = &sink};
    layer_.forward(context, input, r.out);
    InputGradient d_input;
    if (!input.source.is_sparse()) d_input.source = r.d_source;
    layer_.backward(context, input, r.out, ones, d_input, r.gradients);
    r.statistics = workspace.statistics;
    return r;
  }

 private:
  static GatLayerOptions options(Index width, const Change& change) {
    GatLayerOptions o;
    o.in_features = o.head_dim = width;
    o.num_heads = 1;
    o.bias = false;
    if (change) change(o);
    return o;
  }

  Probe(Index width, const Change& change) : layer_(options(width, change)), weights_(layer_.make_weights()) {
    for (Index k = 0; k < width; ++k) weights_[0](k, k) = 1;
  }

  GatLayer layer_;
  Weights weights_;
};

inline bool all_finite(ConstMatrixView matrix) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) {
      if (!std::isfinite(matrix(i, j))) return false;
    }
  }
  return true;
}
inline bool all_finite(const ProbeResult& r) {
  const auto gradients = r.gradients.values();
  return all_finite(r.out) && all_finite(r.d_source) &&
         all_finite(ConstMatrixView(gradients.data(), 1, static_cast<Index>(gradients.size())));
}

}  // namespace gat::test
