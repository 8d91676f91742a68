// The attention operator, backward. The maths is in the public header; a simple version is in
// tests/kernels/attention_reference.hpp.
#include <algorithm>
#include <limits>

#include "gat/kernels/attention.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/edge_terms.hpp"
#include "kernels/simd/functions.hpp"
#include "kernels/simd/row_walk.hpp"
#include "kernels/simd/scores.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

template <int L>
struct BackwardJob {
  BackwardJob(const AttentionInput& in, const GatScoreInput& score_input,
              const GatScoreGradient& score_gradient, const AttentionGradient& attention_gradient,
              MatrixView folded_d_out, ConstMatrixView fold_records, Real* edge_gradients, Index group)
      : input(in),
        score(score_input, in.heads, group),
        terms(in, group),
        width(in.heads.group_width),
        lanes(width / kLanes),
        values{in.values.data + group * width, in.values.stride,
               prefetch_distance(in.values.rows, in.values.cols)},
        d_out{folded_d_out.data + group * width, folded_d_out.stride,
              prefetch_distance(folded_d_out.rows, folded_d_out.cols)},
        records(fold_records.data + group * 2 * L),
        record_stride(fold_records.stride),
        d_source(part(score_gradient.source, group * L, L)),
        d_destination(part(score_gradient.destination, group * L, L)),
        d_edge(score_gradient.edge),
        gradient(attention_gradient),
        d_values(part(attention_gradient.values, group * width, width)),
        d_argument(edge_gradients) {}

  static MatrixView part(MatrixView whole, Index first, Index count) {
    return whole.empty() ? whole : whole.columns(first, count);
  }

  const AttentionInput& input;
  GatScore<L> score;
  GroupTerms<L> terms;
  Index width, lanes;
  GatherSource values, d_out;
  const Real* records;  // per destination: L maxima, L times D_i
  Index record_stride;
  MatrixView d_source, d_destination, d_edge;
  const AttentionGradient& gradient;
  MatrixView d_values;
  Real* d_argument;  // of every edge, by its place among the in-edges, L numbers each; null = not stored
};

// What both passes over edges share: from logits, maxima, D and products to the gradients of edges.
template <int L>
class EdgeGradients {
 public:
  explicit EdgeGradients(const BackwardJob<L>& job) : job_(job) {}

  // p = exp(e − max) and w = p c m, once e_ and maximum_ are there.
  void exponentials(const EdgeBatch<L>& batch, Direction direction) {
    const EdgeBuffer* logits = &e_;
    if (job_.terms.has_logit_terms()) {
      std::copy_n(e_.numbers, batch.vectors() * kLanes, p_.numbers);
      job_.terms.add_to_logits(batch, direction, p_);
      logits = &p_;
    }
    for (Index v = 0; v < batch.vectors(); ++v) {
      store(p_.at(v), exp_of_negative(load(logits->numbers + v * kLanes) - load(maximum_.at(v))));
    }
    if (!job_.terms.has_weights()) return;
    job_.terms.weights(batch, direction, factor_);
    for (Index v = 0; v < batch.vectors(); ++v) store(weight_.at(v), load(p_.at(v)) * load(factor_.at(v)));
  }
  Real* weights(Index vector) { return job_.terms.has_weights() ? weight_.at(vector) : p_.at(vector); }

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
      if (job_.terms.has_weights()) d_alpha = d_alpha * load(factor_.at(v));
      const Lanes d_logit = load(p_.at(v)) * (d_alpha - load(d_.at(v)));
      if (keeps_logit_gradients()) store(d_logit_.at(v), d_logit);
      // Rounded, so that sums of stored gradients have the same bits.
      const Lanes d_argument = rounded(d_logit * job_.score.slope(load(e_.at(v))));
      store(d_argument_.at(v), d_argument);
      sum = sum + d_argument;
    }
    return fold_to_tile<AddLanes, L>(sum);
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

  const BackwardJob<L>& job_;
  EdgeBuffer e_, p_, factor_, weight_, maximum_, d_, product_, d_logit_, d_argument_;
  alignas(64) Real dots_[(kChunkEdges + kLanes) * kLanes];
};

// Everything that belongs to one source, over its out-edges: dv_j and d s_src_j. Also what belongs to
// one edge. Partial results of a long row: sixteen lanes of d s_src, and dv.
template <int L>
class SourceWorker : EdgeGradients<L> {
 public:
  using Base = EdgeGradients<L>;
  explicit SourceWorker(const BackwardJob<L>& job) : Base(job) {}

