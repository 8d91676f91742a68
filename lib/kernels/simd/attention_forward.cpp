// The attention operator, forward: logits, softmax and sum of a batch of rows while they are in the
// first-level cache. A simple version is in tests/kernels/attention_reference.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gat/kernels/attention.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/edge_terms.hpp"
#include "kernels/simd/flat_forward.hpp"
#include "kernels/simd/functions.hpp"
#include "kernels/simd/row_walk.hpp"
#include "kernels/simd/score_kernels.hpp"
#include "kernels/simd/scored.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// 1 / sum, 0 for an empty sum.
GAT_INLINE Lanes inverse(const Lanes& sum) {
  return select(equal(sum, Lanes{}), Lanes{}, all_lanes(1) / sum);
}
// A maximum to subtract: rows without open edges have −∞, and −∞ − (−∞) would be NaN.
GAT_INLINE Lanes finite_maximum(const Lanes& maximum) {
  return select(equal(maximum, all_lanes(-kInfinity)), Lanes{}, maximum);
}

template <int L, class Score>
struct ForwardJob {
  ForwardJob(const AttentionInput& input, const Score& of_group, const AttentionState& attention_state,
             MatrixView result, Index group, const RowCallback& done_rows)
      : score(of_group),
        terms(input, group),
        lanes(input.heads.group_width / kLanes),
        values{input.values.data + group * input.heads.group_width, input.values.stride,
               ahead_of(input.values.rows, input.values.cols, of_group.wide_too())},
        bf16_values(gathered_bf16(input.bf16_values, group * input.heads.group_width)),
        row_max(attention_state.row_max.columns(group * L, L)),
        inverse_sum(attention_state.inverse_sum.columns(group * L, L)),
        out(result.columns(group * input.heads.group_width, input.heads.group_width)),
        done(done_rows),
        edge_rows(input.edge_features, input.value_edge_weight, input.heads, group),
        flat(Score::kSeparable && input.graph.stored() &&
             lies_in_cache(input.values.rows, input.values.cols) && score.is_plain() && terms.is_plain() &&
             !edge_rows.given() && input.bf16_values.empty()) {}

  const Score& score;
  GroupTerms<L> terms;
  Index lanes;  // vectors per row of the group
  GatherSource values;
  GatheredRows<Bf16> bf16_values;  // what is gathered instead, where there are any
  MatrixView row_max, inverse_sum, out;
  const RowCallback& done;
  EdgeRows edge_rows;  // what edges add to values
  bool flat;           // whether short rows are worked on without gaps
};

// Partial results of a long row: sixteen lanes of the maximum, of the sum, and the unscaled row.
template <int L, class Score>
class ForwardWorker {
 public:
  explicit ForwardWorker(const ForwardJob<L, Score>& job) : job_(job) {}

