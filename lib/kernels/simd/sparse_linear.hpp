/// Linear maps of sparse rows: sums of gathered rows. Included by linear.cpp only.
///
/// Z gathers rows of W by the entries of a row of X; the gradient of W gathers rows of d_Z by the
/// entries of a column of X, so that each row of either has one writer and stays in registers. Dropout
/// acts on the entries: those that are dropped are left out before the gather.
#pragma once

#include "core/parallel.hpp"
#include "kernels/simd/gather.hpp"
#include "kernels/simd/kept_entries.hpp"
#include "kernels/simd/masked_rows.hpp"
#include "kernels/simd/row_walk.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

class SparseLinear {
 public:
  SparseLinear(const LinearInput& input, const Execution& execution)
      : input_(input),
        execution_(execution),
        masks_(static_cast<std::uint64_t>(input.num_masks)),
        row_elements_(static_cast<std::uint64_t>(input.rows.cols()) * masks_) {}

  void forward(ConstMatrixView weight, MatrixView out, const RowCallback& done) const {
    constexpr Index kRowsAtOnce = 64;
    const CsrView& x = input_.rows.sparse;
    const Index entries = static_cast<Index>(x.values.size()) / std::max<Index>(x.rows, 1) + 1;
    const auto place = [&](Index r) {
      const auto global = input_.global_rows.empty() ? r : input_.global_rows[static_cast<std::size_t>(r)];
      return Place{input_.rows.stored_row(r), static_cast<std::uint64_t>(global)};
    };
    parallel_for(execution_.num_threads, out.rows, entries * weight.cols / 4,
                 [&](Index begin, Index end, int) {
                   for (Index first = begin; first < end; first += kRowsAtOnce) {
                     const Index last = std::min(first + kRowsAtOnce, end);
                     sum_rows_of(x, first, last, place, {row_elements_, masks_, {}}, weight, out, false);
                     done(first, last);
                   }
                 });
  }

  void backward_weight(ConstMatrixView d_out, MatrixView d_weight, const RowCallback& wanted) const {
    // Rows wanted at once stay in the first-level cache between the steps that write them.
    constexpr Index kRowsAtOnce = 32;
    const Index block = sum_block_rows(d_out.rows);
    parallel_for(execution_.num_threads, kSumBlocks, block * d_out.cols, [&](Index begin, Index end, int) {
      for (Index b = begin; b < end; ++b) {
        const Index last = std::min((b + 1) * block, d_out.rows);
        for (Index r = b * block; r < last; r += kRowsAtOnce) wanted(r, std::min(r + kRowsAtOnce, last));
      }
    });
    CsrMatrix made;
    CsrView columns = input_.rows.columns;
    if (columns.row_offsets.empty()) {
      made = columns_of(input_.rows);
      columns = made.view();
    }
    const auto offsets = columns.row_offsets;
    const auto place = [](Index f) { return Place{f, static_cast<std::uint64_t>(f)}; };
    parallel_ranges(
        execution_.num_threads, columns.rows,
        [&](Index f) { return (offsets[static_cast<std::size_t>(f)] + f) * d_out.cols / 4; },
        [&](Index begin, Index end, int) {
          sum_rows_of(columns, begin, end, place, {masks_, row_elements_, input_.global_rows}, d_out,
                      d_weight, true);
        });
  }

 private:
  // Where row r of a result finds its entries in x, and its number in the mask.
  struct Place {
    Index row;
    std::uint64_t number;
  };

