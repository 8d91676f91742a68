/// The part of the GAT score that belongs to edges: a_h · (W_h x_e) = q_h · x_e with q_h = W_hᵀ a_h, so
/// E × H numbers and never E × H × D. Edge arrays and these parameters are in public order.
#pragma once

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"

namespace gat::inline GAT_PRECISION {

/// q_h = W_hᵀ a_h. \param weight F × H·D \param a H × D \param query H × F, overwritten
void edge_queries(ConstMatrixView weight, ConstMatrixView a, MatrixView query,
                  SimdLevel level = best_simd_level());
/// d_W_h += a_h d_q_hᵀ, d_a_h += W_h d_q_h
void edge_queries_backward(ConstMatrixView weight, ConstMatrixView a, ConstMatrixView d_query,
                           MatrixView d_weight, MatrixView d_a, SimdLevel level = best_simd_level());

/// s[e, h] = q_h · x_e. \param x E × F \param query H × F \param s E × H, overwritten
void edge_scores(ConstMatrixView x, ConstMatrixView query, MatrixView s, const Execution& execution);
/// d_q_h += Σ_e d_s[e, h] x_e and, unless `d_x` is empty, d_x_e += Σ_h d_s[e, h] q_h
void edge_scores_backward(ConstMatrixView x, ConstMatrixView query, ConstMatrixView d_s, MatrixView d_query,
                          MatrixView d_x, const Execution& execution, Workspace& workspace);

}  // namespace gat::inline GAT_PRECISION
