/// The loops of pair scores, made from a policy that says what one score is:
///
///     static Lanes term(own, other, vector, slope)      summed over the features of a head
///     static Lanes d_own(own, other, vector, slope)     ∂ term / ∂ own; its mirror is ∂ term / ∂ other
///     static Lanes d_vector(own, other, slope)          ∂ term / ∂ vector, where kVector
///     static Lanes logit(total, number, job)            e
///     static Lanes d_total(e, total, number, job)       ∂ e / ∂ total
///     static Lanes d_number(total, number, e, job)      ∂ e / ∂ number, where kNumbers
#pragma once

#include "kernels/simd/pair_score.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// A score that is a plain sum of terms; policies derive from it and replace what differs.
struct PlainPair {
  static constexpr bool kVector = false;   ///< has a parameter per feature that the loops read
  static constexpr bool kNumbers = false;  ///< reads a number per node and head
  static constexpr bool kCostly = false;   ///< `PairLoops::is_costly`, as measured

  template <class Job>
  static GAT_INLINE Lanes logit(const Lanes& total, const Lanes&, const Job&) {
    return total;
  }
  template <class Job>
  static GAT_INLINE Lanes d_total(const Lanes&, const Lanes&, const Lanes&, const Job&) {
    return all_lanes(1);
  }
  template <class Job>
  static GAT_INLINE Lanes d_number(const Lanes&, const Lanes&, const Lanes&, const Job&) {
    return Lanes{};
  }
  static GAT_INLINE Lanes d_vector(const Lanes&, const Lanes&, const Lanes&) { return Lanes{}; }
};

/// The product of query and key.
struct ProductTerm : PlainPair {
  static GAT_INLINE Lanes term(const Lanes& own, const Lanes& other, const Lanes&, const Lanes&) {
    return own * other;
  }
  static GAT_INLINE Lanes d_own(const Lanes&, const Lanes& other, const Lanes&, const Lanes&) {
    return other;
  }
};

template <int L, class Policy>
struct PairLoopsOf {
  // Edges of a row that are worked on together, so that what belongs to the row is read once for all of
  // them and their sums do not wait for each other.
  static constexpr int kWays = kParts == 1 ? 4 : 2;

  static GAT_INLINE Lanes vector_at(const PairJob<L>& job, Index v) {
    if constexpr (Policy::kVector) return load(job.vector + v * kLanes);
    else return Lanes{};
  }

  // dots[k …] = Σ_v term(own, other_k) of `Ways` edges from k on, still to be folded.
  template <int Ways>
  static GAT_INLINE void sum_terms_of(const PairJob<L>& job, const GatherList& list,
                                      const GatherSource& source, Index k, const Real* own, Real* dots) {
    const WideRows<Ways, Real> others(list, source, k);
    Lanes sum[Ways] = {};
    for (Index v = 0; v < job.lanes; ++v) {
      others.fetch(v);
      const Lanes mine = load(own + v * kLanes), vector = vector_at(job, v);
#pragma GCC unroll 4
      for (int i = 0; i < Ways; ++i)
        sum[i] = sum[i] + Policy::term(mine, load(others.row[i] + v * kLanes), vector, job.slope);
    }
    for (int i = 0; i < Ways; ++i) store(dots + (k + i) * kLanes, sum[i]);
  }
  static void sum_terms(const PairJob<L>& job, const GatherList& list, Direction direction, const Real* own,
                        Real* dots) {
    const GatherSource& source = job.others(direction);
    Index k = 0;
    for (; k + kWays <= list.count; k += kWays) sum_terms_of<kWays>(job, list, source, k, own, dots);
    for (; k < list.count; ++k) sum_terms_of<1>(job, list, source, k, own, dots);
  }