  // Rows first … last − 1 of `to`: the sums over the entries of a row of x of (m · value) ⊙ row of `rows`,
  // added to what stands there where `add` is set.
  template <class PlaceOf>
  void sum_rows_of(const CsrView& x, Index first, Index last, const PlaceOf& place,
                   const EntryElements& elements, ConstMatrixView rows, MatrixView to, bool add) const {
    if (input_.dropout.active() && input_.head_masks == nullptr) {
      return sum_kept(x, first, last, place, elements, rows, to, add);
    }
    for (Index r = first; r < last; ++r) {
      const auto [row, number] = place(r);
      const std::uint64_t first_element = number * elements.row_step;
      const Index begin = x.row_offsets[static_cast<std::size_t>(row)];
      const Index count = x.row_offsets[static_cast<std::size_t>(row) + 1] - begin;
      const GatherList list{x.column_indices.data() + begin, count,
                            static_cast<Index>(x.values.size()) - begin};
      const Real* values = x.values.data() + begin;
      if (!input_.dropout.active()) {
        sum_gathered(values, list, rows, to.row(r), add);
        continue;
      }
      if (!add) std::fill_n(to.row(r), to.cols, Real(0));
      for (Index k = 0; k < count; k += kDecisionRun) {
        const Index run = std::min(kDecisionRun, count - k);
        const auto element_at = [&](Index e) {
          const NodeId id = list.ids[k + e];
          const NodeId other = elements.numbers.empty() ? id : elements.numbers[static_cast<std::size_t>(id)];
          return first_element + static_cast<std::uint64_t>(other) * elements.id_step;
        };
        with_lanes(*input_.head_masks, [&](auto lanes) {
          add_per_head<lanes>(values + k, {list.ids + k, run, run}, element_at, rows, to.row(r));
        });
      }
    }
  }

  // The same under one mask for all columns: as many rows at a time as fit KeptEntries, the rows that do not
  // fit by pieces.
  template <class PlaceOf>
  void sum_kept(const CsrView& x, Index first, Index last, const PlaceOf& place,
                const EntryElements& elements, ConstMatrixView rows, MatrixView to, bool add) const {
    // Rows chosen by id lie anywhere; columns, whose sums are the ones that are added, one after the other.
    KeptEntries entries(add || input_.rows.row_ids.empty());
    for (Index r = first; r < last;) {
      entries.clear();
      Index end = r;
      for (; end < last; ++end) {
        const auto [row, number] = place(end);
        const Index begin = x.row_offsets[static_cast<std::size_t>(row)];
        const Index stop = x.row_offsets[static_cast<std::size_t>(row) + 1];
        if (!entries.has_room(stop - begin)) break;
        entries.add(x, begin, stop, number, elements);
      }
      if (end == r) {
        sum_pieces(entries, x, place(r), elements, rows, to.row(r), add);
        ++r;
        continue;
      }
      entries.draw(input_.dropout);
      for (Index k = 0; r < end; ++r, ++k)
        sum_gathered(entries.values(k), entries.list(k), rows, to.row(r), add);
    }
  }
  void sum_pieces(KeptEntries& entries, const CsrView& x, const Place& place, const EntryElements& elements,
                  ConstMatrixView rows, Real* to, bool add) const {
    Index begin = x.row_offsets[static_cast<std::size_t>(place.row)];
    const Index end = x.row_offsets[static_cast<std::size_t>(place.row) + 1];
    for (; begin < end; begin += KeptEntries::kEntries) {
      entries.clear();
      entries.add(x, begin, std::min(begin + KeptEntries::kEntries, end), place.number, elements);
      entries.draw(input_.dropout);
      sum_gathered(entries.values(0), entries.list(0), rows, to, add);
      add = true;
    }
  }

  void sum_gathered(const Real* weights, const GatherList& list, ConstMatrixView rows, Real* to,
                    bool add) const {
    const Index lanes = rows.cols / kLanes;
    sum_rows<1>(weights, list, {rows.data, rows.stride, ahead_of(rows.rows, rows.cols)}, lanes, all_lanes(1),
                to, add);
    const Index tail = lanes * kLanes;
    for (Index c = tail; c < rows.cols && !add; ++c) to[c] = 0;
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
      sum_rows<L>(weights, list, {rows.data + first, rows.stride, {}}, layout.group_width / kLanes,
                  all_lanes(1), to + first, true);
    }
  }

  const LinearInput& input_;
  Execution execution_;
  std::uint64_t masks_, row_elements_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
