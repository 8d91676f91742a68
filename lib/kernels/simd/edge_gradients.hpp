/// What both passes over edges of backward share: from logits, maxima, D and products with the gradient
/// to the gradients of edges, for one group of L heads.
#pragma once

#include <algorithm>

#include "kernels/simd/edge_terms.hpp"
#include "kernels/simd/functions.hpp"
#include "kernels/simd/scored.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Numbers of a destination's record for L heads: scores, maxima and D_i. One that fits a cache line is
/// padded, so that it never lies in two.
constexpr int record_numbers(Index lanes) {
  const bool fits = 4 * lanes * static_cast<Index>(sizeof(Real)) <= 64;
  return static_cast<int>((fits ? 4 : 3) * lanes);
}

/// Whether every edge has a slot; other views store gradients at the places of edges.
inline bool has_slots(const GraphView& graph) {
  const auto edges = static_cast<std::size_t>(graph.num_edges());
  return edges > 0 && graph.arrays().in_slots.size() == edges && graph.arrays().out_slots.size() == edges;
}

/// One backward pass over one group, the same for every thread.
template <int L, class Score>
struct BackwardJob {
  BackwardJob(const AttentionInput& in, const Score& of_group, const ScoreGradient& score_gradient,
              const AttentionGradient& attention_gradient, MatrixView folded_d_out,
              const Bf16Rows& bf16_d_out_rows, ConstMatrixView fold_records, Real* edge_gradients,
              Index group)
      : input(in),
        score(of_group),
        terms(in, group),
        width(in.heads.group_width),
        lanes(width / kLanes),
        values{in.values.data + group * width, in.values.stride,
               ahead_of(in.values.rows, in.values.cols, of_group.wide_too())},
        d_out{folded_d_out.data + group * width, folded_d_out.stride,
              ahead_of(folded_d_out.rows, folded_d_out.cols, of_group.wide_too())},
        bf16_values(gathered_bf16(in.bf16_values, group * width)),
        bf16_d_out(gathered_bf16(bf16_d_out_rows, group * width)),
        records{fold_records.data + group * record_numbers(L), fold_records.stride,
                ahead_of(fold_records.rows, fold_records.cols)},
        d_source(part(score_gradient.source, group * L, L)),
        d_destination(part(score_gradient.destination, group * L, L)),
        d_edge(score_gradient.edge),
        d_queries(score_gradient.queries),
        d_keys(score_gradient.keys),
        gradient(attention_gradient),
        d_values(part(attention_gradient.values, group * width, width)),
        d_argument(edge_gradients),
        by_slot(edge_gradients != nullptr && has_slots(in.graph)),
        edge_rows(in.edge_features, in.value_edge_weight, in.heads, group),
        flat(Score::kSeparable && in.graph.stored() && lies_in_cache(in.values.rows, in.values.cols) &&
             score.is_plain() && terms.is_plain() && !terms.has_advantage() && !edge_rows.given() &&
             in.bf16_values.empty()) {}

  // Where each of the out-edges stands among the in-edges.
  const EdgeId* places() const {
    const GraphView::Arrays& arrays = input.graph.arrays();
    return (arrays.out_places.empty() ? arrays.out_edge_ids : arrays.out_places).data();
  }
  // The same of the out-edges of one row.
  const EdgeId* places_of(const EdgeRow& run) const { return places() + first_out_edge(run); }

  // Which of all out-edges the first one of a row is.
  Index first_out_edge(const EdgeRow& run) const {
    return run.nodes - input.graph.arrays().out_destinations.data();
  }
  // Where the gradients of out-edges are stored, from one of them on.
  struct ArgumentPlaces {
    GAT_INLINE Real* operator[](Index k) const {
      return d_argument + (slots != nullptr ? static_cast<Index>(slots[k]) : places[k]) * L;
    }
    Real* d_argument;
    const EdgeSlot* slots;
    const EdgeId* places;
  };
  ArgumentPlaces argument_places(Index out_edge) const {
    const EdgeSlot* slots = by_slot ? input.graph.arrays().out_slots.data() + out_edge : nullptr;
    return {d_argument, slots, places() + out_edge};
  }

