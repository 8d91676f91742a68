/// Laplacian encodings of nodes: the slowest waves on a graph.
#pragma once

#include <span>
#include <vector>

#include "gat/core/matrix.hpp"
#include "gat/core/random.hpp"
#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

struct LaplacianPositions {
  Matrix vectors;                   ///< num_nodes × width: unit columns, then columns of zeros
  std::vector<double> eigenvalues;  ///< of the columns that are no padding, ascending, in (0, 2]
  Index num_skipped = 0;            ///< eigenvalues that are zero: one per component with an edge
};

/// Eigenvectors of the symmetric normalised Laplacian L = I − D^(−½) W D^(−½) (Dwivedi and Bresson 2021) for
/// its smallest eigenvalues that are not zero.
///
/// W is symmetric whatever the graph: W_ij = (A_ij + A_ji) / 2, A_st the sum of the weights of all edges
/// s → t, loops left out (PyG leaves them out too). A node without edges has L_ii = 1, as in PyG and DGL, and
/// so an eigenvector of its own. The eigenvalue zero has one vector per component with an edge; they tell
/// nothing but degrees and are all skipped. Components are solved one by one: each vector lives on one of
/// them. Where there are fewer than `width` vectors, columns of zeros follow.
///
/// Sign: the largest component is positive, of several within a millionth of the largest the one with the
/// lowest node. Of equal eigenvalues only the space that their vectors span is determined; which vectors come
/// is fixed, but tells nothing about the graph. For training with random signs there is `flip_signs`.
///
/// Components of up to 400 nodes are solved densely; larger ones by Lanczos iteration (Spectra) on the
/// inverse where a Cholesky factor stays sparse, as in chains and meshes, and on the matrix itself elsewhere,
/// each until ‖Lv − λv‖ < 1e-8. Memory is O(N · width + E) in either case. In double; the same bits for any
/// number of threads.
/// \param edge_weights  one per edge id, finite and at least 0; empty = all 1. An edge of weight 0 is no edge
/// \throws UsageError for a bipartite graph, a width below 1 and weights out of range; ShapeError when there
///         is not one weight per edge; NumericError when the iteration does not converge
LaplacianPositions laplacian_positions(const CsrGraph& graph, Index width,
                                       std::span<const Real> edge_weights = {}, int num_threads = 1);

/// Multiplies each column by 1 or −1, drawn by its number: the sign of an eigenvector means nothing, and a
/// network that sees both in training (a stream per epoch) learns that.
void flip_signs(MatrixView vectors, const RandomStream& stream);

}  // namespace gat::inline GAT_PRECISION
