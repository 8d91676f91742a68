/// The pass of backward over the out-edges of every source. The maths is in the public header.
#pragma once

#include "kernels/simd/edge_gradients.hpp"
#include "kernels/simd/row_walk.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// Where the results of a source go. Partial results of a long row: sixteen lanes of d s_src, dv, and dk of
/// pair scores.
template <int L, class Score>
struct SourceResults {
  const BackwardJob<L, Score>& job;

  void merge(Real* total, const Real* part) const {
    for (Index v = 0; v <= job.lanes + job.d_keys.cols / kLanes; ++v)
      store(total + v * kLanes, load(total + v * kLanes) + load(part + v * kLanes));
  }
  void finish(Index j, const Real* total) const {
    store_number(j, load(total));
    std::copy_n(total + kLanes, job.width, job.d_values.row(j));
    if (!job.d_keys.empty()) std::copy_n(total + kLanes + job.width, job.d_keys.cols, d_key(j));
  }
  void store_number(Index j, const Lanes& d) const {
    if (!job.d_source.empty()) store_tile<L>(job.d_source.row(j), d);
  }
  Real* d_key(Index j) const { return job.d_keys.empty() ? nullptr : job.d_keys.row(j); }
  Real* d_key(Real* partial) const { return job.d_keys.empty() ? nullptr : partial + kLanes + job.width; }
};

/// Everything that belongs to one source, over its out-edges: dv_j, d s_src_j and dk_j. Also what belongs
/// to one edge.
template <int L, class Score>
class SourceWorker : EdgeGradients<L, Score> {
 public:
  using Base = EdgeGradients<L, Score>;
  explicit SourceWorker(const BackwardJob<L, Score>& job) : Base(job), results_{job} {}

  using Base::most_edges;
  void rows(const EdgeBatch<L>& batch) {
    prepare(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Index j = batch.row(r);
      results_.store_number(j, row(batch, r, job_.d_values.row(j), results_.d_key(j)));
    }
    scatter(batch);
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    prepare(batch);
    store(partial, row(batch, 0, partial + kLanes, results_.d_key(partial)));
    scatter(batch);
  }
  void merge(Real* total, const Real* part) const { results_.merge(total, part); }
  void finish(Index j, const Real* total) const { results_.finish(j, total); }

 private:
  using Base::job_;

  void prepare(const EdgeBatch<L>& batch) {
    // `row` of the batch before has fetched the records.
    GatherSource records = job_.records;
    records.ahead = {};
    job_.score.by_source(batch, records, this->buffers_, this->e_);
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      Real* maximum = this->maximum_.at(batch.first_vector(r));
      Real* d = this->d_.at(batch.first_vector(r));
      const bool stores = job_.d_argument != nullptr;
      const auto places = job_.argument_places(stores ? job_.first_out_edge(batch.run(r)) : 0);
      for (Index k = 0; k < list.count; ++k) {
        const Real* record = job_.records.data + list.ids[k] * job_.records.stride;
        copy_numbers<L>(maximum + k * L, record + L);
        copy_numbers<L>(d + k * L, record + 2 * L);
        // What `scatter` will write.
        if (stores) __builtin_prefetch(places[k], 1);
      }
    }
    batch.fill_padding(this->maximum_, 0);
    batch.fill_padding(this->d_, 0);
    this->exponentials(batch, Direction::out);
  }

  Lanes row(const EdgeBatch<L>& batch, Index r, Real* d_values, Real* d_key) {
    if (job_.records.ahead.rows > 0)
      fetch_later<record_numbers(L)>(batch.list(r), job_.records, batch.edges());
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
      const auto places = job_.argument_places(job_.first_out_edge(run));
      const Real* from = this->d_argument_.at(batch.first_vector(r));
      for (Index k = 0; k < run.count; ++k) copy_numbers<L>(places[k], from + k * L);
    }
  }

  SourceResults<L, Score> results_;
};

/// The same of a pair score where the pass over in-edges has stored what this one needs per edge: sums of
/// rows, dv_j = Σ_i w_ij g_i and dk_j.
template <int L, class Score>
class StoredSourceWorker {
 public:
  explicit StoredSourceWorker(const BackwardJob<L, Score>& job) : job_(job), results_{job} {}

  Index most_edges() const { return kBatchNumbers; }
  void rows(const EdgeBatch<L>& batch) {
    take(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      sum_values(batch, r, job_.d_values.row(batch.row(r)));
      results_.store_number(batch.row(r), Lanes{});
    }
    for (Index r = 0; r < batch.count(); ++r) push(batch, r, results_.d_key(batch.row(r)));
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    take(batch);
    store(partial, Lanes{});
    sum_values(batch, 0, partial + kLanes);
    push(batch, 0, results_.d_key(partial));
  }
  void merge(Real* total, const Real* part) const { results_.merge(total, part); }
  void finish(Index j, const Real* total) const { results_.finish(j, total); }

 private:
  void take(const EdgeBatch<L>& batch) {
    constexpr Index kAhead = 32;
    for (Index r = 0; r < batch.count(); ++r) {
      const GatherList list = batch.list(r);
      const EdgeId* place = job_.places_of(batch.run(r));
      Real* weight = weights_.at(batch.first_vector(r));
      Real* d_total = d_totals_.at(batch.first_vector(r));
      for (Index k = 0; k < list.count; ++k) {
        if (k + kAhead < list.known) __builtin_prefetch(job_.pair_edges + place[k + kAhead] * 2 * L);
        const Real* from = job_.pair_edges + place[k] * 2 * L;
        copy_numbers<L>(weight + k * L, from);
        copy_numbers<L>(d_total + k * L, from + L);
      }
    }
  }
  void sum_values(const EdgeBatch<L>& batch, Index r, Real* d_values) {
    sum_rows<L>(weights_.at(batch.first_vector(r)), batch.list(r), job_.d_out, job_.lanes, all_lanes(1),
                d_values);
  }
  void push(const EdgeBatch<L>& batch, Index r, Real* d_key) {
    if (d_key != nullptr) job_.score.push_stored(batch, r, d_totals_.at(batch.first_vector(r)), d_key);
  }

  const BackwardJob<L, Score>& job_;
  SourceResults<L, Score> results_;
  EdgeBuffer weights_, d_totals_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
