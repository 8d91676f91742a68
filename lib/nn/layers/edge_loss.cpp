#include "nn/layers/edge_loss.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "gat/kernels/head_layout.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Branches of the stream.
constexpr std::uint64_t kEdgeStream = 1;
constexpr std::uint64_t kOtherStream = 2;
constexpr std::uint64_t kMostTries = 32;

bool has_edge(const GraphView& graph, Index destination, Index source) {
  const EdgeRow row = graph.in_edges(destination);
  for (Index k = 0; k < row.count; ++k) {
    if (row.node(k) == source) return true;
  }
  return false;
}

// The row of each node; empty = the same number.
std::vector<NodeId> rows_of_nodes(const GraphView& graph) {
  const auto& nodes = graph.arrays().node_ids;
  std::vector<NodeId> rows(nodes.size());
  for (std::size_t row = 0; row < nodes.size(); ++row)
    rows[static_cast<std::size_t>(nodes[row])] = static_cast<NodeId>(row);
  return rows;
}

// Widths are multiples of the lanes, and padding is zero.
Real product(const Real* a, const Real* b, Index width) {
  Real sums[kLanes] = {};
  for (Index c = 0; c < width; c += kLanes) {
    for (Index l = 0; l < kLanes; ++l) sums[l] += a[c + l] * b[c + l];
  }
  Real sum = 0;
  for (const Real part : sums) sum += part;
  return sum;
}

}  // namespace

NodePairs draw_pairs(const GraphView& graph, double edge_share, double others, const RandomStream& random) {
  NodePairs pairs;
  const auto add = [&](Index destination, Index source) {
    pairs.destinations.push_back(static_cast<NodeId>(destination));
    pairs.sources.push_back(static_cast<NodeId>(source));
  };
  const RandomStream of_edges = random.derive(kEdgeStream), of_others = random.derive(kOtherStream);
  for (Index i = 0; i < graph.num_destinations(); ++i) {
    const EdgeRow row = graph.in_edges(i);
    for (Index k = 0; k < row.count; ++k) {
      if (of_edges.uniform(static_cast<std::uint64_t>(row.edge(k))) < edge_share) add(i, row.node(k));
    }
  }
  pairs.num_edges = pairs.count();
  const std::vector<NodeId> rows = rows_of_nodes(graph);
  const auto nodes = static_cast<std::uint64_t>(graph.num_sources());
  const auto wanted =
      static_cast<std::uint64_t>(others * edge_share * static_cast<double>(graph.num_edges()));
  for (std::uint64_t n = 0; n < wanted; ++n) {
    const RandomStream of_pair = of_others.derive(n);
    for (std::uint64_t t = 0; t < kMostTries; ++t) {
      const std::uint64_t ends[] = {of_pair.below(2 * t, nodes), of_pair.below(2 * t + 1, nodes)};
      const auto row = [&](std::uint64_t node) {
        return rows.empty() ? static_cast<Index>(node) : static_cast<Index>(rows[node]);
      };
      const Index i = row(ends[0]), j = row(ends[1]);
      if (i == j || has_edge(graph, i, j) || has_edge(graph, j, i)) continue;
      add(i, j);
      break;
    }
  }
  return pairs;
}

double EdgeLoss::forward(MatrixView d_products, const Execution& execution) const {
  const Index count = pairs.count();
  if (count == 0) return 0;
  const double share = weight / static_cast<double>(count);
  return share * sum_in_blocks(execution.num_threads, count, queries.cols, [&](Index first, Index last) {
           double sum = 0;
           for (Index p = first; p < last; ++p) {
             const auto at = static_cast<std::size_t>(p);
             const Real* q = queries.row(pairs.destinations[at]);
             const double x =
                 scale * static_cast<double>(product(q, keys.row(pairs.sources[at]), queries.cols));
             const double sign = p < pairs.num_edges ? -1 : 1;  // log(1 + exp(sign x)), without overflow
             sum += std::max(sign * x, 0.0) + std::log1p(std::exp(-std::abs(x)));
             d_products(0, p) = static_cast<Real>(share * scale * sign / (1 + std::exp(-sign * x)));
           }
           return sum;
         });
}

// Each thread has columns of its own and takes the pairs in order, so that sums do not depend on threads.
void EdgeLoss::backward(ConstMatrixView d_products, MatrixView d_queries, MatrixView d_keys,
                        const Execution& execution) const {
  const Index count = pairs.count();
  parallel_for(execution.num_threads, queries.cols / kLanes, 2 * kLanes * count,
               [&](Index first, Index last, int) {
                 for (Index p = 0; p < count; ++p) {
                   const auto at = static_cast<std::size_t>(p);
                   const NodeId i = pairs.destinations[at], j = pairs.sources[at];
                   const Real d = d_products(0, p);
                   for (Index c = first * kLanes; c < last * kLanes; ++c) {
                     d_queries(i, c) += d * keys(j, c);
                     d_keys(j, c) += d * queries(i, c);
                   }
                 }
               });
}

}  // namespace gat::inline GAT_PRECISION
