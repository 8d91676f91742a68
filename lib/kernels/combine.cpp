// Plain loops: they wait for memory, not for instructions.
#include "gat/kernels/combine.hpp"

#include <algorithm>
#include <cassert>

#include "core/parallel.hpp"

namespace gat::inline GAT_PRECISION {

void copy_rows(ConstMatrixView from, MatrixView to, bool add, const Execution& execution) {
  assert(from.rows == to.rows && from.cols == to.cols);
  parallel_for(execution.num_threads, from.rows, from.cols, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      const Real* x = from.row(r);
      Real* y = to.row(r);
      if (!add) std::copy_n(x, from.cols, y);
      for (Index c = 0; c < from.cols && add; ++c) y[c] += x[c];
    }
  });
}

void sum_rows(std::span<const ConstMatrixView> inputs, MatrixView out, const Execution& execution) {
  const auto work = out.cols * static_cast<Index>(inputs.size());
  parallel_for(execution.num_threads, out.rows, work, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      Real* y = out.row(r);
      std::copy_n(inputs.front().row(r), out.cols, y);
      for (const ConstMatrixView& input : inputs.subspan(1)) {
        const Real* x = input.row(r);
        for (Index c = 0; c < out.cols; ++c) y[c] += x[c];
      }
    }
  });
}

void max_rows(std::span<const ConstMatrixView> inputs, MatrixView out, const Execution& execution) {
  const auto work = out.cols * static_cast<Index>(inputs.size());
  parallel_for(execution.num_threads, out.rows, work, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      Real* y = out.row(r);
      std::copy_n(inputs.front().row(r), out.cols, y);
      for (const ConstMatrixView& input : inputs.subspan(1)) {
        const Real* x = input.row(r);
        for (Index c = 0; c < out.cols; ++c) y[c] = x[c] > y[c] ? x[c] : y[c];
      }
    }
  });
}

void max_rows_backward(std::span<const ConstMatrixView> inputs, ConstMatrixView out, ConstMatrixView d_out,
                       Index input, MatrixView d_input, bool add, const Execution& execution) {
  const auto earlier = inputs.first(static_cast<std::size_t>(input));
  const ConstMatrixView own = inputs[static_cast<std::size_t>(input)];
  parallel_for(execution.num_threads, out.rows, out.cols * (input + 1), [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      for (Index c = 0; c < out.cols; ++c) {
        const auto has_maximum = [&](const ConstMatrixView& x) { return x(r, c) == out(r, c); };
        const bool is_first = has_maximum(own) && std::none_of(earlier.begin(), earlier.end(), has_maximum);
        const Real d = is_first ? d_out(r, c) : Real(0);
        d_input(r, c) = add ? d_input(r, c) + d : d;
      }
    }
  });
}

}  // namespace gat::inline GAT_PRECISION
