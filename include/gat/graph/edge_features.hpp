/// Edge features on their way from the user's edges to a built graph, and their gradients back.
#pragma once

#include "gat/core/matrix.hpp"
#include "gat/graph/graph_builder.hpp"

namespace gat::inline GAT_PRECISION {

/// Features of every edge of a built graph: reverse copies inherit those of their original, a merged
/// edge has the mean of its user edges, an added self-loop is filled from the other in-edges of its
/// node as `policy.loop_fill` says.
/// \param user_rows  one row per user edge × D
/// \param out        num_edges × D, overwritten
/// \throws ShapeError when the shapes do not fit the graph
void spread_edge_features(const CsrGraph& graph, const GraphPolicy& policy, ConstMatrixView user_rows,
                          MatrixView out);

/// The adjoint: adds to `d_user_rows` what `d_edges` (num_edges × D) means for the user's rows. Ties
/// of a min or max fill share the gradient evenly, as in PyG. \param edges  the forward result
void gather_edge_gradient(const CsrGraph& graph, const GraphPolicy& policy, ConstMatrixView edges,
                          ConstMatrixView d_edges, MatrixView d_user_rows);

}  // namespace gat::inline GAT_PRECISION
