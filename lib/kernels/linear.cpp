#include "gat/kernels/linear.hpp"

#include <algorithm>
#include <cassert>

#include "core/parallel.hpp"
#include "gat/core/eigen.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Dense products see this many rows at a time, the last block padded with zeros: Eigen's result for
// one row depends on the shape of the whole product, never on the other rows' values.
constexpr Index kBlockRows = 64;

std::uint64_t first_element(const LinearInput& input, Index row) {
  const Index global = input.global_rows.empty() ? row : input.global_rows[static_cast<std::size_t>(row)];
  return static_cast<std::uint64_t>(global) * static_cast<std::uint64_t>(input.rows.cols() * input.num_masks);
}

// Copies dense rows first … last − 1 into a block, under the mask layer of a slice; pads with zeros.
void load_block(const LinearInput& input, Index slice, Index first, Index last, MatrixView block) {
  DropoutReader mask(input.dropout);
  for (Index r = first; r < last; ++r) {
    const Real* from = input.rows.dense.row(input.rows.stored_row(r));
    Real* to = block.row(r - first);
    const std::uint64_t element = first_element(input, r) + static_cast<std::uint64_t>(slice);
    for (Index c = 0; c < block.cols; ++c) {
      to[c] = from[c] * mask.factor(element + static_cast<std::uint64_t>(c * input.num_masks));
    }
  }
  for (Index r = last - first; r < kBlockRows; ++r)
    std::fill(block.row(r), block.row(r) + block.cols, Real(0));
}

// Calls visit(column, slice, value under the slice's mask) for the kept entries of one sparse row.
template <class Visit>
void for_each_entry(const LinearInput& input, Index row, const Visit& visit) {
  const CsrView& x = input.rows.sparse;
  const auto stored = static_cast<std::size_t>(input.rows.stored_row(row));
  const std::uint64_t row_element = first_element(input, row);
  DropoutReader mask(input.dropout);
  for (EdgeId k = x.row_offsets[stored]; k < x.row_offsets[stored + 1]; ++k) {
    const auto entry = static_cast<std::size_t>(k);
    const NodeId column = x.column_indices[entry];
    const std::uint64_t element = row_element + static_cast<std::uint64_t>(column * input.num_masks);
    for (Index s = 0; s < input.num_slices; ++s) {
      const Real value = x.values[entry] * mask.factor(element + static_cast<std::uint64_t>(s));
      if (value != 0) visit(column, s, value);
    }
  }
}

void add_scaled(Real factor, const Real* from, Real* to, Index count) {
#pragma omp simd
  for (Index m = 0; m < count; ++m) to[m] += factor * from[m];
}

Index work_per_row(const LinearInput& input, Index width) {
  const Index entries = input.rows.is_sparse() && input.rows.sparse.rows > 0
                            ? static_cast<Index>(input.rows.sparse.values.size()) / input.rows.sparse.rows + 1
                            : input.rows.cols();
  return entries * width;
}

// The rows of a sum over rows are cut into at most kSumBlocks blocks of whole product blocks.
Index rows_per_sum_block(Index rows) {
  const Index products = (rows + kBlockRows - 1) / kBlockRows;
  return std::max<Index>(1, (products + kSumBlocks - 1) / kSumBlocks) * kBlockRows;
}

}  // namespace

void linear_forward(const LinearInput& input, ConstMatrixView weight, MatrixView out, int num_threads,
                    Workspace& workspace) {
  assert(weight.rows == input.rows.cols() && out.rows == input.rows.rows() && out.cols == weight.cols);
  const Index slices = input.num_slices;
  const Index width = weight.cols / slices;
  if (input.rows.is_sparse()) {
    parallel_for(num_threads, out.rows, work_per_row(input, weight.cols), [&](Index first, Index last, int) {
      for (Index r = first; r < last; ++r) {
        std::fill(out.row(r), out.row(r) + out.cols, Real(0));
        for_each_entry(input, r, [&](NodeId f, Index s, Real x) {
          add_scaled(x, weight.row(f) + s * width, out.row(r) + s * width, width);
        });
      }
    });
    return;
  }
  const Workspace::Scope scope(workspace);
  const Index in = weight.rows;
  const MatrixView blocks = workspace.matrix(num_threads * kBlockRows, in);
  const MatrixView results = workspace.matrix(num_threads * kBlockRows, width);
  const Index count = (out.rows + kBlockRows - 1) / kBlockRows;
  parallel_for(num_threads, count, kBlockRows * in * weight.cols, [&](Index begin, Index end, int member) {
    const MatrixView block(blocks.row(member * kBlockRows), kBlockRows, in);
    const MatrixView result(results.row(member * kBlockRows), kBlockRows, width);
    for (Index b = begin; b < end; ++b) {
      const Index first = b * kBlockRows;
      const Index last = std::min(first + kBlockRows, out.rows);
      for (Index s = 0; s < slices; ++s) {
        load_block(input, s, first, last, block);
        as_eigen(result).noalias() =
            as_eigen(ConstMatrixView(block)) * as_eigen(weight.columns(s * width, width));
        for (Index r = first; r < last; ++r)
          std::copy_n(result.row(r - first), width, out.row(r) + s * width);
      }
    }
  });
}

