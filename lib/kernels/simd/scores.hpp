/// The separable scores as the operator reads them, for one group of L heads.
///
/// A separable score is a function of one number per source, destination and edge. The operator asks
/// for the logits of a batch of edges of a row in either direction, and for the derivative of the
/// function where it has a given value; both depend on the sum of the three numbers only.
#pragma once

#include "kernels/simd/edge_batch.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// The score of Veličković et al. 2018.
template <int L>
class GatScore {
 public:
  GatScore(const GatScoreInput& input, const HeadLayout& layout, Index group)
      : slope_(all_lanes(static_cast<Real>(input.negative_slope))),
        source_(input.source.data + group * L),
        source_stride_(input.source.stride),
        destination_(input.destination.empty() ? nullptr : input.destination.data + group * L),
        destination_stride_(input.destination.stride),
        edge_(input.edge),
        first_head_(group * L),
        heads_(layout.heads_in(group)) {}

  /// e_ij of the in-edges of destinations.
  void by_destination(const EdgeBatch<L>& batch, EdgeBuffer& e) const {
    logits(batch, source_, source_stride_, destination_, destination_stride_, e);
  }
  /// The same of the out-edges of sources.
  void by_source(const EdgeBatch<L>& batch, EdgeBuffer& e) const {
    logits(batch, destination_, destination_stride_, source_, source_stride_, e);
  }
  /// d e / d argument, from e: LeakyReLU keeps the sign.
  GAT_INLINE Lanes slope(const Lanes& e) const { return select(greater(e, Lanes{}), all_lanes(1), slope_); }

 private:
  // e = LeakyReLU(other[node] + own[row] + edge); padding −∞
  void logits(const EdgeBatch<L>& batch, const Real* other, Index other_stride, const Real* own,
              Index own_stride, EdgeBuffer& e) const {
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      Real* to = e.at(batch.first_vector(r));
      for (Index k = 0; k < list.count; ++k) {
        if (other != nullptr) copy_numbers<L>(to + k * L, other + list.ids[k] * other_stride);
        else std::fill_n(to + k * L, L, Real(0));
      }
    }
    for (Index r = 0; r < batch.count(); ++r) {
      Lanes own_part = own == nullptr ? Lanes{} : tile<L>(own + batch.row(r) * own_stride);
      if (!edge_.empty()) {
        // The ends of an edge are added first, so that both directions round alike.
        for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v)
          store(e.at(v), load(e.at(v)) + own_part);
        add_edge_numbers(batch.run(r), e.at(batch.first_vector(r)));
        own_part = Lanes{};
      }
      for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v) {
        const Lanes argument = load(e.at(v)) + own_part;
        store(e.at(v), select(greater(argument, Lanes{}), argument, slope_ * argument));
      }
    }
    batch.fill_padding(e, -std::numeric_limits<Real>::infinity());
  }
  void add_edge_numbers(const EdgeRow& run, Real* to) const {
    for (Index k = 0; k < run.count; ++k) {
      const Real* from = edge_.row(run.edge(k)) + first_head_;
      for (Index h = 0; h < heads_; ++h) to[k * L + h] += from[h];
    }
  }

  Lanes slope_;
  const Real* source_;
  Index source_stride_;
  const Real* destination_;
  Index destination_stride_;
  ConstMatrixView edge_;
  Index first_head_, heads_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
