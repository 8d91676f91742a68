// The attention operator, backward. The maths is in the public header; a simple version is in
// tests/kernels/attention_reference.hpp.
#include <algorithm>
#include <limits>

#include "gat/kernels/attention.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/edge_gradients.hpp"
#include "kernels/simd/row_walk.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// Everything that belongs to one source, over its out-edges: dv_j and d s_src_j. Also what belongs to
// one edge. Partial results of a long row: sixteen lanes of d s_src, and dv.
template <int L>
class SourceWorker : EdgeGradients<L> {
 public:
  using Base = EdgeGradients<L>;
  explicit SourceWorker(const BackwardJob<L>& job) : Base(job) {}

  void rows(const EdgeBatch<L>& batch) {
    if (job_.direct) {
      draw_factors(batch);
      for_lane_blocks(job_.lanes, [&](auto block, Index) {
        for (Index r = 0; r < batch.count(); ++r) {
          const Lanes d = direct_row<block>(batch, r, job_.d_values.row(batch.row(r)));
          if (!job_.d_source.empty()) store_tile<L>(job_.d_source.row(batch.row(r)), d);
        }
      });
      return;
    }
    prepare(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Index j = batch.row(r);
      const Lanes d = row(batch, r, job_.d_values.row(j));
      if (!job_.d_source.empty()) store_tile<L>(job_.d_source.row(j), d);
    }
    scatter(batch);
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    if (job_.direct) {
      draw_factors(batch);
      for_lane_blocks(job_.lanes, [&](auto block, Index) {
        store(partial, direct_row<block>(batch, 0, partial + kLanes));
      });
      return;
    }
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
    job_.score.by_source(batch, job_.records, this->e_);
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      Real* maximum = this->maximum_.at(batch.first_vector(r));
      Real* d = this->d_.at(batch.first_vector(r));
      for (Index k = 0; k < list.count; ++k) {
        const Real* record = job_.records.data + list.ids[k] * job_.records.stride;
        copy_numbers<L>(maximum + k * L, record + L);
        copy_numbers<L>(d + k * L, record + 2 * L);
      }
    }
    batch.fill_padding(this->maximum_, 0);
    batch.fill_padding(this->d_, 0);
    this->exponentials(batch, Direction::out);
  }

  // One row of a plain graph edge by edge: nothing is stored between score and gradients.
  template <int R>
  GAT_INLINE Lanes direct_row(const EdgeBatch<L>& batch, Index r, Real* d_values) {
    const GatherList list = batch.list(r);
    const GatherSource& records = job_.records;
    const Index j = batch.row(r);
    const Real* z = job_.values.data + j * job_.values.stride;
    const Lanes own = job_.score.of_source(j);
    const Real* factors = job_.terms.has_weights() ? this->factor_.at(batch.first_vector(r)) : nullptr;
    const EdgeId* place = job_.d_argument == nullptr ? nullptr : places(batch.run(r));
    Lanes d_source{};
    Lanes sum[R] = {};
    const auto edge = [&](Index k, const Real* row) {
      const Real* record = records.data + list.ids[k] * records.stride;
      const Lanes e = job_.score.value(tile<L>(record) + own);
      const Lanes p = exp_of_negative(e - tile<L>(record + L));
      const Lanes factor = factors == nullptr ? all_lanes(1) : tile<L>(factors + k * L);
      const Lanes weight = p * factor;
      Lanes even{}, odd{};
#pragma GCC unroll 16
      for (int v = 0; v < R; ++v) {
        const Lanes value = load(row + v * kLanes);
        Lanes& dot = v % 2 == 0 ? even : odd;
        dot = multiply_add(load(z + v * kLanes), value, dot);
        sum[v] = multiply_add(weight, value, sum[v]);
      }
      const Lanes product = rounded(fold_to_tile<AddLanes, L>(even + odd) * factor);
      const Lanes d = rounded(p * (product - tile<L>(record + 2 * L)) * job_.score.slope(e));
      if (place != nullptr) store_tile<L>(job_.d_argument + place[k] * L, d);
      d_source = d_source + d;
    };
    for_gathered<R>(list, job_.d_out, edge);
#pragma GCC unroll 16
    for (int v = 0; v < R; ++v) store(d_values + v * kLanes, sum[v]);
    return d_source;
  }
  void draw_factors(const EdgeBatch<L>& batch) {
    if (job_.terms.has_weights()) job_.terms.weights(batch, Direction::out, this->factor_);
  }

  // Where each of a row's edges stands among the in-edges.
  const EdgeId* places(const EdgeRow& run) const {
    const GraphView::Arrays& arrays = job_.input.graph.arrays();
    const auto& all = arrays.out_places.empty() ? arrays.out_edge_ids : arrays.out_places;
    return all.data() + (run.nodes - arrays.out_destinations.data());
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
    for (Index r = 0; r < batch.count(); ++r) {
      const EdgeRow& run = batch.run(r);
      const EdgeId* place = places(run);
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
      const Real* record = job_.records.data + batch.row(r) * job_.records.stride;
      for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v) {
        store(this->maximum_.at(v), tile<L>(record + L));
        store(this->d_.at(v), tile<L>(record + 2 * L));
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

// Per destination: g_i becomes g_i / Σ, and the record (score, max, D_i / Σ) is written.
template <int L>
void fold_softmax(const AttentionInput& input, ConstMatrixView scores, const AttentionState& state,
                  ConstMatrixView out, MatrixView d_out, MatrixView records, const RowCallback& wanted) {
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
      Real* record = records.row(i) + group * 3 * L;
      store_tile<L>(record, scores.empty() ? Lanes{} : tile<L>(scores.row(i) + group * L));
      store_tile<L>(record + L, select(equal(maximum, closed), Lanes{}, maximum));
      store_tile<L>(record + 2 * L, fold_to_tile<AddLanes, L>(dot) * scale);
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
    const MatrixView records = input.workspace.matrix(out.rows, layout.num_groups * 3 * L);
    fold_softmax<L>(input, score.destination, state, out, d_out, records, wanted);
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
