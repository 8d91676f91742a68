/// What happens to node features before the first layer; part of a model, so that it is right on raw
/// data wherever it is loaded.
#pragma once

#include <string_view>

#include "gat/core/csr_matrix.hpp"

namespace gat::inline GAT_PRECISION {

enum class InputTransform {
  none,
  /// Each row divided by the sum of its absolute values; zero rows stay zero. For features ≥ 0 this is
  /// the rule of the original code. PyG's NormalizeFeatures first subtracts the smallest feature.
  row_normalize
};

std::string_view name_of(InputTransform transform);
/// \throws UsageError for an unknown name
InputTransform input_transform_named(std::string_view name);

/// The transformed copy; sparse stays sparse.
Features apply(InputTransform transform, const Features& features);

/// Features with more columns behind theirs, one row per node; sparse stays sparse, without the zeros of the
/// new columns. Features without columns become the new ones.
Features with_columns(Features features, ConstMatrixView columns);

}  // namespace gat::inline GAT_PRECISION
