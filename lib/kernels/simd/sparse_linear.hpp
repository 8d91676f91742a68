/// Linear maps of sparse rows: sums of gathered rows. Included by linear.cpp only.
///
/// Z gathers rows of W by the entries of a row of X; the gradient of W gathers rows of d_Z by the
/// entries of a column of X, so that each row of either has one writer and stays in registers. Dropout
/// acts on the entries: those that are dropped are left out before the gather.
#pragma once

#include "core/parallel.hpp"
#include "kernels/simd/gather.hpp"
#include "kernels/simd/masked_rows.hpp"
#include "kernels/simd/row_walk.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

class SparseLinear {
 public:
  SparseLinear(const LinearInput& input, const Execution& execution) : input_(input), execution_(execution) {}

  void forward(ConstMatrixView weight, MatrixView out, const RowCallback& done) const {
    constexpr Index kRowsAtOnce = 64;
    const CsrView& x = input_.rows.sparse;
    const Index entries = static_cast<Index>(x.values.size()) / std::max<Index>(x.rows, 1) + 1;
    parallel_for(execution_.num_threads, out.rows, entries * weight.cols / 4,
                 [&](Index begin, Index end, int) {
                   for (Index first = begin; first < end; first += kRowsAtOnce) {
                     const Index last = std::min(first + kRowsAtOnce, end);
                     for (Index r = first; r < last; ++r) {
                       const std::uint64_t element = first_element(input_, r);
                       std::fill_n(out.row(r), out.cols, Real(0));
                       add_entries(x, input_.rows.stored_row(r), weight, out.row(r), [&](NodeId column) {
                         return element + static_cast<std::uint64_t>(column * input_.num_masks);
                       });
                     }
                     done(first, last);
                   }
                 });
  }

  void backward_weight(ConstMatrixView d_out, MatrixView d_weight, const RowCallback& wanted) const {
    const Index block = sum_block_rows(d_out.rows);
    parallel_for(execution_.num_threads, kSumBlocks, block * d_out.cols, [&](Index begin, Index end, int) {
      for (Index b = begin; b < end; ++b) wanted(b * block, std::min((b + 1) * block, d_out.rows));
    });
    CsrMatrix made;
    CsrView columns = input_.rows.columns;
    if (columns.row_offsets.empty()) {
      made = columns_of(input_.rows);
      columns = made.view();
    }
    const auto offsets = columns.row_offsets;
    parallel_ranges(
        execution_.num_threads, columns.rows,
        [&](Index f) { return (offsets[static_cast<std::size_t>(f)] + f) * d_out.cols / 4; },
        [&](Index begin, Index end, int) {
          for (Index f = begin; f < end; ++f) {
            add_entries(columns, f, d_out, d_weight.row(f), [&](NodeId row) {
              return first_element(input_, row) + static_cast<std::uint64_t>(f * input_.num_masks);
            });
          }
        });
  }

 private:
  // to += Σ over the entries of one row of x of (m · value) ⊙ row of `rows`; element(id) is the first
  // mask element of an entry.
  template <class Element>
  void add_entries(const CsrView& x, Index row, ConstMatrixView rows, Real* to,
                   const Element& element) const {
    const Index begin = x.row_offsets[static_cast<std::size_t>(row)];
    const Index end = x.row_offsets[static_cast<std::size_t>(row) + 1];
    const NodeId* ids = x.column_indices.data() + begin;
    const Real* values = x.values.data() + begin;
    if (!input_.dropout.active()) return add_gathered(values, {ids, end - begin, end - begin}, rows, to);
    for (Index first = 0; first < end - begin; first += kDecisionRun) {
      const Index count = std::min(kDecisionRun, end - begin - first);
      const auto element_at = [&](Index k) { return element(ids[first + k]); };
      if (input_.head_masks != nullptr) {
        with_lanes(*input_.head_masks, [&](auto lanes) {
          add_per_head<lanes>(values + first, {ids + first, count, count}, element_at, rows, to);
        });
      } else {
        add_kept(values + first, ids + first, count, element_at, rows, to);
      }
    }
  }

  template <class Element>
  void add_kept(const Real* values, const NodeId* ids, Index count, const Element& element,
                ConstMatrixView rows, Real* to) const {
    std::uint64_t bits[kDecisionRun + kLanes];
    for (Index k = 0; k < count; ++k) bits[k] = element(k);
    hash_elements(input_.dropout.stream().key(), bits, count);
    NodeId kept_ids[kDecisionRun];
    Real kept[kDecisionRun];
    const std::uint64_t threshold = input_.dropout.threshold();
    const Real scale = input_.dropout.scale();
    Index n = 0;
    for (Index k = 0; k < count; ++k) {
      kept_ids[n] = ids[k];
      kept[n] = values[k] * scale;
      n += bits[k] >= threshold ? 1 : 0;
    }
    add_gathered(kept, {kept_ids, n, n}, rows, to);
  }

  void add_gathered(const Real* weights, const GatherList& list, ConstMatrixView rows, Real* to) const {
    const Index lanes = rows.cols / kLanes;
    sum_rows<1>(weights, list, {rows.data, rows.stride, prefetch_distance(rows.rows, rows.cols)}, lanes,
                all_lanes(1), to, true);
    const Index tail = lanes * kLanes;
    for (Index k = 0; k < list.count && tail < rows.cols; ++k) {
      const Real* row = rows.row(list.ids[k]);
      for (Index c = tail; c < rows.cols; ++c) to[c] += weights[k] * row[c];
    }
  }

  // Each head drops entries of its own: the weights are L numbers per entry.
  template <int L, class Element>
  void add_per_head(const Real* values, const GatherList& list, const Element& element, ConstMatrixView rows,
                    Real* to) const {
    const HeadLayout& layout = *input_.head_masks;
    alignas(64) Real weights[kDecisionRun * L + kLanes];
    for (Index group = 0; group < layout.num_groups; ++group) {
      const bool aligned = layout.num_heads % 4 == 0;
      const Index width = decision_words(layout.heads_in(group), aligned);
      std::uint64_t words[kDecisionRun * kMostWords + kLanes];
      for (Index k = 0; k < list.count; ++k)
        words[k * width] = element(k) + static_cast<std::uint64_t>(group * L);
      item_factors<L>(input_.dropout, words, list.count, layout.heads_in(group), width, aligned, weights);
      for (Index k = 0; k < list.count; ++k) {
        for (Index h = 0; h < L; ++h) weights[k * L + h] *= values[k];
      }
      const Index first = group * layout.group_width;
      sum_rows<L>(weights, list, {rows.data + first, rows.stride, 0}, layout.group_width / kLanes,
                  all_lanes(1), to + first, true);
    }
  }

  const LinearInput& input_;
  Execution execution_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
