#include "gat/graph/random_walk_positions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "gat/core/error.hpp"
#include "graph/edge_weights.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Walks of as many start nodes as fill a cache line of doubles.
constexpr Index kBlock = 8;
using Line = std::array<double, kBlock>;

// What walks need to know of the graph.
struct Chain {
  std::vector<double> degree;       // D, by node
  std::vector<double> probability;  // P, by edge id
  bool reversible = false;          // A is symmetric, so D P is: a walk back is the walk there, weighed anew
};

// Neighbours with the sum of their weights, by neighbour.
std::vector<std::pair<NodeId, double>> summed_row(const EdgeRow& row, const EdgeWeights& weights) {
  std::vector<std::pair<NodeId, double>> entries;
  for (Index k = 0; k < row.count; ++k) entries.emplace_back(row.node(k), weights[row.edge(k)]);
  std::sort(entries.begin(), entries.end());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (kept > 0 && entries[kept - 1].first == entries[k].first)
      entries[kept - 1].second += entries[k].second;
    else entries[kept++] = entries[k];
  }
  entries.resize(kept);
  return entries;
}

Chain chain_of(const CsrGraph& graph, const EdgeWeights& weights) {
  Chain chain;
  chain.degree.resize(static_cast<std::size_t>(graph.num_nodes()), 0);
  chain.probability.resize(static_cast<std::size_t>(graph.num_edges()), 0);
  chain.reversible = true;
  for (Index s = 0; s < graph.num_nodes(); ++s) {
    const EdgeRow row = graph.out_edges(s);
    double& degree = chain.degree[static_cast<std::size_t>(s)];
    for (Index k = 0; k < row.count; ++k) degree += weights[row.edge(k)];
    for (Index k = 0; k < row.count && degree > 0; ++k)
      chain.probability[static_cast<std::size_t>(row.edge(k))] = weights[row.edge(k)] / degree;
    chain.reversible = chain.reversible && summed_row(row, weights) == summed_row(graph.in_edges(s), weights);
  }
  return chain;
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
  BlockOfWalks(const CsrGraph& graph, const Chain& chain)
      : graph_(graph),
        chain_(chain),
        reached_(static_cast<std::size_t>(graph.num_nodes()), 0),
        there_(graph.num_nodes()),
        back_(graph.num_nodes()),
        next_(graph.num_nodes()) {
    for (Frontier* frontier : {&there_, &back_, &next_})
      frontier->nodes.reserve(static_cast<std::size_t>(graph.num_nodes()));
  }

  // Writes the rows first … first + count − 1 of the encoding.
  void run(Index first, Index count, MatrixView encoding) {
    there_.start(first, count);
    if (!chain_.reversible) back_.start(first, count);
    for (Index k = 0; k < encoding.cols; ++k) {
      const Line returned = chain_.reversible ? returned_both_ways(k, first, count) : returned_by_halves(k);
      for (Index b = 0; b < count; ++b)
        encoding(first + b, k) = static_cast<Real>(std::min(returned[static_cast<std::size_t>(b)], 1.0));
    }
    there_.clear();
    back_.clear();
  }

 private:
  // (P^(k+1))_ii: row i of P^a is `there_`, column i of P^b is `back_`, and one of them goes a step further.
  Line returned_by_halves(Index k) {
    Frontier& further = k % 2 == 0 ? there_ : back_;
    if (k % 2 == 0) step(further, [this](Index node) { return graph_.out_edges(node); });
    else step(further, [this](Index node) { return graph_.in_edges(node); });
    further.clear();
    std::swap(further, next_);
    return product(there_, back_, [](NodeId) { return 1.0; });
  }

  // The same where D P is symmetric: (P^b)_ji = D_ii / D_jj (P^b)_ij, so the row after b steps is enough.
  // `back_` is the row before the last step.
  Line returned_both_ways(Index k, Index first, Index count) {
    if (k % 2 == 0) {
      step(there_, [this](Index node) { return graph_.out_edges(node); });
      back_.clear();
      std::swap(back_, there_);
      std::swap(there_, next_);
    }
    const auto inverse = [this](NodeId node) { return 1 / chain_.degree[static_cast<std::size_t>(node)]; };
    Line sum = product(there_, k % 2 == 0 ? back_ : there_, inverse);
    for (Index b = 0; b < count; ++b)
      sum[static_cast<std::size_t>(b)] *= chain_.degree[static_cast<std::size_t>(first + b)];
    return sum;
  }

  // next_ = the walks one step on.
  template <class EdgesOf>
  void step(const Frontier& walks, const EdgesOf& edges_of) {
    for (const NodeId from : walks.nodes) {
      const Line& line = walks.lines[static_cast<std::size_t>(from)];
      const EdgeRow row = edges_of(from);
      for (Index k = 0; k < row.count; ++k) {
        const double p = chain_.probability[static_cast<std::size_t>(row.edge(k))];
        if (p == 0) continue;
        const auto to = static_cast<std::size_t>(row.node(k));
        if (reached_[to] == 0) next_.nodes.push_back(row.node(k));
        reached_[to] = 1;
        for (std::size_t b = 0; b < kBlock; ++b) next_.lines[to][b] += p * line[b];
      }
    }
    for (const NodeId node : next_.nodes) reached_[static_cast<std::size_t>(node)] = 0;
  }

  template <class Scale>
  static Line product(const Frontier& one, const Frontier& other, const Scale& scale) {
    Line sum{};
    for (const NodeId node : one.nodes) {
      const auto at = static_cast<std::size_t>(node);
      const double factor = scale(node);
      for (std::size_t b = 0; b < kBlock; ++b) sum[b] += factor * one.lines[at][b] * other.lines[at][b];
    }
    return sum;
  }

  const CsrGraph& graph_;
  const Chain& chain_;
  std::vector<std::uint8_t> reached_;
  Frontier there_, back_, next_;
};

}  // namespace

Matrix random_walk_positions(const CsrGraph& graph, Index steps, std::span<const Real> edge_weights,
                             int num_threads) {
  if (steps < 1)
    throw UsageError("a random-walk encoding of " + std::to_string(steps) + " steps; take at least 1");
  const Chain chain = chain_of(graph, EdgeWeights(graph, edge_weights, "a random-walk encoding"));
  const Index nodes = graph.num_nodes();
  const Index blocks = (nodes + kBlock - 1) / kBlock;
  Matrix encoding(nodes, steps);
  const Index members = std::clamp<Index>(num_threads, 1, std::max<Index>(blocks, 1));
  std::vector<BlockOfWalks> walks;
  for (Index t = 0; t < members; ++t) walks.emplace_back(graph, chain);
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
