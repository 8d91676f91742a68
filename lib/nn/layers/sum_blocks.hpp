/// Sums over rows in fixed blocks, added in order: the same bits at any number of threads.
#pragma once

#include <algorithm>

#include "core/parallel.hpp"
#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/row_callback.hpp"

namespace gat::inline GAT_PRECISION {

/// Calls body(block, first row, last row) for every block of a sum over `rows` rows.
template <class Body>
void for_sum_blocks(const Execution& execution, Index rows, Index work_per_row, const Body& body) {
  const Index size = sum_block_rows(rows);
  parallel_for(execution.num_threads, kSumBlocks, size * work_per_row, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      const Index first = std::min(b * size, rows), last = std::min(first + size, rows);
      if (first < last) body(b, first, last);
    }
  });
}

/// to += the blocks of a sum over rows, in order. \param blocks  kSumBlocks × the numbers of `to`
inline void add_blocks(ConstMatrixView blocks, MatrixView to) {
  for (Index b = 0; b < blocks.rows; ++b) {
    for (Index k = 0; k < blocks.cols; ++k) to.data[k] += blocks(b, k);
  }
}

}  // namespace gat::inline GAT_PRECISION