  // The same where edges add to the keys. Query and key keep their places, so both directions round alike.
  static void sum_terms_of_edges(const PairJob<L>& job, const EdgeRow& run, const GatherList& list,
                                 Direction direction, const Real* own, Real* dots) {
    const GatherSource& source = job.others(direction);
    for (Index k = 0; k < list.count; ++k) {
      const Real* other = source.data + list.ids[k] * source.stride;
      const Real* query = direction == Direction::in ? own : other;
      const Real* key = direction == Direction::in ? other : own;
      Lanes sum{};
      for (Index v = 0; v < job.lanes; ++v) {
        sum = sum + Policy::term(load(query + v * kLanes), job.edge_rows.vector(run.edge(k), key, v),
                                 vector_at(job, v), job.slope);
      }
      store(dots + k * kLanes, sum);
    }
  }

  // numbers = own + other, one per edge and head
  static void add_numbers(const PairJob<L>& job, const EdgeBatch<L>& batch, Direction direction,
                          EdgeBuffer& numbers) {
    const ConstMatrixView own = job.own_numbers(direction), other = job.other_numbers(direction);
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      Real* to = numbers.at(batch.first_vector(r));
      for (Index k = 0; k < list.count; ++k) {
        for (Index h = 0; h < L; ++h) {
          to[k * L + h] = (own.empty() ? Real(0) : own(batch.row(r), h)) +
                          (other.empty() ? Real(0) : other(list.ids[k], h));
        }
      }
    }
    batch.fill_padding(numbers, 0);
  }

  static void logits(const PairJob<L>& job, const EdgeBatch<L>& batch, Direction direction,
                     PairBuffers<L>& buffers, EdgeBuffer& e) {
    constexpr Index kEdges = EdgeBatch<L>::kEdges;
    if constexpr (Policy::kNumbers) add_numbers(job, batch, direction, buffers.numbers);
    const GatherSource& mine = job.own(direction);
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      const Real* own = mine.data + batch.row(r) * mine.stride;
      if (job.edge_rows.given()) sum_terms_of_edges(job, batch.run(r), list, direction, own, buffers.dots);
      else sum_terms(job, list, direction, own, buffers.dots);
      const Index vectors = batch.last_vector(r) - batch.first_vector(r);
      for (Index k = list.count; k < vectors * kEdges; ++k) store(buffers.dots + k * kLanes, Lanes{});
      for (Index v = 0; v < vectors; ++v) {
        const Index at = batch.first_vector(r) + v;
        const Lanes total = fold_vectors<L>(buffers.dots + v * kEdges * kLanes);
        store(buffers.totals.at(at), total);
        const Lanes number = Policy::kNumbers ? load(buffers.numbers.at(at)) : Lanes{};
        // Rounded, so that a logit has the same bits in every place that computes it.
        store(e.at(at), rounded(Policy::logit(total, number, job)));
      }
    }
    batch.fill_padding(e, -std::numeric_limits<Real>::infinity());
  }

  static Lanes push(const PairJob<L>& job, const EdgeBatch<L>& batch, Index r, Direction direction,
                    PairBuffers<L>& buffers, const EdgeBuffer& d_e, const PairGradient& gradient) {
    Lanes d_number{};
    for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v) {
      const Lanes d = load(d_e.numbers + v * kLanes);
      const Lanes total = load(buffers.totals.at(v));
      const Lanes number = Policy::kNumbers ? load(buffers.numbers.at(v)) : Lanes{};
      if constexpr (Policy::kNumbers) {
        d_number = d_number + d * Policy::d_number(total, number, Policy::logit(total, number, job), job);
      }
      store(buffers.totals.at(v), d * Policy::d_total(Policy::logit(total, number, job), total, number, job));
    }
    const Real* d_total = buffers.totals.at(batch.first_vector(r));
    const GatherSource& mine = job.own(direction);
    const Real* own = mine.data + batch.row(r) * mine.stride;
    // `logits` has brought the rows near.
    GatherSource others = job.others(direction);
    others.ahead = {};
    if (job.edge_rows.given()) {
      push_of_edges(job, batch.run(r), batch.list(r), direction, own, d_total, gradient);
    } else if (Policy::kVector && gradient.vector != nullptr) {
      push_edges<true>(job, batch.list(r), others, own, d_total, gradient);
    } else if (gradient.own != nullptr) {
      push_edges<false>(job, batch.list(r), others, own, d_total, gradient);
    }
    return fold_to_tile<AddLanes, L>(d_number);
  }

  static void push_stored(const PairJob<L>& job, const EdgeBatch<L>& batch, Index r, const Real* d_total,
                          Real* d_key) {
    push_edges<false>(job, batch.list(r), job.queries, job.keys.data + batch.row(r) * job.keys.stride,
                      d_total, {.own = d_key});
  }

  // d_own = Σ_k d_k ⊙ ∂term/∂own over all edges of a row; with kVector d_vector += likewise.
  template <bool kVector>
  static void push_edges(const PairJob<L>& job, const GatherList& list, const GatherSource& source,
                         const Real* own, const Real* d_total, const PairGradient& gradient) {
    if (gradient.own != nullptr) std::fill_n(gradient.own, job.lanes * kLanes, Real(0));
    Index k = 0;
    for (; k + kWays <= list.count; k += kWays)
      push_edges_of<kWays, kVector>(job, list, source, k, own, d_total, gradient);
    for (; k < list.count; ++k) push_edges_of<1, kVector>(job, list, source, k, own, d_total, gradient);
  }
  template <int Ways, bool kVector>
  static GAT_INLINE void push_edges_of(const PairJob<L>& job, const GatherList& list,
                                       const GatherSource& source, Index k, const Real* own,
                                       const Real* d_total, const PairGradient& gradient) {
    const WideRows<Ways, Real> others(list, source, k);
    Lanes d[Ways];
    for (int i = 0; i < Ways; ++i) d[i] = tile<L>(d_total + (k + i) * L);
    for (Index v = 0; v < job.lanes; ++v) {
      others.fetch(v);
      const Lanes mine = load(own + v * kLanes), vector = vector_at(job, v);
      Lanes d_own{}, d_vector{};
      if (!kVector || gradient.own != nullptr) d_own = load(gradient.own + v * kLanes);
      if constexpr (kVector) d_vector = load(gradient.vector + v * kLanes);
#pragma GCC unroll 4
      for (int i = 0; i < Ways; ++i) {
        const Lanes theirs = load(others.row[i] + v * kLanes);
        d_own = multiply_add(d[i], Policy::d_own(mine, theirs, vector, job.slope), d_own);
        if constexpr (kVector)
          d_vector = multiply_add(d[i], Policy::d_vector(mine, theirs, job.slope), d_vector);
      }
      if (!kVector || gradient.own != nullptr) store(gradient.own + v * kLanes, d_own);
      if constexpr (kVector) store(gradient.vector + v * kLanes, d_vector);
    }
  }

  static void push_of_edges(const PairJob<L>& job, const EdgeRow& run, const GatherList& list,
                            Direction direction, const Real* own, const Real* d_total,
                            const PairGradient& gradient) {
    const GatherSource& source = job.others(direction);
    for (Index v = 0; v < job.lanes; ++v) {
      const Lanes vector = vector_at(job, v);
      Lanes sum{}, d_vector{};
      for (Index k = 0; k < list.count; ++k) {
        const Real* other = source.data + list.ids[k] * source.stride;
        const bool in = direction == Direction::in;
        const Lanes query = load((in ? own : other) + v * kLanes);
        const Lanes key = job.edge_rows.vector(run.edge(k), in ? other : own, v);
        const Lanes d = tile<L>(d_total + k * L);
        sum = multiply_add(
            d,
            in ? Policy::d_own(query, key, vector, job.slope) : Policy::d_own(key, query, vector, job.slope),
            sum);
        if constexpr (Policy::kVector)
          d_vector = multiply_add(d, Policy::d_vector(query, key, job.slope), d_vector);
        if (gradient.edge_rows != nullptr)
          gradient.edge_rows->add(job.edge_rows, run.edge(k), v,
                                  d * Policy::d_own(key, query, vector, job.slope));
      }
      if (gradient.own != nullptr) store(gradient.own + v * kLanes, sum);
      if (gradient.vector != nullptr)
        store(gradient.vector + v * kLanes, load(gradient.vector + v * kLanes) + d_vector);
    }
  }

  static constexpr PairLoops<L> kLoops{&logits, &push, Policy::kNumbers ? nullptr : &push_stored,
                                       Policy::kCostly};
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
