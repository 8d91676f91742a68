#include "gat/graph/laplacian_positions.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "graph/smallest_eigenvectors.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Components within this share of the largest count as equally large: symmetric nodes differ by rounding.
constexpr double kTie = 1e-6;

// One eigenvector before it is known whether it is among the first.
struct Candidate {
  double value = 0;
  std::span<const NodeId> nodes;  // rising; the vector is zero elsewhere
  std::vector<double> vector;     // of unit length
};

void fix_sign(std::vector<double>& vector) {
  double largest = 0;
  for (const double x : vector) largest = std::max(largest, std::abs(x));
  const auto first = std::find_if(vector.begin(), vector.end(),
                                  [&](double x) { return std::abs(x) >= (1 - kTie) * largest; });
  if (*first > 0) return;
  for (double& x : vector) x = -x;
}

// By eigenvalue; of equal ones the earlier component first, nodes without edges last.
std::vector<Candidate> ranked_candidates(const SymmetricWeights& weights, Index width, int num_threads) {
  std::vector<Candidate> candidates;
  for (Index number = 0; number < weights.num_parts(); ++number) {
    const std::span<const NodeId> nodes = weights.nodes_of(number);
    const Index count = std::min(width, static_cast<Index>(nodes.size()) - 1);
    const Eigenpairs pairs = smallest_eigenvectors(weights.part(number), count, num_threads);
    for (Index k = 0; k < count; ++k) {
      const auto column = pairs.vectors.col(k);
      candidates.push_back({pairs.values[k], nodes, {column.begin(), column.end()}});
    }
  }
  const std::span<const NodeId> isolated = weights.isolated();
  for (std::size_t k = 0; k < std::min(isolated.size(), static_cast<std::size_t>(width)); ++k)
    candidates.push_back({1, isolated.subspan(k, 1), {1}});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
  return candidates;
}

}  // namespace

LaplacianPositions laplacian_positions(const CsrGraph& graph, Index width, std::span<const Real> edge_weights,
                                       int num_threads) {
  if (width < 1)
    throw UsageError("a Laplacian encoding of " + std::to_string(width) + " vectors; take at least 1");
  const SymmetricWeights weights(graph, EdgeWeights(graph, edge_weights, "a Laplacian encoding"));
  std::vector<Candidate> candidates = ranked_candidates(weights, width, num_threads);
  if (static_cast<Index>(candidates.size()) > width) candidates.resize(static_cast<std::size_t>(width));
  LaplacianPositions positions;
  positions.num_skipped = weights.num_parts();
  positions.vectors.resize(graph.num_nodes(), width);
  for (std::size_t column = 0; column < candidates.size(); ++column) {
    Candidate& candidate = candidates[column];
    fix_sign(candidate.vector);
    positions.eigenvalues.push_back(candidate.value);
    for (std::size_t i = 0; i < candidate.nodes.size(); ++i) {
      positions.vectors(candidate.nodes[i], static_cast<Index>(column)) =
          static_cast<Real>(candidate.vector[i]);
    }
  }
  return positions;
}

void flip_signs(MatrixView vectors, const RandomStream& stream) {
  for (Index k = 0; k < vectors.cols; ++k) {
    if (stream.bits(static_cast<std::uint64_t>(k)) >> 63 == 0) continue;
    for (Index i = 0; i < vectors.rows; ++i) vectors(i, k) = -vectors(i, k);
  }
}

}  // namespace gat::inline GAT_PRECISION
