#include "graph/laplacian.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gat::inline GAT_PRECISION {

SymmetricWeights::SymmetricWeights(const CsrGraph& graph, const EdgeWeights& weights) {
  for (Index i = 0; i < graph.num_nodes(); ++i) add_row(graph, weights, i);
  find_parts();
}

void SymmetricWeights::add_row(const CsrGraph& graph, const EdgeWeights& weights, Index node) {
  std::vector<std::pair<NodeId, double>> entries;
  const auto add = [&](const EdgeRow& row) {
    for (Index k = 0; k < row.count; ++k) {
      const double weight = weights[row.edge(k)] / 2;
      if (weight > 0 && row.node(k) != node) entries.emplace_back(row.node(k), weight);
    }
  };
  add(graph.in_edges(node));
  add(graph.out_edges(node));
  // By neighbour and then by weight: W_ij and W_ji add up the same numbers in the same order.
  std::sort(entries.begin(), entries.end());
  double degree = 0;
  for (const auto& [neighbour, weight] : entries) {
    const bool repeated =
        static_cast<EdgeId>(columns_.size()) > offsets_.back() && columns_.back() == neighbour;
    if (repeated) {
      values_.back() += weight;
    } else {
      columns_.push_back(neighbour);
      values_.push_back(weight);
    }
    degree += weight;
  }
  offsets_.push_back(static_cast<EdgeId>(columns_.size()));
  degrees_.push_back(degree);
}

void SymmetricWeights::find_parts() {
  std::vector<bool> seen(degrees_.size(), false);
  for (std::size_t start = 0; start < degrees_.size(); ++start) {
    if (seen[start]) continue;
    if (degrees_[start] == 0) {
      isolated_.push_back(static_cast<NodeId>(start));
      continue;
    }
    std::vector<NodeId> nodes{static_cast<NodeId>(start)};
    seen[start] = true;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto at = static_cast<std::size_t>(nodes[k]);
      for (auto e = static_cast<std::size_t>(offsets_[at]); e < static_cast<std::size_t>(offsets_[at + 1]);
           ++e) {
        const auto next = static_cast<std::size_t>(columns_[e]);
        if (!seen[next]) nodes.push_back(columns_[e]);
        seen[next] = true;
      }
    }
    std::sort(nodes.begin(), nodes.end());
    parts_.push_back(std::move(nodes));
  }
}

LaplacianPart SymmetricWeights::part(Index number) const {
  LaplacianPart part;
  part.nodes = parts_[static_cast<std::size_t>(number)];
  const auto size = static_cast<Index>(part.nodes.size());
  const auto row_of = [&](NodeId node) {
    return std::lower_bound(part.nodes.begin(), part.nodes.end(), node) - part.nodes.begin();
  };
  Index entries = 0;
  part.null_vector.resize(size);
  for (Index i = 0; i < size; ++i) {
    const auto node = static_cast<std::size_t>(part.nodes[static_cast<std::size_t>(i)]);
    entries += offsets_[node + 1] - offsets_[node];
    part.null_vector[i] = std::sqrt(degrees_[node]);
  }
  part.adjacency.resize(size, size);
  part.adjacency.reserve(entries);
  for (Index i = 0; i < size; ++i) {
    const auto node = static_cast<std::size_t>(part.nodes[static_cast<std::size_t>(i)]);
    part.adjacency.startVec(i);
    for (EdgeId e = offsets_[node]; e < offsets_[node + 1]; ++e) {
      const Index j = row_of(columns_[static_cast<std::size_t>(e)]);
      const double scale = part.null_vector[i] * part.null_vector[j];
      part.adjacency.insertBack(j, i) = values_[static_cast<std::size_t>(e)] / scale;
    }
  }
  part.adjacency.finalize();
  part.null_vector.normalize();
  return part;
}

}  // namespace gat::inline GAT_PRECISION