  // Rows of pair scores are read twice: for the score, and for the sum.
  Index most_edges() const {
    if constexpr (Score::kSeparable) return kBatchNumbers;
    else return edges_in_cache(job_.lanes + job_.score.job().lanes);
  }
  void rows(const EdgeBatch<L>& batch) {
    softmax(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Index i = batch.row(r);
      const Lanes scale = inverse(sum_[r]);
      store_tile<L>(job_.row_max.row(i), maximum_[r]);
      store_tile<L>(job_.inverse_sum.row(i), scale);
      sum(batch, r, scale, job_.out.row(i));
      if (job_.edge_rows.given())
        job_.edge_rows.template add_weighted<L>(batch.run(r), p_.at(batch.first_vector(r)), scale,
                                                job_.out.row(i));
    }
    job_.done(batch.row(0), batch.row(batch.count() - 1) + 1);
  }

  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    softmax(batch);
    store(partial, maximum_[0]);
    store(partial + kLanes, sum_[0]);
    sum(batch, 0, all_lanes(1), partial + 2 * kLanes);
    if (job_.edge_rows.given())
      job_.edge_rows.template add_weighted<L>(batch.run(0), p_.at(0), all_lanes(1), partial + 2 * kLanes);
  }

  void merge(Real* total, const Real* part) const {
    const Lanes maximum = max(load(total), load(part));
    const Lanes finite = finite_maximum(maximum);
    const Lanes old_scale = exp_of_negative(load(total) - finite);
    const Lanes new_scale = exp_of_negative(load(part) - finite);
    store(total, maximum);
    for (Index v = 1; v < 2 + job_.lanes; ++v) {
      store(total + v * kLanes,
            multiply_add(load(total + v * kLanes), old_scale, load(part + v * kLanes) * new_scale));
    }
  }

  void finish(Index i, const Real* total) const {
    const Lanes scale = inverse(load(total + kLanes));
    store_tile<L>(job_.row_max.row(i), load(total));
    store_tile<L>(job_.inverse_sum.row(i), scale);
    for (Index v = 0; v < job_.lanes; ++v) {
      store(job_.out.row(i) + v * kLanes, load(total + (2 + v) * kLanes) * scale);
    }
    job_.done(i, i + 1);
  }

 private:
  // p = exp(e − maximum) and its sum per row; then p becomes p · c · m, what the values are summed with.
  void softmax(const EdgeBatch<L>& batch) {
    job_.score.by_destination(batch, buffers_, p_);
    if (job_.terms.has_logit_terms()) job_.terms.add_to_logits(batch, Direction::in, p_);
    for (Index r = 0; r < batch.count(); ++r) {
      Real* e = p_.at(batch.first_vector(r));
      const Index vectors = batch.last_vector(r) - batch.first_vector(r);
      // Most rows fill few vectors, which then stay in registers.
      switch (vectors) {
        case 1:
          softmax_row(std::integral_constant<int, 1>(), e, r);
          break;
        case 2:
          softmax_row(std::integral_constant<int, 2>(), e, r);
          break;
        case 3:
          softmax_row(std::integral_constant<int, 3>(), e, r);
          break;
        case 4:
          softmax_row(std::integral_constant<int, 4>(), e, r);
          break;
        default:
          softmax_row(vectors, e, r);
      }
    }
    if (!job_.terms.has_weights()) return;
    job_.terms.weights(batch, Direction::in, weights_);
    for (Index v = 0; v < batch.vectors(); ++v) store(p_.at(v), load(p_.at(v)) * load(weights_.at(v)));
  }

  template <class Count>
  GAT_INLINE void softmax_row(Count vectors, Real* e, Index r) {
    Lanes maximum = all_lanes(-kInfinity);
    for (Index v = 0; v < vectors; ++v) maximum = max(maximum, load(e + v * kLanes));
    maximum = fold_to_tile<MaxLanes, L>(maximum);
    const Lanes finite = finite_maximum(maximum);
    Lanes sum{};
    for (Index v = 0; v < vectors; ++v) {
      const Lanes p = exp_of_negative(load(e + v * kLanes) - finite);
      store(e + v * kLanes, p);
      sum = sum + p;
    }
    maximum_[r] = maximum;
    sum_[r] = fold_to_tile<AddLanes, L>(sum);
  }

  // out = (Σ_k p_k ⊙ v_k) ⊙ scale over one row's edges
  void sum(const EdgeBatch<L>& batch, Index r, const Lanes& scale, Real* out) {
    const Real* weights = p_.at(batch.first_vector(r));
    if constexpr (kHasBf16Rows && Score::kSeparable) {
      if (job_.bf16_values.data != nullptr)
        return sum_rows<L>(weights, batch.list(r), job_.bf16_values, job_.lanes, scale, out);
    }
    sum_rows<L>(weights, batch.list(r), job_.values, job_.lanes, scale, out);
  }

  const ForwardJob<L, Score>& job_;
  typename Score::Buffers buffers_;
  EdgeBuffer p_, weights_;
  Lanes maximum_[kBatchRows], sum_[kBatchRows];
};

// Writes what a sink asks for, once maxima and sums are known.
template <int L, class Score>
class CoefficientWorker {
 public:
  struct Job {
    const ForwardJob<L, Score>& forward;
    const AttentionSink& sink;
  };
  explicit CoefficientWorker(const Job& job) : forward_(job.forward), sink_(job.sink) {}

