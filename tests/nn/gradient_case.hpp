/// One use of a GAT layer whose gradients are held against central differences.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gat/graph/edge_features.hpp"
#include "gat/graph/graph_builder.hpp"
#include "gat/nn/layers/gat.hpp"

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
struct GradientCase {
  std::string name;
  GatLayerOptions options;
  GraphPolicy policy{.self_loops = SelfLoops::replace, .duplicates = Duplicates::keep};
  bool sparse = false;
  Destinations::Kind destination = Destinations::Kind::prefix;
  bool mask = false;
  Index log_prior_columns = 0;
  Index factor_columns = 0;
  GraphView implicit{};  ///< used instead of a stored graph when it has nodes
  Index num_nodes = 9;
  Index num_edges = 24;  ///< random, with repeats and loops
  Index hub_edges = 0;   ///< additional edges into node 0 and out of node 1
};

/// Inputs, weights and upstream gradient drawn from a seed.
class GradientRun {
 public:
  GradientRun(const GradientCase& c, std::uint64_t seed);

  /// Σ out ⊙ upstream.
  double loss();
  /// Every gradient, by name, with the memory of the numbers it belongs to.
  struct Named {
    std::string name;
    std::vector<Real*> values;
    Matrix gradient;
  };
  std::vector<Named> gradients();
  /// The smallest distance of a score to LeakyReLU's kink.
  double distance_to_kink();

 private:
  friend struct GradientInputs;
  Context context(Tape* tape, const AttentionSink* sink = nullptr);
  LayerInput input();
  Matrix random(Index rows, Index cols, std::uint64_t tag) const;

  GradientCase case_;
  RandomStream stream_;
  BuiltGraph built_;
  GraphView view_;
  std::unique_ptr<GatLayer> layer_;
  Weights weights_;
  Matrix source_, own_, user_edges_, log_prior_, factor_, upstream_;
  CsrMatrix sparse_;
  Matrix edges_;
  std::vector<std::uint8_t> mask_;
  Workspace workspace_;
};

}  // namespace gat::test
