// Score parts of edges from edge features: plain loops over short rows.
#include "gat/kernels/edge_scores.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// sums += Σ_r add(r, ·) over fixed blocks of rows; add(r, partial) adds row r to one block's sums.
template <class Add>
void sum_rows(Index rows, MatrixView sums, const Execution& execution, Workspace& workspace, const Add& add) {
  const Workspace::Scope scope(workspace);
  const Index size = sums.rows * sums.cols;
  const MatrixView partial = workspace.zeros(kSumBlocks, size);
  const Index block = sum_block_rows(rows);
  parallel_for(execution.num_threads, kSumBlocks, block * size, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      for (Index r = b * block; r < std::min((b + 1) * block, rows); ++r) add(r, partial.row(b));
    }
  });
  for (Index b = 0; b < kSumBlocks; ++b) {
    for (Index k = 0; k < size; ++k) sums(k / sums.cols, k % sums.cols) += partial(b, k);
  }
}

}  // namespace

void edge_queries(ConstMatrixView weight, ConstMatrixView a, MatrixView query) {
  for (Index h = 0; h < a.rows; ++h) {
    for (Index k = 0; k < weight.rows; ++k) {
      Real sum = 0;
      for (Index d = 0; d < a.cols; ++d) sum += weight(k, h * a.cols + d) * a(h, d);
      query(h, k) = sum;
    }
  }
}

// q[h, k] = Σ_d W[k, h·D + d] a[h, d]
void edge_queries_backward(ConstMatrixView weight, ConstMatrixView a, ConstMatrixView d_query,
                           MatrixView d_weight, MatrixView d_a) {
  for (Index h = 0; h < a.rows; ++h) {
    for (Index k = 0; k < weight.rows; ++k) {
      for (Index d = 0; d < a.cols; ++d) {
        d_a(h, d) += weight(k, h * a.cols + d) * d_query(h, k);
        d_weight(k, h * a.cols + d) += a(h, d) * d_query(h, k);
      }
    }
  }
}

void edge_scores(ConstMatrixView x, ConstMatrixView query, MatrixView s, const Execution& execution) {
  parallel_for(execution.num_threads, x.rows, query.rows * x.cols, [&](Index first, Index last, int) {
    for (Index e = first; e < last; ++e) {
      for (Index h = 0; h < query.rows; ++h) {
        Real sum = 0;
        for (Index k = 0; k < x.cols; ++k) sum += query(h, k) * x(e, k);
        s(e, h) = sum;
      }
    }
  });
}

// s[e, h] = Σ_k q[h, k] x[e, k]
void edge_scores_backward(ConstMatrixView x, ConstMatrixView query, ConstMatrixView d_s, MatrixView d_query,
                          MatrixView d_x, const Execution& execution, Workspace& workspace) {
  sum_rows(x.rows, d_query, execution, workspace, [&](Index e, Real* sums) {
    for (Index h = 0; h < query.rows; ++h) {
      for (Index k = 0; k < x.cols; ++k) sums[h * x.cols + k] += d_s(e, h) * x(e, k);
    }
  });
  if (d_x.empty()) return;
  parallel_for(execution.num_threads, x.rows, query.rows * x.cols, [&](Index first, Index last, int) {
    for (Index e = first; e < last; ++e) {
      for (Index h = 0; h < query.rows; ++h) {
        for (Index k = 0; k < x.cols; ++k) d_x(e, k) += d_s(e, h) * query(h, k);
      }
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
