/// Optional edge weights of encodings: one number per edge id, or 1 for all.
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "gat/core/error.hpp"
#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

class EdgeWeights {
 public:
  /// The weights are borrowed. \param what  the encoding, for messages
  /// \throws UsageError for a bipartite graph and weights that are negative or not finite; ShapeError when
  ///         there is not one per edge
  EdgeWeights(const CsrGraph& graph, std::span<const Real> weights, const std::string& what)
      : weights_(weights) {
    if (graph.bipartite())
      throw UsageError(what + " needs a graph whose sources and destinations are the same nodes");
    if (weights.empty()) return;
    if (static_cast<Index>(weights.size()) != graph.num_edges()) {
      throw ShapeError(what + ": " + std::to_string(weights.size()) + " edge weights for " +
                       std::to_string(graph.num_edges()) + " edges; give one per edge");
    }
    for (std::size_t e = 0; e < weights.size(); ++e) {
      if (weights[e] >= 0 && std::isfinite(weights[e])) continue;
      throw UsageError(what + ": the weight of edge " + std::to_string(e) + " is " +
                       std::to_string(weights[e]) + "; weights are finite and at least 0");
    }
  }

  double operator[](EdgeId edge) const {
    return weights_.empty() ? 1.0 : static_cast<double>(weights_[static_cast<std::size_t>(edge)]);
  }

 private:
  std::span<const Real> weights_;
};

}  // namespace gat::inline GAT_PRECISION
