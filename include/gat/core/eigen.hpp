/// Inline conversions between Eigen objects and our views.
///
/// They are inline on purpose: no exported function of the library takes or returns an owning Eigen
/// object, because a library and a program built for different instruction sets disagree about its
/// alignment. Only row-major Eigen matrices can be viewed without a copy.
#pragma once

#include <Eigen/Core>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

using EigenMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using EigenMap = Eigen::Map<EigenMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstEigenMap = Eigen::Map<const EigenMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Views a row-major Eigen matrix or block (inner stride 1) as ours; nothing is copied.
inline ConstMatrixView as_view(const Eigen::Ref<const EigenMatrix, 0, Eigen::OuterStride<>>& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols(), matrix.outerStride()};
}

/// Views one of our matrices as an Eigen map; nothing is copied.
inline EigenMap as_eigen(MatrixView matrix) {
  return {matrix.data, matrix.rows, matrix.cols, Eigen::OuterStride<>(matrix.stride)};
}

inline ConstEigenMap as_eigen(ConstMatrixView matrix) {
  return {matrix.data, matrix.rows, matrix.cols, Eigen::OuterStride<>(matrix.stride)};
}

}  // namespace gat::inline GAT_PRECISION