  void rows(const EdgeBatch<L>& batch) {
    prepare(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Index j = batch.row(r);
      const Lanes d = row(batch, r, job_.d_values.row(j));
      if (!job_.d_source.empty()) store_tile<L>(job_.d_source.row(j), d);
    }
    scatter(batch);
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    prepare(batch);
    store(partial, row(batch, 0, partial + kLanes));
    scatter(batch);
  }
  void merge(Real* total, const Real* part) const {
    for (Index v = 0; v <= job_.lanes; ++v)
      store(total + v * kLanes, load(total + v * kLanes) + load(part + v * kLanes));
  }
  void finish(Index j, const Real* total) const {
    if (!job_.d_source.empty()) store_tile<L>(job_.d_source.row(j), load(total));
    std::copy_n(total + kLanes, job_.width, job_.d_values.row(j));
  }

 private:
  using Base::job_;

  void prepare(const EdgeBatch<L>& batch) {
    job_.score.by_source(batch, this->e_);
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      Real* maximum = this->maximum_.at(batch.first_vector(r));
      Real* d = this->d_.at(batch.first_vector(r));
      for (Index k = 0; k < list.count; ++k) {
        const Real* record = job_.records + list.ids[k] * job_.record_stride;
        copy_numbers<L>(maximum + k * L, record);
        copy_numbers<L>(d + k * L, record + L);
      }
    }
    batch.fill_padding(this->maximum_, 0);
    batch.fill_padding(this->d_, 0);
    this->exponentials(batch, Direction::out);
  }

  Lanes row(const EdgeBatch<L>& batch, Index r, Real* d_values) {
    const Real* z = job_.values.data + batch.row(r) * job_.values.stride;
    dot_rows<L, true>(z, this->weights(batch.first_vector(r)), batch.list(r), job_.d_out, job_.lanes,
                      this->dots_, d_values);
    this->fold_products(batch, r);
    return this->finish_row(batch, r);
  }

  void scatter(const EdgeBatch<L>& batch) {
    this->term_gradients(batch, Direction::out, false);
    if (!job_.d_edge.empty()) {
      job_.terms.for_each(
          batch, Direction::out,
          [&](Index, Index, EdgeId edge, Real* d) {
            Real* to = job_.d_edge.row(edge) + job_.terms.first_head();
            for (Index h = 0; h < job_.terms.heads(); ++h) to[h] += d[h];
          },
          this->d_argument_);
    }
    if (job_.d_argument == nullptr) return;
    const GraphView::Arrays& arrays = job_.input.graph.arrays();
    const auto& places = arrays.out_places.empty() ? arrays.out_edge_ids : arrays.out_places;
    for (Index r = 0; r < batch.count(); ++r) {
      const EdgeRow& run = batch.run(r);
      const EdgeId* place = places.data() + (run.nodes - arrays.out_destinations.data());
      const Real* from = this->d_argument_.at(batch.first_vector(r));
      for (Index k = 0; k < run.count; ++k) copy_numbers<L>(job_.d_argument + place[k] * L, from + k * L);
    }
  }
};

// What belongs to one destination, over its in-edges, where nothing per edge is stored: d s_dst_i, and
// the gradients of functions.
template <int L>
class DestinationWorker : EdgeGradients<L> {
 public:
  using Base = EdgeGradients<L>;
  explicit DestinationWorker(const BackwardJob<L>& job) : Base(job) {}

  void rows(const EdgeBatch<L>& batch) {
    prepare(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Lanes d = row(batch, r);
      if (!job_.d_destination.empty()) store_tile<L>(job_.d_destination.row(batch.row(r)), d);
    }
    this->term_gradients(batch, Direction::in, true);
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    prepare(batch);
    store(partial, row(batch, 0));
    this->term_gradients(batch, Direction::in, true);
  }
  void merge(Real* total, const Real* part) const { store(total, load(total) + load(part)); }
  void finish(Index i, const Real* total) const {
    if (!job_.d_destination.empty()) store_tile<L>(job_.d_destination.row(i), load(total));
  }

 private:
  using Base::job_;

  void prepare(const EdgeBatch<L>& batch) {
    job_.score.by_destination(batch, this->e_);
    for (Index r = 0; r < batch.count(); ++r) {
      const Real* record = job_.records + batch.row(r) * job_.record_stride;
      for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v) {
        store(this->maximum_.at(v), tile<L>(record));
        store(this->d_.at(v), tile<L>(record + L));
      }
    }
    this->exponentials(batch, Direction::in);
  }

  Lanes row(const EdgeBatch<L>& batch, Index r) {
    const Real* d_out = job_.d_out.data + batch.row(r) * job_.d_out.stride;
    dot_rows<L, false>(d_out, nullptr, batch.list(r), job_.values, job_.lanes, this->dots_, nullptr);
    this->fold_products(batch, r);
    return this->finish_row(batch, r);
  }
};

