/// A graph together with the features of its nodes and edges: what a model is applied to.
#pragma once

#include "gat/core/csr_matrix.hpp"
#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

/// The sparse graph layer that holds node features (dense or CSR) and edge features. Data sets hold
/// edges as they were given: no added loops, no reverse copies, duplicates kept.
struct GraphData {
  CsrGraph graph;
  Features features;     ///< num_nodes × F
  Matrix edge_features;  ///< one row per *user* edge × D; no columns = none

  Index num_nodes() const { return graph.num_nodes(); }
  Index num_features() const { return features.cols(); }
  bool has_edge_features() const { return edge_features.cols() > 0; }
  /// Bytes of all arrays, for estimates.
  Index memory_bytes() const;
  /// Throws `ShapeError` unless features have one row per node and edge features one per user edge,
  /// and `InputError` naming the first row that holds a NaN or an infinity.
  void validate() const;
};

}  // namespace gat::inline GAT_PRECISION
