#include "gat/graph/random_walk_positions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "gat/core/error.hpp"
#include "graph/edge_weights.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Walks of as many start nodes as fill a cache line of doubles.
constexpr Index kBlock = 8;
using Line = std::array<double, kBlock>;

// P by edge id. \throws what EdgeWeights throws
std::vector<double> transition_probabilities(const CsrGraph& graph, const EdgeWeights& weights) {
  std::vector<double> probability(static_cast<std::size_t>(graph.num_edges()), 0);
  for (Index s = 0; s < graph.num_nodes(); ++s) {
    const EdgeRow row = graph.out_edges(s);
    double degree = 0;
    for (Index k = 0; k < row.count; ++k) degree += weights[row.edge(k)];
    if (degree == 0) continue;
    for (Index k = 0; k < row.count; ++k)
      probability[static_cast<std::size_t>(row.edge(k))] = weights[row.edge(k)] / degree;
  }
  return probability;
}

// Rows of numbers of which only some are not zero; those are listed, in the order in which they came.
struct Frontier {
  explicit Frontier(Index num_nodes) : lines(static_cast<std::size_t>(num_nodes), Line{}) {}

  void start(Index first, Index count) {
    for (Index b = 0; b < count; ++b) {
      lines[static_cast<std::size_t>(first + b)][static_cast<std::size_t>(b)] = 1;
      nodes.push_back(static_cast<NodeId>(first + b));
    }
  }
  void clear() {
    for (const NodeId node : nodes) lines[static_cast<std::size_t>(node)] = Line{};
    nodes.clear();
  }

  std::vector<Line> lines;
  std::vector<NodeId> nodes;
};

// The walks of one block of start nodes; one per thread. Lists are reserved, so that nothing allocates.
class BlockOfWalks {
 public:
  BlockOfWalks(const CsrGraph& graph, const std::vector<double>& probability)
      : graph_(graph),
        probability_(probability),
        reached_(static_cast<std::size_t>(graph.num_nodes()), 0),
        forward_(graph.num_nodes()),
        backward_(graph.num_nodes()),
        next_(graph.num_nodes()) {
    for (Frontier* frontier : {&forward_, &backward_, &next_})
      frontier->nodes.reserve(static_cast<std::size_t>(graph.num_nodes()));
  }

  // Writes the rows first … first + count − 1 of the encoding.
  void run(Index first, Index count, MatrixView encoding) {
    forward_.start(first, count);
    backward_.start(first, count);
    for (Index k = 0; k < encoding.cols; ++k) {
      // Row i of P^a, or column i of P^b, one step further.
      if (k % 2 == 0) advance(forward_, [this](Index node) { return graph_.out_edges(node); });
      else advance(backward_, [this](Index node) { return graph_.in_edges(node); });
      const Line returned = product();
      for (Index b = 0; b < count; ++b)
        encoding(first + b, k) = static_cast<Real>(std::min(returned[static_cast<std::size_t>(b)], 1.0));
    }
    forward_.clear();
    backward_.clear();
  }

 private:
  template <class EdgesOf>
  void advance(Frontier& walks, const EdgesOf& edges_of) {
    for (const NodeId from : walks.nodes) {
      const Line& line = walks.lines[static_cast<std::size_t>(from)];
      const EdgeRow row = edges_of(from);
      for (Index k = 0; k < row.count; ++k) {
        const double p = probability_[static_cast<std::size_t>(row.edge(k))];
        if (p == 0) continue;
        const auto to = static_cast<std::size_t>(row.node(k));
        if (reached_[to] == 0) next_.nodes.push_back(row.node(k));
        reached_[to] = 1;
        for (std::size_t b = 0; b < kBlock; ++b) next_.lines[to][b] += p * line[b];
      }
    }
    for (const NodeId node : next_.nodes) reached_[static_cast<std::size_t>(node)] = 0;
    walks.clear();
    std::swap(walks, next_);
  }

  Line product() const {
    Line sum{};
    for (const NodeId node : forward_.nodes) {
      const auto at = static_cast<std::size_t>(node);
      for (std::size_t b = 0; b < kBlock; ++b) sum[b] += forward_.lines[at][b] * backward_.lines[at][b];
    }
    return sum;
  }

  const CsrGraph& graph_;
  const std::vector<double>& probability_;
  std::vector<std::uint8_t> reached_;
  Frontier forward_, backward_, next_;
};

}  // namespace

Matrix random_walk_positions(const CsrGraph& graph, Index steps, std::span<const Real> edge_weights,
                             int num_threads) {
  if (steps < 1)
    throw UsageError("a random-walk encoding of " + std::to_string(steps) + " steps; take at least 1");
  const std::vector<double> probability =
      transition_probabilities(graph, EdgeWeights(graph, edge_weights, "a random-walk encoding"));
  const Index nodes = graph.num_nodes();
  const Index blocks = (nodes + kBlock - 1) / kBlock;
  Matrix encoding(nodes, steps);
  const Index members = std::clamp<Index>(num_threads, 1, std::max<Index>(blocks, 1));
  std::vector<BlockOfWalks> walks;
  for (Index t = 0; t < members; ++t) walks.emplace_back(graph, probability);
  const Index degree = nodes > 0 ? 1 + graph.num_edges() / nodes : 1;
  parallel_for(static_cast<int>(members), blocks, kBlock * steps * degree * degree,
               [&](Index first, Index last, int member) {
                 for (Index b = first; b < last; ++b) {
                   const Index begin = b * kBlock;
                   walks[static_cast<std::size_t>(member)].run(begin, std::min(kBlock, nodes - begin),
                                                               encoding);
                 }
               });
  return encoding;
}

}  // namespace gat::inline GAT_PRECISION
