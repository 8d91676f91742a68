/// Linear maps of dense or sparse rows, with input dropout: Z = (m ⊙ X) W and its gradients.
///
/// Each number of Z and d_X is one chain of multiply-adds in the order of the summed index, and sums
/// over rows go over fixed blocks in order (sparse: over each column's entries in order). So the bits
/// depend neither on the number of threads nor, for Z and d_X, on which other rows are given.
#pragma once

#include <span>

#include "gat/core/csr_matrix.hpp"
#include "gat/core/execution.hpp"
#include "gat/core/random.hpp"
#include "gat/core/row_callback.hpp"
#include "gat/core/workspace.hpp"
#include "gat/kernels/head_layout.hpp"

namespace gat::inline GAT_PRECISION {

/// The argument of a linear map.
struct LinearInput {
  FeatureView rows;                     ///< N × F
  std::span<const NodeId> global_rows;  ///< number of each row in the whole graph; empty = itself
  DropoutMask dropout;                  ///< of the input
  /// The mask has this many layers: element (row r, column c, layer s) is
  /// (global_row(r) · F + c) · num_masks + s.
  Index num_masks = 1;
  /// Not null: the columns of Z that belong to head s are fed by X under mask layer s (num_masks is the
  /// number of heads, Z has the layout's width). Null: all of Z is fed by X under layer 0.
  const HeadLayout* head_masks = nullptr;
};

/// Z = (m ⊙ X) W, overwritten. \param weight F × M \param out N × M
/// \param done called for rows of Z as they become complete
void linear_forward(const LinearInput& input, ConstMatrixView weight, MatrixView out,
                    const Execution& execution, Workspace& workspace, const RowCallback& done = {});

/// d_weight += (m ⊙ X)ᵀ d_out. \param d_out N × M \param d_weight F × M
/// \param wanted called for rows of `d_out` before they are read; every call lies in one block of
///               sum_block_rows(N) rows, and those of one block come in order from one thread
void linear_backward_weight(const LinearInput& input, ConstMatrixView d_out, MatrixView d_weight,
                            const Execution& execution, Workspace& workspace, const RowCallback& wanted = {});

/// d_rows += m ⊙ (d_out Wᵀ), or = where `add` is not set; one row per row of the input, only dense input.
void linear_backward_input(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                           MatrixView d_rows, const Execution& execution, Workspace& workspace,
                           bool add = true);

/// Both gradients of a map, `d_rows` only where it is not empty. A dense map of at most 8 columns under one
/// mask takes one pass over its rows for both; any other is what the two functions above do.
void linear_backward(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                     MatrixView d_weight, MatrixView d_rows, const Execution& execution, Workspace& workspace,
                     bool add = true, const RowCallback& wanted = {});

/// sums += the column sums of a matrix (the gradient of a bias). \param sums 1 × M
void add_column_sums(ConstMatrixView matrix, MatrixView sums, const Execution& execution,
                     Workspace& workspace);

}  // namespace gat::inline GAT_PRECISION
