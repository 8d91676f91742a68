/// The separable scores as the operator reads them, for one group of L heads.
///
/// A separable score is a function of one number per source, destination and edge. The operator asks
/// for the logits of a batch of edges of a row in either direction, and for the derivative of the
/// function where it has a given value; both depend on the sum of the three numbers only.
#pragma once

#include "kernels/simd/edge_batch.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// The score of Veličković et al. 2018; without numbers, the constant score.
template <int L>
class GatScore {
 public:
  static constexpr bool kSeparable = true;
  struct Buffers {};

  GatScore(const ScoreInput& input, const AttentionInput& attention, Index group)
      : slope_(all_lanes(static_cast<Real>(input.negative_slope))),
        source_{input.source.empty() ? nullptr : input.source.data + group * L, input.source.stride,
                ahead_of(input.source.rows, input.source.cols)},
        destination_{input.destination.empty() ? nullptr : input.destination.data + group * L,
                     input.destination.stride, ahead_of(input.destination.rows, input.destination.cols)},
        edge_(input.edge),
        is_monotone_(input.negative_slope >= 0),
        first_head_(group * L),
        heads_(attention.heads.heads_in(group)),
        wide_too_(!attention.graph.is_local()) {}

  /// e_ij of the in-edges of destinations.
  void by_destination(const EdgeBatch<L>& batch, Buffers&, EdgeBuffer& e) const {
    logits<L>(batch, source_, destination_, e);
  }
  /// The same of the out-edges of sources; destinations' numbers are the first L of each record.
  void by_source(const EdgeBatch<L>& batch, const GatherSource& records, Buffers&, EdgeBuffer& e) const {
    logits<3 * L>(batch, records, source_, e);
  }
  /// Whether a row needs nothing but the numbers of its ends, and the largest argument gives the largest e.
  bool is_plain() const {
    return edge_.empty() && source_.data != nullptr && destination_.data != nullptr && is_monotone_;
  }
  /// Whether wide rows that edges gather may be fetched into the second-level cache: not where most lie in a
  /// nearer one.
  bool wide_too() const { return wide_too_; }
  const GatherSource& sources() const { return source_; }
  Lanes of_destination(Index i) const { return tile<L>(destination_.data + i * destination_.stride); }
  Lanes of_source(Index j) const { return tile<L>(source_.data + j * source_.stride); }
  /// e from the sum of the numbers.
  GAT_INLINE Lanes value(const Lanes& argument) const {
    return select(greater(argument, Lanes{}), argument, slope_ * argument);
  }
  /// d e / d argument, from e: LeakyReLU keeps the sign.
  GAT_INLINE Lanes slope(const Lanes& e) const { return select(greater(e, Lanes{}), all_lanes(1), slope_); }

 private:
  static constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

  // e = LeakyReLU(other[node] + own[row] + edge); padding −∞. N numbers of a row of `other` will be read.
  template <int N>
  void logits(const EdgeBatch<L>& batch, const GatherSource& other, const GatherSource& own,
              EdgeBuffer& e) const {
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      Real* to = e.at(batch.first_vector(r));
      const Lanes own_part = own.data == nullptr ? Lanes{} : tile<L>(own.data + batch.row(r) * own.stride);
      if constexpr (L >= 8) {
        if (other.data != nullptr && edge_.empty()) {
          logits_of_row<N>(list, other, own_part, to);
          continue;
        }
      }
      if (other.data == nullptr) std::fill_n(to, list.count * L, Real(0));
      else
        for_gathered_numbers<N>(list, other, [&](Index k, const Real* from) GAT_INLINE_BODY {
          copy_numbers<L>(to + k * L, from);
        });
    }
    if (L >= 8 && other.data != nullptr && edge_.empty()) return;
    for (Index r = 0; r < batch.count(); ++r) {
      Lanes own_part = own.data == nullptr ? Lanes{} : tile<L>(own.data + batch.row(r) * own.stride);
      if (!edge_.empty()) {
        // The ends of an edge are added first, so that both directions round alike.
        for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v)
          store(e.at(v), load(e.at(v)) + own_part);
        add_edge_numbers(batch.run(r), e.at(batch.first_vector(r)));
        own_part = Lanes{};
      }
      for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v)
        store(e.at(v), value(load(e.at(v)) + own_part));
    }
    batch.fill_padding(e, -std::numeric_limits<Real>::infinity());
  }

  // The same for one row without edge numbers, whole vectors at once: nothing is stored in pieces that
  // would be loaded as a whole.
  template <int N>
  void logits_of_row(const GatherList& list, const GatherSource& other, const Lanes& own, Real* to) const {
    const Index whole = list.count * L / kLanes;
    for (Index v = 0; v < whole; ++v) {
      const NodeId* ids = list.ids + v * (kLanes / L);
      fetch_numbers<N>(list, other, v * (kLanes / L), kLanes / L);
      const Real* first = other.data + ids[0] * other.stride;
      const Lanes numbers =
          L == 16 ? load(first) : join_eights(first, other.data + ids[L == 8] * other.stride);
      store(to + v * kLanes, value(numbers + own));
    }
    if (whole * kLanes < list.count * L) {
      alignas(64) static constexpr Real kClosed[] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity,
                                                     -kInfinity, -kInfinity, -kInfinity, -kInfinity};
      const Real* last = other.data + list.ids[list.count - 1] * other.stride;
      store(to + whole * kLanes, value(join_eights(last, last) + own));
      copy_numbers<8>(to + whole * kLanes + 8, kClosed);
    }
  }

  void add_edge_numbers(const EdgeRow& run, Real* to) const {
    for (Index k = 0; k < run.count; ++k) {
      const Real* from = edge_.row(run.edge(k)) + first_head_;
      for (Index h = 0; h < heads_; ++h) to[k * L + h] += from[h];
    }
  }

  Lanes slope_;
  GatherSource source_, destination_;
  ConstMatrixView edge_;
  bool is_monotone_;
  Index first_head_, heads_;
  bool wide_too_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
