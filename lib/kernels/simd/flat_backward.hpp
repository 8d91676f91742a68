/// The backward pass over the out-edges of sources with short rows, where the gathered matrix lies in a
/// cache, batch by batch without gaps.
///
/// With the records (s_i, m_i, D_i) of destinations and g_i divided by the softmax's sum already:
///     e = LeakyReLU(s_i + s_j)    p = exp(e − m_i)    w = c p
///     d_argument_ij = p (c g_i · v_j − D_i) LeakyReLU'(e)
///     d_v_j = Σ_i w_ij g_i        d_s_j = Σ_i d_argument_ij
/// Long rows go through `Chunks`, the worker of any graph.
#pragma once

#include "kernels/simd/flat_batch.hpp"
#include "kernels/simd/functions.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// `Job` is that of `Chunks`, a plain one (see GatScore::is_plain and GroupTerms::is_plain).
template <int L, class Job, class Chunks>
class FlatBackward {
 public:
  using RowBatch = FlatBatch<L>;

  explicit FlatBackward(const Job& job) : job_(job), chunks_(job) {}

  Index most_edges() const { return kFlatEdges; }

  void rows(const FlatBatch<L>& batch) {
    read_records(batch);
    logits(batch);
    coefficients(batch);
    sum(batch);
    differentiate(batch);
    for (Index r = 0; r < batch.count() && !job_.d_source.empty(); ++r)
      store_tile<L>(job_.d_source.row(batch.row(r)), batch.template fold_row<AddLanes>(d_argument_, r, 0));
    if (job_.d_argument == nullptr) return;
    const auto places = job_.argument_places(batch.first_edge());
    for (Index k = 0; k < batch.edges(); ++k) copy_numbers<L>(places[k], d_argument_.at(k));
  }

  template <class Batch>
  void chunk(const Batch& batch, Real* partial) {
    chunks_.chunk(batch, partial);
  }
  void merge(Real* total, const Real* part) const { chunks_.merge(total, part); }
  void finish(Index j, const Real* total) const { chunks_.finish(j, total); }

 private:
  void read_records(const FlatBatch<L>& batch) {
    const NodeId* nodes = batch.nodes();
    const Index edges = batch.edges();
    const bool stores = job_.d_argument != nullptr;
    const auto places = job_.argument_places(batch.first_edge());
    for (Index k = 0; k < edges; ++k) {
      const Real* record = job_.records.data + nodes[k] * job_.records.stride;
      copy_numbers<L>(s_.at(k), record);
      copy_numbers<L>(maximum_.at(k), record + L);
      copy_numbers<L>(d_.at(k), record + 2 * L);
      if (stores) __builtin_prefetch(places[k], 1);
    }
    store(s_.at(edges), Lanes{});
    store(maximum_.at(edges), Lanes{});
    store(d_.at(edges), Lanes{});
  }

  void logits(const FlatBatch<L>& batch) {
    for (Index r = 0; r < batch.count(); ++r) {
      const Lanes own = job_.score.of_source(batch.row(r));
      const Real* from = s_.at(batch.first(r));
      Real* to = e_.at(batch.first(r));
      FlatBatch<L>::for_row_vectors(batch.edges_of(r) * L, [&](Index v) GAT_INLINE_BODY {
        store(to + v * kLanes, job_.score.value(load(from + v * kLanes) + own));
      });
    }
  }

  void coefficients(const FlatBatch<L>& batch) {
    const bool dropping = job_.terms.has_weights();
    if (dropping) job_.terms.dropout_factors(batch, factor_);
    for (Index n = 0; n < batch.vectors() * kLanes; n += kLanes) {
      const Lanes p = exp_of_negative(load(e_.numbers + n) - load(maximum_.numbers + n));
      store(p_.numbers + n, p);
      if (dropping) store(weight_.numbers + n, p * load(factor_.numbers + n));
    }
  }

  // d_v_j, and g_i · v_j of every edge, sixteen lanes that still have to be folded.
  void sum(const FlatBatch<L>& batch) {
    FlatBuffer<L>& weights = job_.terms.has_weights() ? weight_ : p_;
    for_lane_blocks(job_.lanes, [&](auto block, Index first) {
      constexpr int R = block;
      GatherSource d_out = job_.d_out;
      d_out.data += first * kLanes;
      for (Index r = 0; r < batch.count(); ++r) {
        const Index j = batch.row(r);
        const Real* weight = weights.at(batch.first(r));
        Real* dots = dots_ + batch.first(r) * kLanes;
        Lanes z[R], sum[R] = {};
#pragma GCC unroll 16
        for (int v = 0; v < R; ++v)
          z[v] = load(job_.values.data + j * job_.values.stride + (first + v) * kLanes);
        for_gathered<R>(batch.list(r), d_out, [&](Index k, const Real* row) GAT_INLINE_BODY {
          Lanes even = first > 0 ? load(dots + k * kLanes) : Lanes{};
          Lanes odd{};
          const Lanes w = tile<L>(weight + k * L);
#pragma GCC unroll 16
          for (int v = 0; v < R; ++v) {
            const Lanes value = load(row + v * kLanes);
            Lanes& dot = v % 2 == 0 ? even : odd;
            dot = multiply_add(z[v], value, dot);
            sum[v] = multiply_add(w, value, sum[v]);
          }
          store(dots + k * kLanes, even + odd);
        });
        Real* out = job_.d_values.row(j) + first * kLanes;
#pragma GCC unroll 16
        for (int v = 0; v < R; ++v) store(out + v * kLanes, sum[v]);
      }
    });
  }

  void differentiate(const FlatBatch<L>& batch) {
    const bool dropping = job_.terms.has_weights();
    for (Index k = batch.edges(); k < batch.vectors() * FlatBatch<L>::kEdges; ++k)
      store(dots_ + k * kLanes, Lanes{});
    for (Index v = 0; v < batch.vectors(); ++v) {
      const Index n = v * kLanes;
      Lanes d_alpha = fold_vectors<L>(dots_ + v * FlatBatch<L>::kEdges * kLanes);
      if (dropping) d_alpha = rounded(d_alpha * load(factor_.numbers + n));
      const Lanes d_logit = load(p_.numbers + n) * (d_alpha - load(d_.numbers + n));
      // Rounded, so that sums of stored gradients have the same bits.
      store(d_argument_.numbers + n, rounded(d_logit * job_.score.slope(load(e_.numbers + n))));
    }
  }

  const Job& job_;
  Chunks chunks_;
  FlatBuffer<L> s_, maximum_, d_, e_, p_, factor_, weight_, d_argument_;
  alignas(64) Real dots_[(kFlatEdges + kLanes) * kLanes];
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
