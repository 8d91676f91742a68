/// The pass of backward over the in-edges of every destination, and the sum that stands for it where the
/// other pass stored a gradient per edge.
#pragma once

#include "kernels/simd/edge_gradients.hpp"
#include "kernels/simd/row_walk.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// The gradient of a score's parameter per feature is summed over so many destinations at a time, by one
/// thread; those of long rows apart, since they may come after all others.
inline constexpr Index kRowsPerVectorSum = 32;
/// Of so many destinations; sums of short rows first.
inline Index vector_sums(Index rows) { return 2 * ((rows + kRowsPerVectorSum - 1) / kRowsPerVectorSum); }

/// What belongs to one destination, over its in-edges, where nothing per edge is stored: d s_dst_i, the
/// gradients of functions, and of pair scores dq_i, their parameter per feature and what edges add to rows.
/// Partial results of a long row: sixteen lanes of d s_dst, dq, and the parameter's gradient.
template <int L, class Score>
class DestinationWorker : EdgeGradients<L, Score> {
 public:
  using Base = EdgeGradients<L, Score>;
  // A job, and where the gradients of edge rows go; null = not wanted.
  struct Job {
    const BackwardJob<L, Score>& backward;
    EdgeRowGradient* key_rows = nullptr;
    EdgeRowGradient* value_rows = nullptr;
  };
  explicit DestinationWorker(const Job& job) : Base(job.backward), edge_job_(job) {}

  using Base::most_edges;
  void rows(const EdgeBatch<L>& batch) {
    prepare(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Index i = batch.row(r);
      const Lanes d =
          row(batch, r, job_.d_queries.empty() ? nullptr : job_.d_queries.row(i), vector_sum(i, 0));
      if (!job_.d_destination.empty()) store_tile<L>(job_.d_destination.row(i), d);
    }
    this->term_gradients(batch, Direction::in, true);
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    prepare(batch);
    Real* d_vector = job_.d_vector.empty() ? nullptr : partial + kLanes + job_.d_queries.cols;
    std::fill_n(d_vector, job_.d_vector.cols, Real(0));
    store(partial, row(batch, 0, job_.d_queries.empty() ? nullptr : partial + kLanes, d_vector));
    this->term_gradients(batch, Direction::in, true);
  }
  void merge(Real* total, const Real* part) const {
    for (Index c = 0; c < kLanes + job_.d_queries.cols + job_.d_vector.cols; c += kLanes)
      store(total + c, load(total + c) + load(part + c));
  }
  void finish(Index i, const Real* total) const {
    if (!job_.d_destination.empty()) store_tile<L>(job_.d_destination.row(i), load(total));
    if (!job_.d_queries.empty()) std::copy_n(total + kLanes, job_.d_queries.cols, job_.d_queries.row(i));
    Real* d_vector = vector_sum(i, 1);
    const Real* of_row = total + kLanes + job_.d_queries.cols;
    for (Index c = 0; c < job_.d_vector.cols; c += kLanes)
      store(d_vector + c, load(d_vector + c) + load(of_row + c));
  }

 private:
  using Base::job_;

  // Where the gradient of the parameter per feature is summed for row i; kind 1 = long rows.
  Real* vector_sum(Index i, Index kind) const {
    if (job_.d_vector.empty()) return nullptr;
    return job_.d_vector.row(kind * (job_.d_vector.rows / 2) + i / kRowsPerVectorSum);
  }

  void prepare(const EdgeBatch<L>& batch) {
    job_.score.by_destination(batch, this->buffers_, this->e_);
    for (Index r = 0; r < batch.count(); ++r) {
      const Real* record = job_.records.data + batch.row(r) * job_.records.stride;
      for (Index v = batch.first_vector(r); v < batch.last_vector(r); ++v) {
        store(this->maximum_.at(v), tile<L>(record + L));
        store(this->d_.at(v), tile<L>(record + 2 * L));
      }
    }
    this->exponentials(batch, Direction::in);
  }

