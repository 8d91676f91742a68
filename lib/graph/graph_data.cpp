#include "gat/graph/graph_data.hpp"

#include <cmath>
#include <string>

#include "gat/core/error.hpp"
#include "graph/edge_slots.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

void require_finite(Real value, const char* what, Index row, Index column) {
  if (std::isfinite(value)) return;
  throw InputError(std::string(what) + ": row " + std::to_string(row) + ", column " + std::to_string(column),
                   "is not a finite number; replace missing features before loading them");
}

void require_finite(ConstMatrixView matrix, const char* what) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) require_finite(matrix(i, j), what, i, j);
  }
}

}  // namespace

Index GraphData::memory_bytes() const {
  const Index real = sizeof(Real);
  const Index edges = graph.num_edges() * Index(2 * sizeof(NodeId) + 3 * sizeof(EdgeId) + 1);
  const Index offsets = (graph.num_sources() + graph.num_destinations() + 2) * Index(sizeof(EdgeId));
  const Index dense = features.dense.size() * real;
  const Index sparse = features.sparse.num_entries() * (real + Index(sizeof(NodeId)));
  return edges + edge_slot_bytes(graph.num_edges()) + offsets + dense + sparse + edge_features.size() * real;
}

void GraphData::validate() const {
  if (features.rows() != num_nodes()) {
    throw ShapeError("features have " + std::to_string(features.rows()) + " rows, the graph has " +
                     std::to_string(num_nodes()) + " nodes; give one row per node");
  }
  if (has_edge_features() && edge_features.rows() != graph.num_user_edges()) {
    throw ShapeError("edge features have " + std::to_string(edge_features.rows()) + " rows, the graph has " +
                     std::to_string(graph.num_user_edges()) + " edges; give one row per listed edge");
  }
  if (features.is_sparse) {
    gat::validate(features.sparse.view(), "node features");
    for (Index i = 0; i < features.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (EdgeId k = features.sparse.row_offsets[at]; k < features.sparse.row_offsets[at + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        require_finite(features.sparse.values[entry], "node features", i,
                       features.sparse.column_indices[entry]);
      }
    }
  } else {
    require_finite(features.dense, "node features");
  }
  require_finite(edge_features, "edge features");
}

}  // namespace gat::inline GAT_PRECISION
