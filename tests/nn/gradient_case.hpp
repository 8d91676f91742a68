/// One use of an attention layer whose gradients are held against central differences.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gat/graph/edge_features.hpp"
#include "gat/graph/graph_builder.hpp"
#include "gat/nn/layers/attention.hpp"
#include "gat/nn/layers/gat.hpp"
#include "nn/product_score.hpp"

namespace gat::test {

/// max |a − b| / max |b|, by the plain maximum where b vanishes (below 1e-9).
inline double normwise_error(ConstMatrixView a, ConstMatrixView b) {
  double worst = 0;
  double scale = 0;
  for (Index i = 0; i < b.rows; ++i) {
    for (Index j = 0; j < b.cols; ++j) {
      worst = std::max(worst, static_cast<double>(std::abs(a(i, j) - b(i, j))));
      scale = std::max(scale, static_cast<double>(std::abs(b(i, j))));
    }
  }
  return worst / (scale > 1e-9 ? scale : 1);
}

/// What a case varies; the layer's options and everything around it.
template <class Options>
struct GradientCaseOf {
  std::string name;
  Options options;
  GraphPolicy policy{.self_loops = SelfLoops::replace, .duplicates = Duplicates::keep};
  bool sparse = false;
  Destinations::Kind destination = Destinations::Kind::prefix;
  bool mask = false;
  Index log_prior_columns = 0;
  Index factor_columns = 0;
  GraphView implicit{};  ///< used instead of a stored graph when it has nodes
  Index num_nodes = 9;
  Index num_edges = 24;                  ///< random, with repeats and loops
  Index hub_edges = 0;                   ///< additional edges into node 0 and out of node 1
  bool only_destination_masked = false;  ///< the mask closes all edges of destination 0 instead
  bool positive_edge_features = false;   ///< in [0.2, 1.2): weights
};
using GradientCase = GradientCaseOf<GatLayerOptions>;
using AttentionCase = GradientCaseOf<AttentionLayerOptions>;

/// Inputs, weights and upstream gradient drawn from a seed.
template <class LayerKind, class Options>
class GradientRunOf {
 public:
  GradientRunOf(const GradientCaseOf<Options>& c, std::uint64_t seed);

  /// Σ out ⊙ upstream, and what the layer adds to the loss.
  double loss();
  /// Every gradient, by name, with the memory of the numbers it belongs to.
  struct Named {
    std::string name;
    std::vector<Real*> values;
    Matrix gradient;
  };
  std::vector<Named> gradients();
  /// The result of a forward, of one without training too.
  Matrix output(Mode mode = Mode::training);
  std::span<const double> loss_per_graph;  ///< given to backward
  /// The smallest distance of a score to LeakyReLU's kink.
  double distance_to_kink();

 private:
  Context context(Tape* tape, const AttentionSink* sink = nullptr);
  LayerInput input();
  Matrix random(Index rows, Index cols, std::uint64_t tag) const;

  GradientCaseOf<Options> case_;
  RandomStream stream_;
  BuiltGraph built_;
  GraphView view_;
  std::unique_ptr<LayerKind> layer_;
  Weights weights_;
  Matrix source_, own_, values_, user_edges_, log_prior_, factor_, upstream_;
  CsrMatrix sparse_;
  Matrix edges_;
  std::vector<std::uint8_t> mask_;
  std::unique_ptr<ProductScore> custom_;
  Workspace workspace_;
};
using GradientRun = GradientRunOf<GatLayer, GatLayerOptions>;
using AttentionRun = GradientRunOf<AttentionLayer, AttentionLayerOptions>;

/// Central differences of a run by the numbers of one gradient.
/// \param kink  set where the loss bends so much inside a step that the differences say nothing
template <class Run>
Matrix central_differences(Run& run, const typename Run::Named& named, bool* kink = nullptr) {
  constexpr double kStep = 6e-6;
  Matrix numeric(named.gradient.rows(), named.gradient.cols());
  double largest = 0, bend = 0;
  const double middle = run.loss();
  for (std::size_t k = 0; k < named.values.size(); ++k) {
    const Real value = *named.values[k];
    *named.values[k] = value + kStep;
    const double above = run.loss();
    *named.values[k] = value - kStep;
    const double below = run.loss();
    *named.values[k] = value;
    numeric.data()[k] = (above - below) / (2 * kStep);
    largest = std::max(largest, std::abs(numeric.data()[k]));
    bend = std::max(bend, std::abs(above - 2 * middle + below) / kStep);
  }
  // A smooth loss bends by about the step; a kink by the jump of its slope. Where a norm nearly vanishes the
  // loss is smooth, but bends too much for these differences.
  if (kink != nullptr) *kink = bend > 2e-4 * largest + 1e-7;
  return numeric;
}

}  // namespace gat::test
