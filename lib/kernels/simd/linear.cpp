// Linear maps; the plain loops that they are compared with are in tests/kernels/linear_test.cpp.
#include "gat/kernels/linear.hpp"

#include <algorithm>
#include <cassert>

#include "kernels/kernel_table.hpp"
#include "kernels/simd/dense_linear.hpp"
#include "kernels/simd/narrow_linear.hpp"
#include "kernels/simd/sparse_linear.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

void linear_forward(const LinearInput& input, ConstMatrixView weight, MatrixView out,
                    const Execution& execution, Workspace& workspace, const RowCallback& done) {
  assert(weight.rows == input.rows.cols() && out.rows == input.rows.rows() && out.cols == weight.cols);
  if (input.rows.is_sparse()) SparseLinear(input, execution).forward(weight, out, done);
  else DenseLinear(input, execution, workspace).forward(weight, out, done);
}

void linear_backward_weight(const LinearInput& input, ConstMatrixView d_out, MatrixView d_weight,
                            const Execution& execution, Workspace& workspace, const RowCallback& wanted) {
  assert(d_weight.rows == input.rows.cols() && d_out.rows == input.rows.rows() &&
         d_out.cols == d_weight.cols);
  if (input.rows.is_sparse()) SparseLinear(input, execution).backward_weight(d_out, d_weight, wanted);
  else DenseLinear(input, execution, workspace).backward_weight(d_out, d_weight, wanted);
}

void linear_backward_input(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                           MatrixView d_rows, const Execution& execution, Workspace& workspace, bool add) {
  assert(d_rows.rows == d_out.rows && d_rows.cols == weight.rows && !input.rows.is_sparse());
  DenseLinear(input, execution, workspace).backward_input(weight, d_out, d_rows, add);
}

void linear_backward(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                     MatrixView d_weight, MatrixView d_rows, const Execution& execution, Workspace& workspace,
                     bool add, const RowCallback& wanted) {
  if (NarrowLinear::serves(input, d_out.cols)) {
    NarrowLinear(input, d_out.cols, execution, workspace)
        .backward(weight, d_out, d_weight, d_rows, add, wanted);
    return;
  }
  GAT_SIMD::linear_backward_weight(input, d_out, d_weight, execution, workspace, wanted);
  if (!d_rows.empty())
    GAT_SIMD::linear_backward_input(input, weight, d_out, d_rows, execution, workspace, add);
}

namespace {

// The column sums of rows first … last − 1.
void sum_columns(ConstMatrixView matrix, Index first, Index last, Real* sums) {
  for (Index c = 0; c < matrix.cols; c += kLanes) {
    const Index count = matrix.cols - c;
    Lanes sum{};
    for (Index r = first; r < last; ++r) sum = sum + load_first(matrix.row(r) + c, count);
    store_first(sums + c, sum, count);
  }
}
// The same of L columns without gaps: several rows per vector.
template <int L>
void sum_columns_of(ConstMatrixView matrix, Index first, Index last, Real* sums) {
  const Real* from = matrix.row(first);
  const Index numbers = (last - first) * L;
  Lanes sum{};
  Index k = 0;
  for (; k + kLanes <= numbers; k += kLanes) sum = sum + load(from + k);
  if (k < numbers) sum = sum + load_first(from + k, numbers - k);
  store_tile<L>(sums, fold_to_tile<AddLanes, L>(sum));
}

}  // namespace

void add_column_sums(ConstMatrixView matrix, MatrixView sums, const Execution& execution,
                     Workspace& workspace) {
  const Workspace::Scope scope(workspace);
  const MatrixView partial = workspace.zeros(kSumBlocks, matrix.cols);
  const Index block = sum_block_rows(matrix.rows);
  const Index gapless_columns = matrix.stride == matrix.cols ? matrix.cols : 0;
  parallel_for(execution.num_threads, kSumBlocks, block * matrix.cols / 4, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      const Index first = std::min(b * block, matrix.rows), last = std::min(first + block, matrix.rows);
      if (gapless_columns == 1) sum_columns_of<1>(matrix, first, last, partial.row(b));
      else if (gapless_columns == 8) sum_columns_of<8>(matrix, first, last, partial.row(b));
      else sum_columns(matrix, first, last, partial.row(b));
    }
  });
  add_partial_sums(partial.data, matrix.cols, kSumBlocks, sums.row(0), matrix.cols);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