  void rows(const EdgeBatch<L>& batch) {
    forward_.score.by_destination(batch, buffers_, e_);
    if (forward_.terms.has_logit_terms()) forward_.terms.add_to_logits(batch, Direction::in, e_);
    if (forward_.terms.has_weights()) {
      forward_.terms.weights(batch, Direction::in, weighted_);
      forward_.terms.dropout_factors(batch, dropout_);
    }
    for (Index r = 0; r < batch.count(); ++r) {
      const Index i = batch.row(r);
      const Lanes maximum = finite_maximum(tile<L>(forward_.row_max.row(i)));
      const Lanes scale = tile<L>(forward_.inverse_sum.row(i));
      for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v) {
        store(alpha_.at(v), exp_of_negative(load(e_.at(v)) - maximum) * scale);
      }
      write(batch, r);
    }
  }
  Index most_edges() const { return kBatchNumbers; }
  void chunk(const EdgeBatch<L>& batch, Real*) { rows(batch); }
  void merge(Real*, const Real*) const {}
  void finish(Index, const Real*) const {}

 private:
  void write(const EdgeBatch<L>& batch, Index r) {
    const GroupTerms<L>& terms = forward_.terms;
    const EdgeRow& run = batch.run(r);
    const Index at = batch.first_vector(r) * kLanes;
    for (Index k = 0; k < run.count; ++k) {
      const EdgeId edge = run.edge(k);
      for (Index h = 0; h < terms.heads(); ++h) {
        const Index head = terms.first_head() + h;
        const Index number = at + k * L + h;
        const Real alpha = alpha_.numbers[number];
        const Real m = terms.terms().factor.given()
                           ? terms.value(terms.terms().factor, batch.row(r), run.node(k), edge, h)
                           : Real(1);
        if (!sink_.logits.empty()) sink_.logits(edge, head) = e_.numbers[number];
        if (!sink_.attention.empty()) sink_.attention(edge, head) = alpha;
        if (!sink_.weighted.empty()) sink_.weighted(edge, head) = m * alpha;
        if (!sink_.dropped.empty())
          sink_.dropped(edge, head) = terms.has_weights() ? m * alpha * dropout_.numbers[number] : alpha;
      }
    }
  }

  const ForwardJob<L, Score>& forward_;
  const AttentionSink& sink_;
  typename Score::Buffers buffers_;
  EdgeBuffer e_, alpha_, weighted_, dropout_;
};

}  // namespace

void attention_forward(const AttentionInput& input, const ScoreInput& score, const AttentionState& state,
                       MatrixView out, const AttentionSink* sink, const RowCallback& done) {
  const HeadLayout& layout = input.heads;
  const InRows rows{input.graph};
  const Workspace::Scope scope(input.workspace);
  for_each_group(input, ready_score(input, score), [&](auto lanes, Index group, const auto& of_group) {
    constexpr int L = lanes;
    using Score = std::decay_t<decltype(of_group)>;
    // A row is complete when its last group is.
    const RowCallback nobody;
    const ForwardJob<L, Score> job(input, of_group, state, out, group,
                                   group + 1 == layout.num_groups ? done : nobody);
    const auto walk = [&](auto worker) {
      walk_rows<L, typename decltype(worker)::Type>(rows, job, 2 * kLanes + layout.group_width,
                                                    work_per_edge(layout), input.execution, input.workspace);
    };
    using AnyRows = ForwardWorker<L, Score>;
    if constexpr (Score::kSeparable) {
      if (job.flat) walk(WorkerType<FlatForward<L, ForwardJob<L, Score>, AnyRows>>());
      else walk(WorkerType<AnyRows>());
    } else {
      walk(WorkerType<AnyRows>());
    }
    if (sink == nullptr) return;
    using Worker = CoefficientWorker<L, Score>;
    walk_rows<L, Worker>(rows, typename Worker::Job{job, *sink}, kLanes, work_per_edge(layout),
                         input.execution, input.workspace);
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
