/// The symmetric normalised Laplacian of a graph, component by component.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

#include "graph/edge_weights.hpp"

namespace gat::inline GAT_PRECISION {

using SymmetricMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, EdgeId>;

/// A component with an edge. Its Laplacian is I − adjacency.
struct LaplacianPart {
  std::vector<NodeId> nodes;    ///< rising
  SymmetricMatrix adjacency;    ///< D^(−½) W D^(−½) of these nodes; columns rise, without a diagonal
  Eigen::VectorXd null_vector;  ///< of the eigenvalue 0: D^(½) 1, of length 1
};

/// W = (A + Aᵀ) / 2 of the whole graph without loops, and its components.
class SymmetricWeights {
 public:
  SymmetricWeights(const CsrGraph& graph, const EdgeWeights& weights);

  /// Components with an edge, numbered by their first node.
  Index num_parts() const { return static_cast<Index>(parts_.size()); }
  /// Rising.
  std::span<const NodeId> nodes_of(Index part) const { return parts_[static_cast<std::size_t>(part)]; }
  LaplacianPart part(Index number) const;
  /// Nodes without an edge, rising.
  const std::vector<NodeId>& isolated() const { return isolated_; }

 private:
  void add_row(const CsrGraph& graph, const EdgeWeights& weights, Index node);
  void find_parts();

  std::vector<EdgeId> offsets_{0};
  std::vector<NodeId> columns_;
  std::vector<double> values_;
  std::vector<double> degrees_;
  std::vector<std::vector<NodeId>> parts_;
  std::vector<NodeId> isolated_;
};

}  // namespace gat::inline GAT_PRECISION
