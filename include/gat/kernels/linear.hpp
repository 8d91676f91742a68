/// Linear maps of dense or sparse rows, with input dropout: Z = (m ⊙ X) W and its gradients.
///
/// All products run over fixed blocks of rows and all sums over rows over fixed blocks in order, so
/// the bits depend neither on the number of threads nor, for Z and d_X, on which other rows are given.
#pragma once

#include <span>

#include "gat/core/csr_matrix.hpp"
#include "gat/core/random.hpp"
#include "gat/core/workspace.hpp"

namespace gat::inline GAT_PRECISION {

/// The argument of a linear map.
struct LinearInput {
  FeatureView rows;                     ///< N × F
  std::span<const NodeId> global_rows;  ///< number of each row in the whole graph; empty = itself
  DropoutMask dropout;                  ///< of the input
  /// The mask has this many layers: element (row r, column c, layer s) is
  /// (global_row(r) · F + c) · num_masks + s.
  Index num_masks = 1;
  /// The columns of Z form this many equal slices; slice s is fed by X under mask layer s.
  Index num_slices = 1;
};

/// Z = (m ⊙ X) W, overwritten. \param weight F × M \param out N × M
void linear_forward(const LinearInput& input, ConstMatrixView weight, MatrixView out, int num_threads,
                    Workspace& workspace);

/// d_weight += (m ⊙ X)ᵀ d_out. \param d_out N × M \param d_weight F × M
void linear_backward_weight(const LinearInput& input, ConstMatrixView d_out, MatrixView d_weight,
                            int num_threads, Workspace& workspace);

/// d_rows += m ⊙ (d_out Wᵀ), one row per row of the input; only for dense input.
void linear_backward_input(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                           MatrixView d_rows, int num_threads, Workspace& workspace);

/// sums += the column sums of a matrix (the gradient of a bias). \param sums 1 × M
void add_column_sums(ConstMatrixView matrix, MatrixView sums, int num_threads, Workspace& workspace);

}  // namespace gat::inline GAT_PRECISION
