/// Linear maps of dense rows: blocks of rows through packed products. Included by linear.cpp only.
#pragma once

#include "core/parallel.hpp"
#include "kernels/simd/masked_rows.hpp"
#include "kernels/simd/product.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Rows of a product that are worked on together: their part of X stays in the second-level cache.
inline constexpr Index kBlockRows = 96;
/// Rows of one step of a sum over rows: few enough that panels of both factors stay in the near caches,
/// enough that the sums are not loaded and stored too often. Low tiles read the first factor twice as often.
inline constexpr Index kSumRows = kTileRows == 12 ? 128 : 64;

inline bool reads_in_place(const LinearInput& input) {
  return !input.dropout.active() && input.rows.row_ids.empty();
}

/// The columns of a layout that belong to one head: `count` of them, `lanes` apart.
struct HeadColumns {
  HeadColumns(const HeadLayout& layout, Index head)
      : first(layout.column(head, 0)), step(layout.lanes), count(layout.head_dim) {}
  Index first, step, count;
};

class DenseLinear {
 public:
  DenseLinear(const LinearInput& input, const Execution& execution, Workspace& workspace)
      : input_(input), threads_(execution.num_threads), workspace_(workspace), depth_(input.rows.cols()) {}

  void forward(ConstMatrixView weight, MatrixView out, const RowCallback& done) const {
    const Workspace::Scope scope(workspace_);
    const Index slices = input_.head_masks == nullptr ? 1 : input_.head_masks->num_heads;
    const MatrixView packed = pack(weight, slices, false);
    const MatrixView blocks = workspace_.matrix(threads_ * kBlockRows, depth_);
    const MatrixView results = workspace_.matrix(slices == 1 ? 0 : threads_ * kBlockRows, weight.cols);
    const Index count = (out.rows + kBlockRows - 1) / kBlockRows;
    parallel_for(threads_, count, kBlockRows * depth_ * weight.cols / 8,
                 [&](Index begin, Index end, int member) {
                   const MatrixView block(blocks.row(member * kBlockRows), kBlockRows, depth_);
                   for (Index b = begin; b < end; ++b) {
                     const Index first = b * kBlockRows;
                     const Index last = std::min(first + kBlockRows, out.rows);
                     if (slices == 1) {
                       multiply(last - first, rows(first, last, 0, block), packed.data, depth_, weight.cols,
                                out.row(first), out.stride, false, next_rows(last, kBlockRows));
                     } else {
                       const MatrixView result(results.row(member * kBlockRows), kBlockRows, weight.cols);
                       forward_heads(packed, first, last, block, result, out);
                     }
                     done(first, last);
                   }
                 });
  }

  void backward_weight(ConstMatrixView d_out, MatrixView d_weight, const RowCallback& wanted) const {
    const Workspace::Scope scope(workspace_);
    const Index width = d_out.cols;
    const Index block = sum_block_rows(d_out.rows);
    const MatrixView partial = workspace_.matrix(kSumBlocks * depth_, width);
    const MatrixView blocks = workspace_.matrix(threads_ * kSumRows, depth_);
    const MatrixView packed = workspace_.matrix(threads_, packed_size(kSumRows, kPanel));
    const Index head_dim = input_.head_masks == nullptr ? 0 : input_.head_masks->head_dim;
    const MatrixView heads = workspace_.matrix(threads_ * depth_, head_dim);
    parallel_for(threads_, kSumBlocks, block * depth_ * width / 8, [&](Index begin, Index end, int member) {
      const MatrixView rows_block(blocks.row(member * kSumRows), kSumRows, depth_);
      for (Index b = begin; b < end; ++b) {
        const MatrixView sum(partial.row(b * depth_), depth_, width);
        const Index last = std::min((b + 1) * block, d_out.rows);
        if (b * block >= last || input_.head_masks != nullptr) sum.fill(0);
        for (Index first = b * block; first < last; first += kSumRows) {
          const Index stop = std::min(first + kSumRows, last);
          wanted(first, stop);
          if (input_.head_masks != nullptr) {
            const MatrixView head(heads.row(member * depth_), depth_, head_dim);
            add_head_products(d_out, first, stop, rows_block, packed.row(member), head, sum);
          } else {
            add_products(d_out, first, stop, first > b * block, rows_block, packed.row(member), sum);
          }
        }
      }
    });
    parallel_for(threads_, depth_, kSumBlocks * width / 4, [&](Index first, Index last, int) {
      for (Index f = first; f < last; ++f)
        add_partial_sums(partial.row(f), depth_ * width, kSumBlocks, d_weight.row(f), width);
    });
  }

  void backward_input(ConstMatrixView weight, ConstMatrixView d_out, MatrixView d_rows, bool add) const {
    const Workspace::Scope scope(workspace_);
    const Index slices = input_.head_masks == nullptr ? 1 : input_.head_masks->num_heads;
    const MatrixView packed = pack(weight, slices, true);
    const MatrixView results = workspace_.matrix(threads_ * kBlockRows, depth_);
    const MatrixView heads = workspace_.matrix(slices == 1 ? 0 : threads_ * kBlockRows, weight.cols);
    const Index count = (d_out.rows + kBlockRows - 1) / kBlockRows;
    const bool direct = slices == 1 && !input_.dropout.active();
    parallel_for(threads_, count, kBlockRows * depth_ * weight.cols / 8,
                 [&](Index begin, Index end, int member) {
                   const MatrixView result(results.row(member * kBlockRows), kBlockRows, depth_);
                   for (Index b = begin; b < end; ++b) {
                     const Index first = b * kBlockRows;
                     const Index last = std::min(first + kBlockRows, d_out.rows);
                     const ReadAhead next(d_out, last, last + kBlockRows);
                     for (Index s = 0; s < slices; ++s) {
                       FactorRows d{d_out.row(first), d_out.stride};
                       Index depth = weight.cols;
                       if (slices > 1) {
                         d = head_of(d_out, HeadColumns(*input_.head_masks, s), first, last,
                                     heads.row(member * kBlockRows));
                         depth = input_.head_masks->head_dim;
                       }
                       if (direct) {
                         multiply(last - first, d, packed.row(s), depth, depth_, d_rows.row(first),
                                  d_rows.stride, add, next);
                         continue;
                       }
                       multiply(last - first, d, packed.row(s), depth, depth_, result.data, depth_, false,
                                s == 0 ? next : ReadAhead());
                       add_masked(s, first, last, result, d_rows, add || s > 0);
                     }
                   }
                 });
  }

