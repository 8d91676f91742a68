/// Generated data sets: citation graphs with planted classes and topics.
#pragma once

#include <cstdint>
#include <vector>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// What a generated citation graph looks like. The defaults give the size and the mean values of Cora.
struct CitationOptions {
  Index num_nodes = 2708;
  Index num_classes = 7;
  std::vector<Index>
      class_sizes;             ///< num_classes positive numbers that sum to num_nodes; empty = nearly equal
  Index num_words = 1433;      ///< width of the bag of words
  double words_per_node = 18;  ///< mean number of draws; repeated words count once
  double topic_share = 0.18;   ///< share of a node's words that come from the topic of its class, in [0, 1]
  double mean_degree = 3.898;  ///< undirected edges × 2 / nodes
  double homophily = 0.81;     ///< share of edges inside a class, in [0, 1]
  Index num_hub_edges = 0;     ///< > 0: this many edges into node 0, and as many out of node 1, on top
  std::uint64_t seed = 0;

  /// Throws `UsageError` for numbers out of range or sizes that do not fit.
  void validate() const;
};

/// Draws a citation graph in O(N + E + words).
///
/// A node cites others, mostly of its own class and mostly popular ones; each edge is listed once,
/// citing → cited, without loops or repeats, so the suggested direction is `symmetrize`. Graphs so dense
/// that free pairs are rare get fewer edges. Features are a sparse 0/1 bag of words: every class has a
/// topic of words of its own, the rest comes from words common to all. Nodes are in random order. The
/// stored split is Planetoid's: the first 20 nodes of each class train, the next 500 validate, the last
/// 1000 are tested; small graphs get a third of each class at most, and what is left in proportion.
Dataset generate_citations(const CitationOptions& options);

/// 2,708 nodes with Cora's class sizes, 1,433 words and 5,278 edges: a stand-in when the real files are
/// not at hand. Accuracies on it are not those of Cora.
Dataset synthetic_cora(std::uint64_t seed);

}  // namespace gat::inline GAT_PRECISION
