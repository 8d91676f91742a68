/// Edges of several short rows of a stored graph side by side, without gaps between the rows.
///
/// What does not depend on the row (exponentials, masks, folds, gathers of numbers) runs over the edges of
/// the whole batch, 16 / L of them per vector, so no loop ends after the five edges of a row and no lane is
/// padding. What depends on the row works on a fixed number of vectors from the row's first edge on, enough
/// for kUsualEdges edges: what it writes beyond the row's end is overwritten by the next row, and what it
/// reads beyond is masked. Only longer rows take another turn.
#pragma once

#include "gat/graph/graph_view.hpp"
#include "gat/kernels/attention.hpp"
#include "kernels/simd/gather.hpp"
#include "kernels/simd/random_bits.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

inline constexpr Index kFlatEdges = kChunkEdges;
inline constexpr Index kFlatRows = 64;
inline constexpr Index kUsualEdges = 8;

/// L numbers per edge of a batch, edge by edge, and room for what is written beyond the last one.
template <int L>
struct alignas(64) FlatBuffer {
  static constexpr Index kVectors = kUsualEdges * L > kLanes ? kUsualEdges* L / kLanes : 1;
  Real numbers[kFlatEdges * L + (kVectors + 1) * kLanes];
  Real* at(Index edge) { return numbers + edge * L; }
};

template <int L>
class FlatBatch {
 public:
  static constexpr Index kEdges = kLanes / L;  ///< per vector
  static constexpr Index kVectors = FlatBuffer<L>::kVectors;

  /// Takes rows from `begin` on, at least one, until the batch is full or a row has more than kChunkEdges
  /// edges; rows is InRows or OutRows of a stored graph. \pre kChunkEdges ≤ most_edges ≤ kFlatEdges
  /// \return the row after the last one taken
  template <class Rows>
  Index take_rows(const Rows& rows, Index begin, Index end, Index most_edges) {
    const EdgeId* const offset = rows.offsets() + begin;
    first_edge_ = offset[0];
    const Index most = std::min(end - begin, kFlatRows);
    count_ = 0;
    at_[0] = 0;
    while (count_ < most && offset[count_ + 1] - first_edge_ <= most_edges) {
      ++count_;
      at_[count_] = offset[count_] - first_edge_;
    }
    first_row_ = begin;
    nodes_ = rows.nodes().data() + first_edge_;
    known_ = static_cast<Index>(rows.nodes().size()) - first_edge_;
    ids_ = rows.ids().empty() ? nullptr : rows.ids().data() + first_edge_;
    return begin + count_;
  }

  Index count() const { return count_; }
  Index row(Index r) const { return first_row_ + r; }
  Index edges() const { return at_[count_]; }
  Index vectors() const { return (edges() + kEdges - 1) / kEdges; }
  /// The first edge of row r in the batch, and how many it has.
  Index first(Index r) const { return at_[r]; }
  Index edges_of(Index r) const { return at_[r + 1] - at_[r]; }
  /// Where the batch begins among the edges of its direction.
  Index first_edge() const { return first_edge_; }
  const NodeId* nodes() const { return nodes_; }
  /// Edge ids; null = they follow each other from first_edge() on.
  const EdgeId* ids() const { return ids_; }
  GatherList list(Index r) const { return {nodes_ + at_[r], edges_of(r), known_ - at_[r]}; }

  /// Calls body(v) for the vectors that hold `numbers` numbers, and for at least kVectors of them.
  template <class Body>
  static GAT_INLINE void for_row_vectors(Index numbers, const Body& body) {
#pragma GCC unroll 8
    for (Index v = 0; v < kVectors; ++v) body(v);
    for (Index v = kVectors; v * kLanes < numbers; ++v) body(v);
  }
  /// Folds the numbers of row r to one per head, repeated. \param rest  what changes no result
  template <class Join>
  GAT_INLINE Lanes fold_row(FlatBuffer<L>& buffer, Index r, Real rest) const {
    const Real* from = buffer.at(first(r));
    const Index numbers = edges_of(r) * L;
    Lanes result = all_lanes(rest);
    for_row_vectors(numbers, [&](Index v) GAT_INLINE_BODY {
      const LaneMask own = greater(all_lanes(static_cast<Real>(numbers - v * kLanes)), lane_numbers());
      const Lanes value = select(own, load(from + v * kLanes), all_lanes(rest));
      for (int p = 0; p < kParts; ++p) result.part[p] = Join::join(value.part[p], result.part[p]);
    });
    return fold_to_tile<Join, L>(result);
  }

 private:
  Index count_ = 0, first_row_ = 0, first_edge_ = 0, known_ = 0;
  Index at_[kFlatRows + 1];
  const NodeId* nodes_ = nullptr;
  const EdgeId* ids_ = nullptr;
};

/// Copies L numbers of the other end of every edge; zeros behind the last one.
template <int L>
GAT_INLINE void gather_numbers(const FlatBatch<L>& batch, const Real* from, Index stride, FlatBuffer<L>& to) {
  const NodeId* nodes = batch.nodes();
  const Index edges = batch.edges();
  for (Index k = 0; k < edges; ++k) copy_numbers<L>(to.at(k), from + nodes[k] * stride);
  store(to.at(edges), Lanes{});
}

/// Dropout factors of the edges of a batch. Element = edge id · num_heads + head; this group's heads
/// begin at `first_head`, and lanes beyond `heads` of them are zero.
template <int L>
inline void flat_factors(const FlatBatch<L>& batch, const DropoutMask& mask, Index num_heads,
                         Index first_head, Index heads, FlatBuffer<L>& out) {
  const Index edges = batch.edges();
  if (batch.ids() == nullptr && num_heads == L) {
    element_factors(mask, static_cast<std::uint64_t>(batch.first_edge() * L), edges * L, out.numbers);
    return;
  }
  std::uint64_t words[kFlatEdges * ((L + 6) / 4) + kLanes];
  const auto id = [&](Index k) { return batch.ids() == nullptr ? batch.first_edge() + k : batch.ids()[k]; };
  if (L >= 4 && heads == L && num_heads % 4 == 0) {
    // The decisions of an edge fill whole words.
    constexpr Index kEdgeWords = L / 4;
    for (Index k = 0; k < edges; ++k) {
      const auto index = static_cast<std::uint64_t>((id(k) * num_heads + first_head) / 4);
      for (Index w = 0; w < kEdgeWords; ++w)
        words[k * kEdgeWords + w] =
            mask.stream().key() + (index + static_cast<std::uint64_t>(w) + 1) * kWordStep;
    }
    finish_words(words, edges * kEdgeWords);
    const auto* bits = reinterpret_cast<const std::uint16_t*>(words);
    for (Index n = 0; n < edges * L; n += kLanes)
      store(out.numbers + n, factors(bits + n, mask.threshold(), mask.scale()));
    return;
  }
  const bool aligned = num_heads % 4 == 0 && first_head % 4 == 0;
  const Index width = decision_words(heads, aligned);
  for (Index k = 0; k < edges; ++k)
    words[k * width] = static_cast<std::uint64_t>(id(k) * num_heads + first_head);
  item_factors<L>(mask, words, edges, heads, width, aligned, out.numbers);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
