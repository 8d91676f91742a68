/// The smallest eigenvalues of a connected component's Laplacian, without the zero, and their vectors.
#pragma once

#include "graph/laplacian.hpp"

namespace gat::inline GAT_PRECISION {

/// Column k is a unit eigenvector of values[k]; values ascend.
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// How they are computed. `automatic` takes what suits the size and structure of the component; tests ask for
/// each.
enum class EigenMethod { automatic, dense, inverse, direct };

/// Of any number of equal eigenvalues as many come as there are, or as fit in `count`.
/// \param count  in [1, nodes − 1]
/// \throws NumericError when an iteration does not converge
Eigenpairs smallest_eigenvectors(const LaplacianPart& part, Index count, int num_threads,
                                 EigenMethod method = EigenMethod::automatic);

/// Entries of the Cholesky factor of a matrix of this structure, in the order given, without the diagonal; at
/// least limit + 1 where there are more than `limit`. O(entries), by the elimination tree (Liu 1990).
Index factor_entries(const SymmetricMatrix& matrix, Index limit);

}  // namespace gat::inline GAT_PRECISION
