/// The entries of several rows of a sparse matrix that a dropout mask keeps, drawn and compacted together.
///
/// A row of a citation network's features has some eighteen entries: a loop over each would end, wrongly
/// predicted, in every stage. So the numbers of the mask elements of many rows are written side by side,
/// kCopy at a time whether they belong to the row or not (the next row overwrites what does not), and the
/// stages run over all. Entries of rows that do not follow each other in the matrix are copied likewise.
#pragma once

#include "gat/core/csr_matrix.hpp"
#include "kernels/simd/gather.hpp"
#include "kernels/simd/partial_lanes.hpp"
#include "kernels/simd/random_bits.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Which elements of a mask belong to the entries of a matrix: that of (row, id) is row · row_step +
/// number(id) · id_step, where number(id) = numbers[id], or id itself without numbers.
struct EntryElements {
  std::uint64_t row_step = 0, id_step = 0;
  std::span<const NodeId> numbers = {};
};

class KeptEntries {
 public:
  static constexpr Index kRows = 64;
  static constexpr Index kEntries = 1024;

  /// \param follow  whether every row that is added begins where the one before ends
  explicit KeptEntries(bool follow) : follow_(follow) {}

  void clear() { count_ = rows_ = 0; }
  Index rows() const { return rows_; }
  bool has_room(Index entries) const { return rows_ < kRows && count_ + entries <= kEntries; }
  /// Adds a row, or a piece of one: entries begin … end − 1 of `x`. \pre has_room(end − begin) \param row
  /// its number in the mask
  void add(const CsrView& x, Index begin, Index end, std::uint64_t row, const EntryElements& elements) {
    if (rows_ == 0) {
      ids_ = follow_ ? x.column_indices.data() + begin : copied_ids_;
      values_ = follow_ ? x.values.data() + begin : copied_values_;
    }
    at_[rows_++] = count_;
    const bool whole = static_cast<Index>(x.values.size()) - begin >= end - begin + kCopy;
    for (Index k = begin; k < end; k += kCopy) {
      if (whole && elements.numbers.empty()) copy_block(x, k, row, elements);
      else copy_some(x, k, std::min(end - k, kCopy), row, elements);
      count_ += std::min(end - k, kCopy);
    }
    at_[rows_] = count_;
  }
  /// Draws the decisions and leaves the kept entries, their values scaled.
  void draw(const DropoutMask& mask) {
    std::uint16_t bits[kEntries + kCopy];
    element_bits(mask.stream().key(), elements_, count_, bits);
    compact(bits, mask);
  }
  /// The kept entries of row r.
  GatherList list(Index r) const {
    const Index first = kept_before(at_[r]), last = kept_before(at_[r + 1]);
    return {kept_ids_ + first, last - first, kept_ - first};
  }
  const Real* values(Index r) const { return kept_values_ + kept_before(at_[r]); }

 private:
  static constexpr Index kCopy = 32;
  using Ids __attribute__((vector_size(4 * kWords), aligned(4), may_alias)) = NodeId;

  void copy_block(const CsrView& x, Index k, std::uint64_t row, const EntryElements& elements) {
    // Fixed sizes, so that nothing is called.
    const NodeId* ids = x.column_indices.data() + k;
    if (!follow_) {
      std::memcpy(copied_ids_ + count_, ids, kCopy * sizeof(NodeId));
      std::memcpy(copied_values_ + count_, x.values.data() + k, kCopy * sizeof(Real));
    }
    const std::uint64_t base = row * elements.row_step;
#pragma GCC unroll 16
    for (Index c = 0; c < kCopy; c += kWords) {
      const Words number = __builtin_convertvector(*reinterpret_cast<const Ids*>(ids + c), Words);
      store_words(elements_ + count_ + c, base + number * elements.id_step);
    }
  }
  void copy_some(const CsrView& x, Index k, Index count, std::uint64_t row, const EntryElements& elements) {
    for (Index c = 0; c < count; ++c) {
      const NodeId id = x.column_indices[static_cast<std::size_t>(k + c)];
      const NodeId number = elements.numbers.empty() ? id : elements.numbers[static_cast<std::size_t>(id)];
      copied_ids_[count_ + c] = id;
      copied_values_[count_ + c] = x.values[static_cast<std::size_t>(k + c)];
      elements_[count_ + c] = row * elements.row_step + static_cast<std::uint64_t>(number) * elements.id_step;
    }
  }

  // Keeps the entries whose bits are at least the threshold, in order, and notes how many are kept before
  // which.
#ifdef GAT_COMPRESS
  void compact(const std::uint16_t* bits, const DropoutMask& mask) {
    Index n = before_[0] = 0;
    for (Index k = 0; k < count_; k += kLanes) {
      const std::uint32_t keep = at_least(bits + k, mask.threshold());
      kept_in_[k / kLanes] = keep;
      compress(load_first(values_ + k, count_ - k) * all_lanes(mask.scale()), keep, kept_values_ + n);
      compress(ids_ + k, count_ - k, keep, kept_ids_ + n);
      n += __builtin_popcount(keep);
      before_[k / kLanes + 1] = n;
    }
    kept_ = n;
  }
  Index kept_before(Index entry) const {
    const std::uint32_t below = (1U << (entry % kLanes)) - 1;
    return before_[entry / kLanes] + __builtin_popcount(kept_in_[entry / kLanes] & below);
  }
  std::uint32_t kept_in_[kEntries / kLanes + 1] = {};
  Index before_[kEntries / kLanes + 1];
#else
  void compact(const std::uint16_t* bits, const DropoutMask& mask) {
    Index n = 0;
    for (Index k = 0; k < count_; ++k) {
      kept_ids_[n] = ids_[k];
      kept_values_[n] = values_[k] * mask.scale();
      before_[k] = n;
      n += bits[k] >= mask.threshold() ? 1 : 0;
    }
    kept_ = before_[count_] = n;
  }
  Index kept_before(Index entry) const { return before_[entry]; }
  Index before_[kEntries + 1];
#endif

  bool follow_;
  const NodeId* ids_ = nullptr;
  const Real* values_ = nullptr;
  Index count_ = 0, rows_ = 0, kept_ = 0;
  Index at_[kRows + 1];
  NodeId copied_ids_[kEntries + kCopy], kept_ids_[kEntries + kCopy];
  Real copied_values_[kEntries + kCopy], kept_values_[kEntries + kCopy];
  std::uint64_t elements_[kEntries + kCopy];
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