// d s_dst_i = Σ_j d argument_ij, in the order and chunks of the pass that it stands for.
template <int L>
void sum_edge_gradients(const GraphView& graph, const Real* d_argument, MatrixView d_destination,
                        const Execution& execution) {
  parallel_ranges(
      execution.num_threads, graph.num_destinations(),
      [&](Index i) { return (graph.in_edges_before(i) + 4 * i) * L / 4; },
      [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
          const Real* from = d_argument + graph.in_edges_before(i) * L;
          Index numbers = graph.in_edges(i).count * L;
          Lanes total{};
          while (numbers > 0) {
            const Index chunk = std::min(numbers, kChunkEdges * L);
            Lanes sum{};
            Index k = 0;
            for (; k + kLanes <= chunk; k += kLanes) sum = sum + load(from + k);
            if (k < chunk) sum = sum + load_first(from + k, chunk - k);
            total = total + fold_to_tile<AddLanes, L>(sum);
            from += chunk;
            numbers -= chunk;
          }
          store_tile<L>(d_destination.row(i), total);
        }
      });
}

// Per destination: g_i becomes g_i / Σ, and the record (max, D_i / Σ) is written.
template <int L>
void fold_softmax(const AttentionInput& input, const AttentionState& state, ConstMatrixView out,
                  MatrixView d_out, MatrixView records, const RowCallback& wanted) {
  const HeadLayout& layout = input.heads;
  const Index lanes = layout.group_width / kLanes;
  const auto fold_row = [&](Index i) {
    for (Index group = 0; group < layout.num_groups; ++group) {
      const Real* o = out.row(i) + group * layout.group_width;
      Real* g = d_out.row(i) + group * layout.group_width;
      const Lanes scale = tile<L>(state.inverse_sum.row(i) + group * L);
      Lanes dot{};
      for (Index v = 0; v < lanes; ++v) {
        const Lanes value = load(g + v * kLanes);
        dot = multiply_add(value, load(o + v * kLanes), dot);
        store(g + v * kLanes, value * scale);
      }
      const Lanes maximum = tile<L>(state.row_max.row(i) + group * L);
      const Lanes closed = all_lanes(-std::numeric_limits<Real>::infinity());
      Real* record = records.row(i) + group * 2 * L;
      store_tile<L>(record, select(equal(maximum, closed), Lanes{}, maximum));
      store_tile<L>(record + L, fold_to_tile<AddLanes, L>(dot) * scale);
    }
  };
  constexpr Index kRowsAtOnce = 32;
  const Index rows = out.rows;
  const Index block = sum_block_rows(rows);
  parallel_for(input.execution.num_threads, kSumBlocks, block * layout.width(),
               [&](Index begin, Index end, int) {
                 for (Index b = begin; b < end; ++b) {
                   const Index block_end = std::min((b + 1) * block, rows);
                   for (Index first = b * block; first < block_end; first += kRowsAtOnce) {
                     const Index last = std::min(first + kRowsAtOnce, block_end);
                     wanted(first, last);
                     for (Index i = first; i < last; ++i) fold_row(i);
                   }
                 }
               });
}

}  // namespace

void attention_backward(const AttentionInput& input, const GatScoreInput& score, const AttentionState& state,
                        ConstMatrixView out, MatrixView d_out, const GatScoreGradient& d_score,
                        const AttentionGradient& gradient, const RowCallback& wanted) {
  const HeadLayout& layout = input.heads;
  const GraphView& graph = input.graph;
  const Workspace::Scope scope(input.workspace);
  const bool functions = input.edges.log_prior.function != nullptr || input.edges.factor.function != nullptr;
  // A view whose edge ids are not places and that does not say the places is summed like an implicit graph.
  const GraphView::Arrays& arrays = graph.arrays();
  const bool places = graph.stored() && (arrays.in_edge_ids.empty() || !arrays.out_places.empty());
  const bool by_destination = functions || (!places && !d_score.destination.empty());
  const bool store_edges = !by_destination && !d_score.destination.empty();
  with_lanes(layout, [&](auto group_lanes) {
    constexpr int L = group_lanes;
    const MatrixView records = input.workspace.matrix(out.rows, layout.num_groups * 2 * L);
    fold_softmax<L>(input, state, out, d_out, records, wanted);
    const MatrixView edges = input.workspace.matrix(store_edges ? graph.num_edges() : 0, L);
    // Gradients of the values pass through memory that the worker writes anyway.
    AttentionGradient wanted_gradient = gradient;
    if (gradient.values.empty())
      wanted_gradient.values = input.workspace.matrix(graph.num_sources(), layout.width());
    for (Index group = 0; group < layout.num_groups; ++group) {
      const BackwardJob<L> job(input, score, d_score, wanted_gradient, d_out, records,
                               store_edges ? edges.data : nullptr, group);
      walk_rows<L, SourceWorker<L>>(OutRows{graph}, job, kLanes + layout.group_width,
                                    2 * work_per_edge(layout), input.execution, input.workspace);
      if (by_destination) {
        walk_rows<L, DestinationWorker<L>>(InRows{graph}, job, kLanes, work_per_edge(layout), input.execution,
                                           input.workspace);
      } else if (store_edges) {
        sum_edge_gradients<L>(graph, edges.data, d_score.destination.columns(group * L, L), input.execution);
      }
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
