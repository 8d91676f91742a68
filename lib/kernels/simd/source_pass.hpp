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
    if constexpr (Score::kSeparable) {
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
    }
    prepare(batch);
    for (Index r = 0; r < batch.count(); ++r) {
      const Index j = batch.row(r);
      const Lanes d = row(batch, r, job_.d_values.row(j), job_.d_keys.empty() ? nullptr : job_.d_keys.row(j));
      if (!job_.d_source.empty()) store_tile<L>(job_.d_source.row(j), d);
    }
    scatter(batch);
  }
  void chunk(const EdgeBatch<L>& batch, Real* partial) {
    if constexpr (Score::kSeparable) {
      if (job_.direct) {
        draw_factors(batch);
        for_lane_blocks(job_.lanes, [&](auto block, Index) {
          store(partial, direct_row<block>(batch, 0, partial + kLanes));
        });
        return;
      }
    }
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

  // \param d_key  null where no gradient of a key is wanted
  Lanes row(const EdgeBatch<L>& batch, Index r, Real* d_values, Real* d_key) {
    const Real* z = job_.values.data + batch.row(r) * job_.values.stride;
    dot_rows<L, true>(z, this->weights(batch.first_vector(r)), batch.list(r), job_.d_out, job_.lanes,
                      this->dots_, d_values);
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
      const EdgeId* place = places(run);
      const Real* from = this->d_argument_.at(batch.first_vector(r));
      for (Index k = 0; k < run.count; ++k) copy_numbers<L>(job_.d_argument + place[k] * L, from + k * L);
    }
  }
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