// Z = (m ⊙ X) W, so d_W = (m ⊙ X)ᵀ d_Z.
void linear_backward_weight(const LinearInput& input, ConstMatrixView d_out, MatrixView d_weight,
                            int num_threads, Workspace& workspace) {
  assert(d_weight.rows == input.rows.cols() && d_out.rows == input.rows.rows() &&
         d_out.cols == d_weight.cols);
  const Workspace::Scope scope(workspace);
  const Index slices = input.num_slices;
  const Index width = d_weight.cols / slices;
  const Index in = d_weight.rows;
  const Index rows = d_out.rows;
  const Index block_rows = rows_per_sum_block(rows);
  const Index count = (rows + block_rows - 1) / block_rows;
  const MatrixView partial = workspace.matrix(count * in, d_weight.cols);
  const bool sparse = input.rows.is_sparse();
  const MatrixView blocks = workspace.matrix(sparse ? 0 : num_threads * kBlockRows, in);

  const auto add_products = [&](Index first, Index last, MatrixView sum, int member) {
    const MatrixView block(blocks.row(member * kBlockRows), kBlockRows, in);
    for (Index b = first; b < last; b += kBlockRows) {
      const Index end = std::min(b + kBlockRows, last);
      const ConstMatrixView d(d_out.row(b), end - b, d_out.cols, d_out.stride);
      for (Index s = 0; s < slices; ++s) {
        load_block(input, s, b, end, block);
        as_eigen(sum.columns(s * width, width)).noalias() +=
            as_eigen(ConstMatrixView(block)).topRows(end - b).transpose() *
            as_eigen(d.columns(s * width, width));
      }
    }
  };
  const auto add_entries = [&](Index first, Index last, MatrixView sum) {
    for (Index r = first; r < last; ++r) {
      for_each_entry(input, r, [&](NodeId f, Index s, Real x) {
        add_scaled(x, d_out.row(r) + s * width, sum.row(f) + s * width, width);
      });
    }
  };
  parallel_for(num_threads, count, block_rows * work_per_row(input, d_weight.cols),
               [&](Index begin, Index end, int member) {
                 for (Index b = begin; b < end; ++b) {
                   const MatrixView sum(partial.row(b * in), in, d_weight.cols);
                   sum.fill(0);
                   const Index last = std::min((b + 1) * block_rows, rows);
                   if (sparse) add_entries(b * block_rows, last, sum);
                   else add_products(b * block_rows, last, sum, member);
                 }
               });
  parallel_for(num_threads, in, count * d_weight.cols, [&](Index first, Index last, int) {
    for (Index f = first; f < last; ++f) {
      for (Index b = 0; b < count; ++b)
        add_scaled(1, partial.row(b * in + f), d_weight.row(f), d_weight.cols);
    }
  });
}

// Z = (m ⊙ X) W, so d_X = m ⊙ (d_Z Wᵀ).
void linear_backward_input(const LinearInput& input, ConstMatrixView weight, ConstMatrixView d_out,
                           MatrixView d_rows, int num_threads, Workspace& workspace) {
  assert(d_rows.rows == d_out.rows && d_rows.cols == weight.rows && !input.rows.is_sparse());
  const Workspace::Scope scope(workspace);
  const Index slices = input.num_slices;
  const Index width = weight.cols / slices;
  const MatrixView blocks = workspace.matrix(num_threads * kBlockRows, width);
  const MatrixView results = workspace.matrix(num_threads * kBlockRows, weight.rows);
  const Index count = (d_out.rows + kBlockRows - 1) / kBlockRows;
  parallel_for(
      num_threads, count, kBlockRows * weight.rows * weight.cols, [&](Index begin, Index end, int member) {
        const MatrixView block(blocks.row(member * kBlockRows), kBlockRows, width);
        const MatrixView result(results.row(member * kBlockRows), kBlockRows, weight.rows);
        for (Index b = begin; b < end; ++b) {
          const Index first = b * kBlockRows;
          const Index last = std::min(first + kBlockRows, d_out.rows);
          for (Index s = 0; s < slices; ++s) {
            block.fill(0);
            for (Index r = first; r < last; ++r)
              std::copy_n(d_out.row(r) + s * width, width, block.row(r - first));
            as_eigen(result).noalias() =
                as_eigen(ConstMatrixView(block)) * as_eigen(weight.columns(s * width, width)).transpose();
            DropoutReader mask(input.dropout);
            for (Index r = first; r < last; ++r) {
              const std::uint64_t element = first_element(input, r) + static_cast<std::uint64_t>(s);
              for (Index c = 0; c < d_rows.cols; ++c) {
                d_rows(r, c) += mask.factor(element + static_cast<std::uint64_t>(c * input.num_masks)) *
                                result(r - first, c);
              }
            }
          }
        }
      });
}

void add_column_sums(ConstMatrixView matrix, MatrixView sums, int num_threads, Workspace& workspace) {
  const Workspace::Scope scope(workspace);
  const MatrixView partial = workspace.zeros(kSumBlocks, matrix.cols);
  const Index block = (matrix.rows + kSumBlocks - 1) / kSumBlocks;
  parallel_for(num_threads, kSumBlocks, block * matrix.cols, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      const Index last = std::min((b + 1) * block, matrix.rows);
      for (Index r = b * block; r < last; ++r) add_scaled(1, matrix.row(r), partial.row(b), matrix.cols);
    }
  });
  for (Index b = 0; b < kSumBlocks; ++b) add_scaled(1, partial.row(b), sums.row(0), matrix.cols);
}

}  // namespace gat::inline GAT_PRECISION