  static MatrixView part(MatrixView whole, Index first, Index count) {
    return whole.empty() ? whole : whole.columns(first, count);
  }

  const AttentionInput& input;
  const Score& score;
  GroupTerms<L> terms;
  Index width, lanes;
  GatherSource values, d_out;
  GatheredRows<Bf16> bf16_values, bf16_d_out;  // what is read instead, where there are any
  GatherSource records;  // per destination: L numbers of the score, L maxima, L times D_i
  MatrixView d_source, d_destination, d_edge;
  MatrixView d_queries, d_keys;  // of the group; pair scores
  MatrixView d_vector;           // `vector_sums` rows: gradient of the score's parameter per feature
  const AttentionGradient& gradient;
  MatrixView d_values;
  // Of every edge, by its place among the in-edges; null = not stored.
  Real* d_argument;            // separable scores, from sources to destinations: L gradients
  bool by_slot;                // those of separable scores lie by slot instead
  Real* pair_edges = nullptr;  // pair scores, from destinations to sources: L weights, L of ∂/∂t
  EdgeRows edge_rows;          // what edges add to values
  bool flat;                   // whether short rows are worked on without gaps
};

/// The buffers and steps of one thread.
template <int L, class Score>
class EdgeGradients {
 public:
  explicit EdgeGradients(const BackwardJob<L, Score>& job) : job_(job) {}

  // Rows of pair scores are read twice: for the score, and for its gradient.
  Index most_edges() const {
    if constexpr (Score::kSeparable) return kBatchNumbers;
    else return edges_in_cache(job_.lanes + job_.score.job().lanes);
  }
  // p = exp(e − max) and w = p c m, once e_ and maximum_ are there.
  void exponentials(const EdgeBatch<L>& batch, Direction direction) {
    const EdgeBuffer* logits = &e_;
    if (job_.terms.has_logit_terms()) {
      std::copy_n(e_.numbers, batch.vectors() * kLanes, p_.numbers);
      job_.terms.add_to_logits(batch, direction, p_);
      logits = &p_;
    }
    if (job_.terms.has_advantage()) job_.terms.advantages(batch, direction, *logits, d_logit_);
    for (Index v = 0; v < batch.vectors(); ++v) {
      store(p_.at(v), exp_of_negative(load(logits->numbers + v * kLanes) - load(maximum_.at(v))));
    }
    weigh(batch, direction);
  }
  // w = p c m
  void weigh(const EdgeBatch<L>& batch, Direction direction) {
    if (!job_.terms.has_weights()) return;
    job_.terms.weights(batch, direction, factor_);
    for (Index v = 0; v < batch.vectors(); ++v) store(weight_.at(v), load(p_.at(v)) * load(factor_.at(v)));
  }
  Real* weights(Index vector) { return job_.terms.has_weights() ? weight_.at(vector) : p_.at(vector); }

  // g_i · v_j of one row's edges, unfolded; in the pass over sources also d_v_j = Σ_i w_ij g_i.
  template <bool kOfSource>
  void multiply_rows(const EdgeBatch<L>& batch, Index r, Real* d_values) {
    const auto multiply = [&](const auto& values, const auto& d_out) {
      const auto& own = kOfSource ? values : d_out;
      const auto& others = kOfSource ? d_out : values;
      dot_rows<L, kOfSource>(own.data + batch.row(r) * own.stride, weights(batch.first_vector(r)),
                             batch.list(r), others, job_.lanes, dots_, d_values);
    };
    if constexpr (kHasBf16Rows && Score::kSeparable) {
      if (job_.bf16_values.data != nullptr) return multiply(job_.bf16_values, job_.bf16_d_out);
    }
    multiply(job_.values, job_.d_out);
  }

  // Folds the products of one row's edges to one number per head.
  void fold_products(const EdgeBatch<L>& batch, Index r) {
    constexpr Index kEdges = EdgeBatch<L>::kEdges;
    const Index count = batch.run(r).count;
    const Index vectors = batch.last_vector(r) - batch.first_vector(r);
    for (Index k = count; k < vectors * kEdges; ++k) store(dots_ + k * kLanes, Lanes{});
    for (Index v = 0; v < vectors; ++v) {
      store(product_.at(batch.first_vector(r) + v), fold_vectors<L>(dots_ + v * kEdges * kLanes));
    }
  }