 private:
  // Rows of X that the next block will read, where they lie in order.
  ReadAhead next_rows(Index last, Index count) const {
    return input_.rows.row_ids.empty() ? ReadAhead(input_.rows.dense, last, last + count) : ReadAhead();
  }

  // X under a layer of the mask: where it lies, or copied to a block.
  FactorRows rows(Index first, Index last, Index layer, MatrixView block) const {
    if (reads_in_place(input_)) return {input_.rows.dense.row(first), input_.rows.dense.stride};
    load_rows(input_, layer, first, last, block);
    return {block.data, block.stride};
  }

  // W or Wᵀ in panels; with slices, one row of panels per head.
  MatrixView pack(ConstMatrixView weight, Index slices, bool transposed) const {
    const bool whole = slices == 1;
    const Index columns = whole ? weight.cols : input_.head_masks->head_dim;
    const Index step = whole ? 1 : input_.head_masks->lanes;
    const Index depth = transposed ? columns : depth_;
    const Index width = transposed ? depth_ : columns;
    const MatrixView packed = workspace_.matrix(slices, packed_size(depth, width));
    for (Index s = 0; s < slices; ++s) {
      const Real* from = weight.data + (whole ? 0 : HeadColumns(*input_.head_masks, s).first);
      parallel_for(threads_, panels(width), depth * kPanel / 4, [&](Index first, Index last, int) {
        pack_panels(from, transposed ? step : weight.stride, transposed ? weight.stride : step, depth, width,
                    first, last, packed.row(s));
      });
    }
    return packed;
  }

  void forward_heads(MatrixView packed, Index first, Index last, MatrixView block, MatrixView result,
                     MatrixView out) const {
    const HeadLayout& layout = *input_.head_masks;
    for (Index r = first; r < last; ++r) std::fill_n(out.row(r), out.cols, Real(0));  // padding
    for (Index s = 0; s < layout.num_heads; ++s) {
      const HeadColumns columns(layout, s);
      multiply(last - first, rows(first, last, s, block), packed.row(s), depth_, columns.count, result.data,
               result.stride, false);
      for (Index r = first; r < last; ++r) {
        for (Index d = 0; d < columns.count; ++d)
          out(r, columns.first + d * columns.step) = result(r - first, d);
      }
    }
  }

  // One head's columns, side by side.
  static FactorRows head_of(ConstMatrixView matrix, const HeadColumns& columns, Index first, Index last,
                            Real* block) {
    for (Index r = first; r < last; ++r) {
      for (Index d = 0; d < columns.count; ++d)
        block[(r - first) * columns.count + d] = matrix(r, columns.first + d * columns.step);
    }
    return {block, columns.count};
  }

  // sum (+)= (m ⊙ X)ᵀ d_out over some rows
  void add_products(ConstMatrixView d_out, Index first, Index last, bool add, MatrixView block, Real* packed,
                    MatrixView sum) const {
    multiply_transposed(depth_, rows(first, last, 0, block), {d_out.row(first), d_out.stride, 1}, packed,
                        last - first, d_out.cols, sum.data, sum.stride, add, next_rows(last, kSumRows),
                        ReadAhead(d_out, last, last + kSumRows));
  }

  // The same where every head has a mask of its own; `head` holds the products of one.
  void add_head_products(ConstMatrixView d_out, Index first, Index last, MatrixView block, Real* packed,
                         MatrixView head, MatrixView sum) const {
    const HeadLayout& layout = *input_.head_masks;
    for (Index s = 0; s < layout.num_heads; ++s) {
      load_rows(input_, s, first, last, block);
      const HeadColumns columns(layout, s);
      multiply_transposed(depth_, {block.data, block.stride},
                          {d_out.row(first) + columns.first, d_out.stride, columns.step}, packed,
                          last - first, columns.count, head.data, head.stride, false, {}, {});
      for (Index f = 0; f < depth_; ++f) {
        for (Index d = 0; d < columns.count; ++d) sum(f, columns.first + d * columns.step) += head(f, d);
      }
    }
  }

  void add_masked(Index layer, Index first, Index last, MatrixView result, MatrixView d_rows,
                  bool add) const {
    const bool dropping = input_.dropout.active();
    if (dropping && is_one_run(input_))
      multiply_masked(input_.dropout, first_element(input_, first), result.data, result.data,
                      (last - first) * depth_);
    for (Index r = first; r < last; ++r) {
      Real* from = result.row(r - first);
      if (dropping && input_.num_masks > 1) {
        multiply_layer(input_, r, layer, from, from, depth_);
      } else if (dropping && !is_one_run(input_)) {
        multiply_masked(input_.dropout, first_element(input_, r), from, from, depth_);
      }
      if (add) add_scaled(1, from, d_rows.row(r), depth_);
      else std::copy_n(from, depth_, d_rows.row(r));
    }
  }

  const LinearInput& input_;
  int threads_;
  Workspace& workspace_;
  Index depth_;  // F
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
