#include "nn/layers/head_rows.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

Index global_row(const LinearInput& input, Index i) {
  return input.global_rows.empty() ? i : Index(input.global_rows[static_cast<std::size_t>(i)]);
}

// The number of the first element of a row in the dropout mask, as in `LinearInput`.
std::uint64_t first_element(const LinearInput& input, Index i) {
  return static_cast<std::uint64_t>(global_row(input, i) * input.rows.cols());
}

// Calls visit(feature, its factor) for the features of a row that are not dropped.
template <class Visit>
void for_each_kept(const LinearInput& input, Index i, const Visit& visit) {
  DropoutReader mask(input.dropout);
  const std::uint64_t first = first_element(input, i);
  for (Index f = 0; f < input.rows.cols(); ++f) {
    const Real factor = mask.factor(first + static_cast<std::uint64_t>(f));
    if (factor != 0) visit(f, factor);
  }
}

void copy_row(const LinearInput& input, const HeadLayout& layout, Index i, Real* to) {
  const auto column = [&](Index f) { return layout.column(f / layout.head_dim, f % layout.head_dim); };
  const Index stored = input.rows.stored_row(i);
  if (!input.rows.is_sparse()) {
    const Real* from = input.rows.dense.row(stored);
    for_each_kept(input, i, [&](Index f, Real factor) { to[column(f)] = factor * from[f]; });
    return;
  }
  const CsrView& sparse = input.rows.sparse;
  const auto at = static_cast<std::size_t>(stored);
  const std::uint64_t first = first_element(input, i);
  for (EdgeId k = sparse.row_offsets[at]; k < sparse.row_offsets[at + 1]; ++k) {
    const auto entry = static_cast<std::size_t>(k);
    const Index f = sparse.column_indices[entry];
    to[column(f)] += input.dropout.factor(first + static_cast<std::uint64_t>(f)) * sparse.values[entry];
  }
}

}  // namespace

void HeadRows::forward(MatrixView out, const Execution& execution, Workspace& workspace) const {
  if (weight.empty()) {
    parallel_for(execution.num_threads, out.rows, 4 * out.cols, [&](Index first, Index last, int) {
      for (Index i = first; i < last; ++i) {
        std::fill_n(out.row(i), out.cols, Real(0));
        copy_row(input, layout, i, out.row(i));
      }
    });
    return;
  }
  linear_forward(input, weight, out, execution, workspace, [&](Index first, Index last) {
    for (Index i = first; i < last && !bias.empty(); ++i) {
      Real* row = out.row(i);
      for (Index c = 0; c < out.cols; ++c) row[c] += bias.data[c];
    }
  });
}

// out = (m ⊙ x) W + b, or (m ⊙ x) in another order
void HeadRows::backward(ConstMatrixView d_out, MatrixView d_weight, MatrixView d_bias, AddedRows& d_input,
                        const Execution& execution, Workspace& workspace) const {
  if (!d_bias.empty()) add_column_sums(d_out, d_bias, execution, workspace);
  if (!weight.empty() && !d_weight.empty())
    linear_backward_weight(input, d_out, d_weight, execution, workspace);
  if (!d_input.wanted() || input.rows.is_sparse()) return;
  if (!weight.empty()) {
    bool add = true;
    const MatrixView rows = d_input.take(d_out.rows, add);
    linear_backward_input(input, weight, d_out, rows, execution, workspace, add);
    return;
  }
  const MatrixView rows = d_input.take(d_out.rows);
  parallel_for(execution.num_threads, d_out.rows, 4 * d_out.cols, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      Real* to = rows.row(i);
      const Real* from = d_out.row(i);
      for_each_kept(input, i, [&](Index f, Real factor) {
        to[f] += factor * from[layout.column(f / layout.head_dim, f % layout.head_dim)];
      });
    }
  });
}

void add_first_rows(ConstMatrixView from, MatrixView to, const Execution& execution) {
  parallel_for(execution.num_threads, from.rows, from.cols, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      for (Index c = 0; c < from.cols; ++c) to.row(i)[c] += from.row(i)[c];
    }
  });
}

}  // namespace gat::inline GAT_PRECISION
