/// The pass of backward over the out-edges of every source. The maths is in the public header.
#pragma once

#include "kernels/simd/edge_gradients.hpp"
#include "kernels/simd/row_walk.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Everything that belongs to one source, over its out-edges: dv_j and d s_src_j. Also what belongs to
/// one edge. Partial results of a long row: sixteen lanes of d s_src, dv, and dk of pair scores.
template <int L, class Score>
class SourceWorker : EdgeGradients<L, Score> {
 public:
  using Base = EdgeGradients<L, Score>;
  explicit SourceWorker(const BackwardJob<L, Score>& job) : Base(job) {}

  using Base::most_edges;
  void rows(const EdgeBatch<L>& batch) {
    prepare(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Index j = batch.row(r);
      const Lanes d = row(batch, r, job_.d_values.row(j), job_.d_keys.empty() ? nullptr : job_.d_keys.row(j));
      if (!job_.d_source.empty()) store_tile<L>(job_.d_source.row(j), d);
    }
    scatter(batch);
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    prepare(batch);
    store(partial,
          row(batch, 0, partial + kLanes, job_.d_keys.empty() ? nullptr : partial + kLanes + job_.width));
    scatter(batch);
  }
  void merge(Real* total, const Real* part) const {
    for (Index v = 0; v <= job_.lanes + job_.d_keys.cols / kLanes; ++v)
      store(total + v * kLanes, load(total + v * kLanes) + load(part + v * kLanes));
  }
  void finish(Index j, const Real* total) const {
    if (!job_.d_source.empty()) store_tile<L>(job_.d_source.row(j), load(total));
    std::copy_n(total + kLanes, job_.width, job_.d_values.row(j));
    if (!job_.d_keys.empty()) std::copy_n(total + kLanes + job_.width, job_.d_keys.cols, job_.d_keys.row(j));
  }

 private:
  using Base::job_;

  void prepare(const EdgeBatch<L>& batch) {
    job_.score.by_source(batch, job_.records, this->buffers_, this->e_);
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      Real* maximum = this->maximum_.at(batch.first_vector(r));
      Real* d = this->d_.at(batch.first_vector(r));
      const EdgeId* place = job_.d_argument == nullptr ? nullptr : places_of(batch.run(r));
      for (Index k = 0; k < list.count; ++k) {
        // A separable score has fetched the records with its numbers.
        if constexpr (!Score::kSeparable) prefetch_numbers<3 * L>(list, job_.records, k, 1);
        const Real* record = job_.records.data + list.ids[k] * job_.records.stride;
        copy_numbers<L>(maximum + k * L, record + L);
        copy_numbers<L>(d + k * L, record + 2 * L);
        // What `scatter` will write.
        if (place != nullptr) __builtin_prefetch(job_.d_argument + place[k] * L, 1);
      }
    }
    batch.fill_padding(this->maximum_, 0);
    batch.fill_padding(this->d_, 0);
    this->exponentials(batch, Direction::out);
  }

  // Where the edges of a row stand among the in-edges.
  const EdgeId* places_of(const EdgeRow& run) const {
    return job_.places() + (run.nodes - job_.input.graph.arrays().out_destinations.data());
  }

  Lanes row(const EdgeBatch<L>& batch, Index r, Real* d_values, Real* d_key) {
    this->template multiply_rows<true>(batch, r, d_values);
    if (job_.edge_rows.given()) this->dot_edge_rows(batch, r, Direction::out);
    this->fold_products(batch, r);
    const Lanes d = this->finish_row(batch, r);
    if constexpr (Score::kSeparable) return d;
    else return job_.score.push(batch, r, Direction::out, this->buffers_, this->d_argument_, {.own = d_key});
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
      const EdgeId* place = places_of(run);
      const Real* from = this->d_argument_.at(batch.first_vector(r));
      for (Index k = 0; k < run.count; ++k) copy_numbers<L>(job_.d_argument + place[k] * L, from + k * L);
    }
  }
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
