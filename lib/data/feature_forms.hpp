/// The forms that node features take when a data set is read.
#pragma once

#include <string>

#include "gat/core/csr_matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// Below this share of non-zeros features are kept sparse: their product with the first weights is
/// then the cheaper one, and so is their memory.
inline constexpr double kSparseDensity = 0.1;

/// One feature per node, 1 for the node itself; N × N, sparse.
Features identity_features(Index num_nodes);

/// Takes a dense matrix over; it becomes sparse when fewer than `kSparseDensity` of its elements are
/// not zero.
Features features_from(Matrix dense);
Features features_from(CsrMatrix sparse);

/// Throws `InputError` at `place` naming the row and column of the first NaN or infinity.
void require_finite(const FeatureView& features, const std::string& place);

}  // namespace gat::inline GAT_PRECISION
