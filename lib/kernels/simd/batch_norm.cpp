// Normalisation of columns; tests/kernels/batch_norm_test.cpp holds it against plain loops in double.
#include "gat/kernels/batch_norm.hpp"

#include <algorithm>
#include <cassert>

#include "core/parallel.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// Rows that are summed before they are added to their block: a sum of many thousands in one chain would lose
// digits.
constexpr Index kChunkRows = 64;

// sums = Σ over rows of what add_row(row, sums) adds; `width` numbers.
template <class AddRow>
void sum_over_rows(Index rows, Index width, Real* sums, const Execution& execution, Workspace& workspace,
                   const AddRow& add_row) {
  const Workspace::Scope scope(workspace);
  const MatrixView partial = workspace.zeros(kSumBlocks, width);
  const MatrixView chunks = workspace.matrix(kSumBlocks, width);
  const Index block = sum_block_rows(rows);
  parallel_for(execution.num_threads, kSumBlocks, block * width, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      const Index stop = std::min((b + 1) * block, rows);
      for (Index first = b * block; first < stop; first += kChunkRows) {
        Real* const chunk = chunks.row(b);
        std::fill_n(chunk, width, Real(0));
        for (Index r = first; r < std::min(first + kChunkRows, stop); ++r) add_row(r, chunk);
        add_scaled(1, chunk, partial.row(b), width);
      }
    }
  });
  std::fill_n(sums, width, Real(0));
  add_partial_sums(partial.data, width, kSumBlocks, sums, width);
}

// sum += f(lanes of a row), sixteen columns at a time
template <class Value>
GAT_INLINE void add_lanes(Index width, Real* sum, const Value& value) {
  for (Index k = 0; k < width; k += kLanes)
    store_first(sum + k, load_first(sum + k, width - k) + value(k, width - k), width - k);
}

}  // namespace

void column_moments(ConstMatrixView x, MatrixView moments, const Execution& execution, Workspace& workspace) {
  assert(x.rows > 0 && moments.rows == 2 && moments.cols == x.cols);
  const auto count = static_cast<Real>(x.rows);
  Real* const mean = moments.row(0);
  Real* const variance = moments.row(1);
  sum_over_rows(x.rows, x.cols, mean, execution, workspace,
                [&](Index r, Real* sum) { add_scaled(1, x.row(r), sum, x.cols); });
  for (Index c = 0; c < x.cols; ++c) mean[c] /= count;
  sum_over_rows(x.rows, x.cols, variance, execution, workspace, [&](Index r, Real* sum) {
    add_lanes(x.cols, sum, [&](Index k, Index rest) {
      const Lanes left = load_first(x.row(r) + k, rest) - load_first(mean + k, rest);
      return left * left;
    });
  });
  for (Index c = 0; c < x.cols; ++c) variance[c] /= count;
}

void scale_columns(ConstMatrixView x, ConstMatrixView columns, MatrixView out, const Execution& execution) {
  assert(out.rows <= x.rows && out.cols == x.cols && columns.rows == 3);
  const Real *mean = columns.row(0), *scale = columns.row(1), *shift = columns.row(2);
  parallel_for(execution.num_threads, out.rows, out.cols, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      for (Index k = 0; k < out.cols; k += kLanes) {
        const Index rest = out.cols - k;
        const Lanes left = load_first(x.row(r) + k, rest) - load_first(mean + k, rest);
        store_first(out.row(r) + k,
                    multiply_add(left, load_first(scale + k, rest), load_first(shift + k, rest)), rest);
      }
    }
  });
}

void centred_column_sums(ConstMatrixView x, const Real* mean, ConstMatrixView d_out, MatrixView sums,
                         const Execution& execution, Workspace& workspace) {
  assert(d_out.rows <= x.rows && sums.rows == 2 && sums.stride == x.cols);
  const Index width = x.cols;
  // Both sums lie side by side.
  sum_over_rows(d_out.rows, 2 * width, sums.data, execution, workspace, [&](Index r, Real* sum) {
    add_scaled(1, d_out.row(r), sum, width);
    add_lanes(width, sum + width, [&](Index k, Index rest) {
      return load_first(d_out.row(r) + k, rest) *
             (load_first(x.row(r) + k, rest) - load_first(mean + k, rest));
    });
  });
}

void scale_columns_backward(ConstMatrixView x, ConstMatrixView columns, ConstMatrixView d_out, MatrixView d_x,
                            bool add, const Execution& execution) {
  assert(d_x.rows == x.rows && d_x.cols == x.cols && columns.rows == 4);
  const Real *mean = columns.row(0), *scale = columns.row(1), *offset = columns.row(2),
             *slope = columns.row(3);
  parallel_for(execution.num_threads, x.rows, 2 * x.cols, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      for (Index k = 0; k < x.cols; k += kLanes) {
        const Index rest = x.cols - k;
        const Lanes left = load_first(x.row(r) + k, rest) - load_first(mean + k, rest);
        Lanes d = Lanes{} - load_first(offset + k, rest) - left * load_first(slope + k, rest);
        if (r < d_out.rows)
          d = multiply_add(load_first(scale + k, rest), load_first(d_out.row(r) + k, rest), d);
        if (add) d = d + load_first(d_x.row(r) + k, rest);
        store_first(d_x.row(r) + k, d, rest);
      }
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
