/// The parts of the GAT score that belong to nodes and to edges, and their gradients.
///
/// A node's part is s[r, h] = a_h · z_r,h + bias_h. An edge's part is a_h · (W_h x_e) = q_h · x_e with
/// q_h = W_hᵀ a_h: E × H numbers, never E × H × D. Sums over rows go over fixed blocks in order.
#pragma once

#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"

namespace gat::inline GAT_PRECISION {

/// \param z N × H·D \param a H × D \param bias H numbers or null \param s N × H, overwritten
void node_scores(ConstMatrixView z, ConstMatrixView a, const Real* bias, MatrixView s, int num_threads);
/// d_a[h] += Σ_r d_s[r, h] z_r,h
void node_scores_backward_vector(ConstMatrixView z, ConstMatrixView d_s, MatrixView d_a, int num_threads,
                                 Workspace& workspace);
/// d_z_r,h += d_s[r, h] a_h
void node_scores_backward_input(ConstMatrixView d_s, ConstMatrixView a, MatrixView d_z, int num_threads);

/// q_h = W_hᵀ a_h. \param weight F × H·D \param a H × D \param query H × F, overwritten
void edge_queries(ConstMatrixView weight, ConstMatrixView a, MatrixView query);
/// d_W_h += a_h d_q_hᵀ, d_a_h += W_h d_q_h
void edge_queries_backward(ConstMatrixView weight, ConstMatrixView a, ConstMatrixView d_query,
                           MatrixView d_weight, MatrixView d_a);

/// s[e, h] = q_h · x_e. \param x E × F \param query H × F \param s E × H, overwritten
void edge_scores(ConstMatrixView x, ConstMatrixView query, MatrixView s, int num_threads);
/// d_q_h += Σ_e d_s[e, h] x_e and, unless `d_x` is empty, d_x_e += Σ_h d_s[e, h] q_h
void edge_scores_backward(ConstMatrixView x, ConstMatrixView query, ConstMatrixView d_s, MatrixView d_query,
                          MatrixView d_x, int num_threads, Workspace& workspace);

}  // namespace gat::inline GAT_PRECISION