  // d argument = p (c m g − D) · score', in place of the products; returns its sum over the row, folded.
  Lanes finish_row(const EdgeBatch<L>& batch, Index r) {
    Lanes sum{};
    for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v) {
      Lanes d_alpha = load(product_.at(v));
      if (job_.terms.has_weights()) d_alpha = rounded(d_alpha * load(factor_.at(v)));
      Lanes d_logit = load(p_.at(v)) * (d_alpha - load(d_.at(v)));
      if (job_.terms.has_advantage()) d_logit = d_logit + load(d_logit_.at(v));
      if (keeps_logit_gradients()) store(d_logit_.at(v), d_logit);
      // Rounded, so that sums of stored gradients have the same bits.
      const Lanes d_argument = rounded(d_logit * job_.score.slope(load(e_.at(v))));
      store(d_argument_.at(v), d_argument);
      sum = sum + d_argument;
    }
    return fold_to_tile<AddLanes, L>(sum);
  }
  // The products of one row's edges where edges add to values: g_i · (v_j + W_v x_ij), unfolded.
  void dot_edge_rows(const EdgeBatch<L>& batch, Index r, Direction direction) {
    const bool in = direction == Direction::in;
    const GatherList list = batch.list(r);
    const GatherSource& own = in ? job_.d_out : job_.values;
    const GatherSource& others = in ? job_.values : job_.d_out;
    const Real* mine = own.data + batch.row(r) * own.stride;
    for (Index k = 0; k < list.count; ++k) {
      const Real* other = others.data + list.ids[k] * others.stride;
      Lanes sum{};
      for (Index v = 0; v < job_.lanes; ++v) {
        sum = multiply_add(load((in ? mine : other) + v * kLanes),
                           job_.edge_rows.vector(batch.run(r).edge(k), in ? other : mine, v), sum);
      }
      store(dots_ + k * kLanes, sum);
    }
  }
  bool keeps_logit_gradients() const { return job_.terms.terms().log_prior.given(); }

  // Gradients of terms: d log_prior = de, d m = c p g (g is divided by the softmax's sum already).
  void term_gradients(const EdgeBatch<L>& batch, Direction direction, bool of_functions) {
    const EdgeTerms& terms = job_.terms.terms();
    const auto wanted = [&](const EdgeTerm& term, MatrixView array) {
      return of_functions ? term.array.empty() && term.function != nullptr
                          : !term.array.empty() && !array.empty();
    };
    const bool prior = wanted(terms.log_prior, job_.gradient.log_prior);
    const bool factor = wanted(terms.factor, job_.gradient.factor);
    if (prior) {
      job_.terms.for_each(
          batch, direction,
          [&](Index i, Index j, EdgeId edge, Real* d) {
            if (!open(edge)) return;
            for (Index h = 0; h < job_.terms.heads(); ++h)
              job_.terms.add_gradient(terms.log_prior, job_.gradient.log_prior, i, j, edge, h, d[h]);
          },
          d_logit_);
    }
    if (!factor) return;
    job_.terms.dropout_factors(batch, weight_);
    for (Index v = 0; v < batch.vectors(); ++v)
      store(weight_.at(v), load(weight_.at(v)) * load(p_.at(v)) * load(product_.at(v)));
    job_.terms.for_each(
        batch, direction,
        [&](Index i, Index j, EdgeId edge, Real* d) {
          if (!open(edge)) return;
          for (Index h = 0; h < job_.terms.heads(); ++h)
            job_.terms.add_gradient(terms.factor, job_.gradient.factor, i, j, edge, h, d[h]);
        },
        weight_);
  }

 protected:
  bool open(EdgeId edge) const {
    const auto& mask = job_.terms.terms().mask;
    return mask.empty() || mask[static_cast<std::size_t>(edge)] != 0;
  }

  const BackwardJob<L, Score>& job_;
  typename Score::Buffers buffers_;
  EdgeBuffer e_, p_, factor_, weight_, maximum_, d_, product_, d_logit_, d_argument_;
  alignas(64) Real dots_[(kChunkEdges + kLanes) * kLanes];
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
