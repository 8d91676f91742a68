/// The forward pass over short rows whose gathered matrix lies in a cache, batch by batch without gaps.
///
/// With s_ij the sum of the numbers of both ends, e = LeakyReLU(s) (monotone: its largest argument gives
/// the row's maximum m_i), p = exp(e − m), l_i = Σ_j p_ij and w = c p:
///     out_i = (Σ_j w_ij v_j) / l_i
/// Long rows go through `Chunks`, the worker of any graph.
#pragma once

#include <limits>

#include "kernels/simd/flat_batch.hpp"
#include "kernels/simd/functions.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// `Job` is that of `Chunks`, a plain one (see GatScore::is_plain and GroupTerms::is_plain).
template <int L, class Job, class Chunks>
class FlatForward {
 public:
  using RowBatch = FlatBatch<L>;

  explicit FlatForward(const Job& job) : job_(job), chunks_(job) {}

  Index most_edges() const { return kFlatEdges; }

  void rows(const FlatBatch<L>& batch) {
    gather_numbers<L>(batch, job_.score.sources().data, job_.score.sources().stride, e_);
    shift(batch);
    for (Index v = 0; v < batch.vectors(); ++v) {
      Real* at = p_.numbers + v * kLanes;
      store(at, exp_of_negative(load(at)));
    }
    divide(batch);
    FlatBuffer<L>* weights = &p_;
    if (job_.terms.has_weights()) {
      job_.terms.dropout_factors(batch, e_);
      for (Index v = 0; v < batch.vectors(); ++v)
        store(e_.numbers + v * kLanes, load(e_.numbers + v * kLanes) * load(p_.numbers + v * kLanes));
      weights = &e_;
    }
    sum(batch, *weights);
    job_.done(batch.row(0), batch.row(0) + batch.count());
  }

  template <class Batch>
  void chunk(const Batch& batch, Real* partial) {
    chunks_.chunk(batch, partial);
  }
  void merge(Real* total, const Real* part) const { chunks_.merge(total, part); }
  void finish(Index i, const Real* total) const { chunks_.finish(i, total); }

 private:
  static constexpr Real kClosed = -std::numeric_limits<Real>::infinity();

  // p = e − m from the sources' numbers.
  void shift(const FlatBatch<L>& batch) {
    for (Index r = 0; r < batch.count(); ++r) {
      const Index i = batch.row(r);
      const Lanes own = job_.score.of_destination(i);
      const Lanes maximum = job_.score.value(batch.template fold_row<MaxLanes>(e_, r, kClosed) + own);
      store_tile<L>(job_.row_max.row(i), maximum);
      const Lanes finite = select(equal(maximum, all_lanes(kClosed)), Lanes{}, maximum);
      const Real* from = e_.at(batch.first(r));
      Real* to = p_.at(batch.first(r));
      FlatBatch<L>::for_row_vectors(batch.edges_of(r) * L, [&](Index v) GAT_INLINE_BODY {
        store(to + v * kLanes, job_.score.value(load(from + v * kLanes) + own) - finite);
      });
    }
  }

  // 1 / l, for many rows with one division; 0 for an empty row.
  void divide(const FlatBatch<L>& batch) {
    for (Index r = 0; r < batch.count(); ++r)
      store_tile<L>(inverse_ + r * L, batch.template fold_row<AddLanes>(p_, r, 0));
    for (Index k = 0; k < batch.count() * L; k += kLanes) {
      const Lanes total = load(inverse_ + k);
      store(inverse_ + k, select(equal(total, Lanes{}), Lanes{}, all_lanes(1) / total));
    }
    for (Index r = 0; r < batch.count(); ++r)
      copy_numbers<L>(job_.inverse_sum.row(batch.row(r)), inverse_ + r * L);
  }

  void sum(const FlatBatch<L>& batch, FlatBuffer<L>& weights) {
    for_lane_blocks(job_.lanes, [&](auto block, Index first) {
      constexpr int R = block;
      GatherSource values = job_.values;
      values.data += first * kLanes;
      for (Index r = 0; r < batch.count(); ++r) {
        const Real* weight = weights.at(batch.first(r));
        Lanes sum[R] = {};
        for_gathered<R>(batch.list(r), values, [&](Index k, const Real* row) GAT_INLINE_BODY {
          const Lanes w = tile<L>(weight + k * L);
#pragma GCC unroll 16
          for (int v = 0; v < R; ++v) sum[v] = multiply_add(w, load(row + v * kLanes), sum[v]);
        });
        const Lanes scale = tile<L>(inverse_ + r * L);
        Real* out = job_.out.row(batch.row(r)) + first * kLanes;
#pragma GCC unroll 16
        for (int v = 0; v < R; ++v) store(out + v * kLanes, sum[v] * scale);
      }
    });
  }

  const Job& job_;
  Chunks chunks_;
  FlatBuffer<L> e_, p_;
  alignas(64) Real inverse_[kFlatRows * L + kLanes];
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