  Lanes row(const EdgeBatch<L>& batch, Index r, Real* d_query, Real* d_vector) {
    if (job_.edge_rows.given()) this->dot_edge_rows(batch, r, Direction::in);
    else this->template multiply_rows<false>(batch, r, nullptr);
    this->fold_products(batch, r);
    const Lanes d = this->finish_row(batch, r);
    if (edge_job_.value_rows != nullptr) add_value_rows(batch, r);
    if constexpr (Score::kSeparable) {
      return d;
    } else {
      const Lanes d_number =
          job_.score.push(batch, r, Direction::in, this->buffers_, this->d_argument_,
                          {.own = d_query, .vector = d_vector, .edge_rows = edge_job_.key_rows});
      if (job_.pair_edges != nullptr) store_pairs(batch, r);
      return d_number;
    }
  }

  // What the pass over sources needs of the row's edges.
  void store_pairs(const EdgeBatch<L>& batch, Index r) {
    const EdgeRow& run = batch.run(r);
    const Real* weights = this->weights(batch.first_vector(r));
    const Real* d_total = this->buffers_.totals.at(batch.first_vector(r));
    Real* to = job_.pair_edges + (run.nodes - job_.input.graph.arrays().in_sources.data()) * 2 * L;
    for (Index k = 0; k < run.count; ++k, to += 2 * L) {
      copy_numbers<L>(to, weights + k * L);
      copy_numbers<L>(to + L, d_total + k * L);
    }
  }

  // d (W_v x_ij) = p c m g_i
  void add_value_rows(const EdgeBatch<L>& batch, Index r) {
    const Real* d_out = job_.d_out.data + batch.row(r) * job_.d_out.stride;
    const EdgeRow& run = batch.run(r);
    const Real* weights = this->weights(batch.first_vector(r));
    for (Index k = 0; k < run.count; ++k) {
      for (Index v = 0; v < job_.lanes; ++v) {
        edge_job_.value_rows->add(job_.edge_rows, run.edge(k), v,
                                  tile<L>(weights + k * L) * load(d_out + v * kLanes));
      }
    }
  }

  Job edge_job_;
};

/// d s_dst_i = Σ_j d argument_ij, in the order and chunks of the pass that it stands for.
template <int L>
void sum_edge_gradients(const GraphView& graph, const Real* d_argument, MatrixView d_destination,
                        const Execution& execution) {
  constexpr Index kAhead = 32;
  const std::span<const EdgeSlot> slots = graph.arrays().in_slots;
  const bool by_slot = has_slots(graph);
  parallel_ranges(
      execution.num_threads, graph.num_destinations(),
      [&](Index i) { return graph.in_edges_before(i) * L / 4 + 8 * i; },
      [&](Index begin, Index end, int) {
        alignas(64) Real in_order[kChunkEdges * L];
        // The gradients of `count` edges from `edge` on, in order.
        const auto gradients = [&](Index edge, Index count) -> const Real* {
          if (!by_slot) return d_argument + edge * L;
          const EdgeSlot* slot = slots.data() + edge;
          const Index known = static_cast<Index>(slots.size()) - edge;
          for (Index k = 0; k < count; ++k) {
            if (k + kAhead < known) __builtin_prefetch(d_argument + Index(slot[k + kAhead]) * L);
            copy_numbers<L>(in_order + k * L, d_argument + Index(slot[k]) * L);
          }
          return in_order;
        };
        for (Index i = begin; i < end; ++i) {
          const Index end_of_row = graph.in_edges_before(i + 1);
          Lanes total{};
          for (Index edge = graph.in_edges_before(i); edge < end_of_row; edge += kChunkEdges) {
            const Index count = std::min(kChunkEdges, end_of_row - edge);
            const Real* from = gradients(edge, count);
            Lanes sum{};
            Index n = 0;
            for (; n + kLanes <= count * L; n += kLanes) sum = sum + load(from + n);
            if (n < count * L) sum = sum + load_first(from + n, count * L - n);
            total = total + fold_to_tile<AddLanes, L>(sum);
          }
          store_tile<L>(d_destination.row(i), total);
        }
      });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
