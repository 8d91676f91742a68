/// Random-walk encodings of nodes: how likely a walk is back where it began, step by step.
#pragma once

#include <span>

#include "gat/core/matrix.hpp"
#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

/// Return probabilities (Dwivedi et al. 2022, RWPE): element (i, k − 1) is (P^k)_ii for k = 1 … steps, with
/// P = D⁻¹ A, A_st the sum of the weights of all edges s → t (parallel edges add up, loops count) and D_ss
/// the sum of row s of A. So walks follow the direction of messages, each row of P sums to 1, and every value
/// lies in [0, 1]. A node without out-edges ends a walk: its row of P is zero. Nodes without edges get zeros.
/// PyG's AddRandomWalkPE counts parallel edges in the degree alone, so its rows may sum to less than 1.
///
/// Exact, by walks of half the length from both ends: (P^(a+b))_ii = Σ_j (P^a)_ij (P^b)_ji. Computed sparsely
/// for eight nodes at a time; O(steps · edges within reach of steps / 2 steps) per eight nodes, so up to
/// N · E · steps / 8 on graphs where a few steps reach everything, half of it where A is symmetric. Memory
/// besides the result: 200 bytes per node and thread, 8 bytes per edge. Sums in double; the same bits for any
/// number of threads.
/// \param edge_weights  one per edge id, finite and at least 0; empty = all 1. An edge of weight 0 is no edge
/// \throws UsageError for a bipartite graph, fewer than 1 step and weights out of range; ShapeError when
///         there is not one weight per edge
Matrix random_walk_positions(const CsrGraph& graph, Index steps, std::span<const Real> edge_weights = {},
                             int num_threads = 1);

}  // namespace gat::inline GAT_PRECISION
