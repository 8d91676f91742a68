/// Edges of several short rows, or a chunk of one long row, worked on together.
///
/// A batch gives every loop over edges enough to do at once: rows are short (five edges in a citation
/// graph), registers and pipelines are long. Numbers per edge and head of a batch lie in buffers of L
/// numbers per edge; each row begins at a whole vector.
#pragma once

#include "gat/graph/graph_view.hpp"
#include "gat/kernels/attention.hpp"
#include "kernels/simd/gather.hpp"
#include "kernels/simd/random_bits.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

inline constexpr Index kBatchRows = 32;
inline constexpr Index kBatchVectors = 128;
inline constexpr Index kBatchNumbers = kBatchVectors * kLanes;

/// How many edges a batch may have so that rows of so many vectors, touched more than once, stay in the
/// first-level cache meanwhile.
inline Index edges_in_cache(Index vectors_per_edge) {
  constexpr Index kBytes = 24 << 10;
  return kBytes / (vectors_per_edge * kLanes * static_cast<Index>(sizeof(Real)));
}

/// One number per edge and head of a batch.
struct alignas(64) EdgeBuffer {
  Real numbers[kBatchNumbers + kLanes];
  Real* at(Index vector) { return numbers + vector * kLanes; }
};

/// Which edges. `kEdges` edges share one vector.
template <int L>
class EdgeBatch {
 public:
  static constexpr Index kEdges = kLanes / L;

  /// Takes rows from `begin` on, at least one, until the batch is full or a row has more
  /// than kChunkEdges edges; rows is InRows or OutRows. \return the row after the last one taken
  /// \param most_edges  no second row is taken beyond so many
  template <class Rows>
  Index take_rows(const Rows& rows, Index begin, Index end, Index most_edges) {
    clear();
    Index i = begin;
    for (; i < end && count_ < kBatchRows; ++i) {
      const EdgeRow run = rows.row(i);
      if (run.count > kChunkEdges) break;
      const Index needed = (run.count + kEdges - 1) / kEdges;
      if (count_ > 0 && (vectors_ + needed > kBatchVectors || edges_ + run.count > most_edges)) break;
      add(i, run, needed, rows.known(run));
    }
    return i;
  }
  /// Takes edges first … first + count − 1 of one row.
  template <class Rows>
  void take_chunk(const Rows& rows, Index i, Index first, Index count) {
    clear();
    EdgeRow run = rows.row(i);
    const Index known = rows.known(run) - first;
    if (run.nodes != nullptr) run.nodes += first;
    else run.first_node += static_cast<NodeId>(first);
    if (run.edges != nullptr) run.edges += first;
    else run.first_edge += first * run.edge_step;
    run.count = count;
    add(i, run, (count + kEdges - 1) / kEdges, known);
  }

  Index count() const { return count_; }
  Index vectors() const { return vectors_; }
  Index row(Index r) const { return rows_[r]; }
  const EdgeRow& run(Index r) const { return runs_[r]; }
  Index first_vector(Index r) const { return first_[r]; }
  Index last_vector(Index r) const { return first_[r + 1]; }
  Index edges() const { return edges_; }
  /// Whether the edges of the batch have consecutive ids, from the first one's on.
  bool ids_follow() const { return ids_follow_; }
  GatherList list(Index r) const { return {nodes_[r], runs_[r].count, known_[r]}; }

  /// Writes the lanes behind the last edge of each row.
  void fill_padding(EdgeBuffer& buffer, Real value) const {
    for (Index r = 0; r < count_; ++r) {
      const Index used = runs_[r].count * L % kLanes;
      if (used == 0) continue;
      Real* last = buffer.at(first_[r + 1] - 1);
      store(last, select(greater(all_lanes(static_cast<Real>(used)), lane_numbers()), load(last),
                         all_lanes(value)));
    }
  }

 private:
  void add(Index i, const EdgeRow& run, Index needed, Index known) {
    rows_[count_] = i;
    runs_[count_] = run;
    first_[count_] = vectors_;
    known_[count_] = known;
    nodes_[count_] = run.nodes;
    if (run.nodes == nullptr) {
      NodeId* computed = computed_ + vectors_ * kEdges;
      for (Index k = 0; k < run.count; ++k) computed[k] = run.node(k);
      nodes_[count_] = computed;
      known_[count_] = run.count;
    }
    ids_follow_ = ids_follow_ && run.edges == nullptr && run.edge_step == 1 &&
                  (edges_ == 0 || run.first_edge == runs_[0].first_edge + edges_);
    edges_ += run.count;
    vectors_ += needed;
    first_[++count_] = vectors_;
  }

  void clear() {
    count_ = vectors_ = edges_ = 0;
    ids_follow_ = true;
  }

  Index count_ = 0, vectors_ = 0, edges_ = 0;
  bool ids_follow_ = true;
  Index rows_[kBatchRows];
  EdgeRow runs_[kBatchRows];
  Index first_[kBatchRows + 1];
  Index known_[kBatchRows];
  const NodeId* nodes_[kBatchRows];
  NodeId computed_[kBatchVectors * kEdges];  // of implicit graphs
};

/// Dropout factors of the edges of a batch. Element = edge id · num_heads + head; this group's heads
/// begin at `first_head`, and lanes beyond `heads` of them are zero.
template <int L>
inline void edge_factors(const EdgeBatch<L>& batch, const DropoutMask& mask, Index num_heads,
                         Index first_head, Index heads, EdgeBuffer& out) {
  constexpr Index kMostItems = kBatchVectors * EdgeBatch<L>::kEdges;
  std::uint64_t words[kMostItems * ((L + 6) / 4) + kLanes];
  alignas(64) Real drawn[kBatchNumbers + 2 * kLanes];
  if (batch.ids_follow() && num_heads == L) {
    element_factors(mask, static_cast<std::uint64_t>(batch.run(0).edge(0) * L), batch.edges() * L, drawn);
  } else {
    const bool aligned = num_heads % 4 == 0 && first_head % 4 == 0;
    const Index width = decision_words(heads, aligned);
    Index items = 0;
    for (Index r = 0; r < batch.count(); ++r) {
      const EdgeRow& run = batch.run(r);
      for (Index k = 0; k < run.count; ++k)
        words[items++ * width] = static_cast<std::uint64_t>(run.edge(k) * num_heads + first_head);
    }
    item_factors<L>(mask, words, items, heads, width, aligned, drawn);
  }
  // Drawn without gaps, now moved to where the rows begin. Padding takes the next row's factors, or zeros
  // after the last one: any number will do there, but it must be one.
  store(drawn + batch.edges() * L, Lanes{});
  const Real* from = drawn;
  for (Index r = 0; r < batch.count(); ++r) {
    for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v)
      store(out.at(v), load(from + (v - batch.first_vector(r)) * kLanes));
    from += batch.run(r).count * L;
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
