/// What is known about edges besides the score, for one group of L heads: mask, log-prior and factor.
///
/// These are read edge by edge and head by head; a graph without them skips all of it.
#pragma once

#include <algorithm>

#include "kernels/simd/edge_batch.hpp"
#include "kernels/simd/flat_batch.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// The direction of a batch: whose edges its rows hold.
enum class Direction { in, out };

template <int L>
class GroupTerms {
 public:
  GroupTerms(const AttentionInput& input, Index group)
      : graph_(input.graph),
        terms_(input.edges),
        num_heads_(input.heads.num_heads),
        first_head_(group * L),
        heads_(input.heads.heads_in(group)),
        dropout_(input.dropout),
        selected_(input.selected) {}

  bool has_logit_terms() const {
    return !terms_.mask.empty() || terms_.log_prior.given() || (selected_.given() && !has_advantage());
  }
  bool has_advantage() const { return !selected_.advantage.empty(); }
  /// Nothing but dropout, if that.
  bool is_plain() const { return !has_logit_terms() && !terms_.factor.given(); }
  bool has_weights() const { return dropout_.active() || terms_.factor.given(); }
  const EdgeTerms& terms() const { return terms_; }
  Index first_head() const { return first_head_; }
  Index heads() const { return heads_; }

  /// e += log-prior; −∞ where the mask closes an edge or the selection leaves it out.
  void add_to_logits(const EdgeBatch<L>& batch, Direction direction, EdgeBuffer& e) const {
    for_each(
        batch, direction,
        [&](Index i, Index j, EdgeId edge, Real* numbers) {
          const bool closed = !terms_.mask.empty() && terms_.mask[static_cast<std::size_t>(edge)] == 0;
          for (Index h = 0; h < L; ++h) {
            if (closed) numbers[h] = -std::numeric_limits<Real>::infinity();
            else if (h < heads_ && terms_.log_prior.given())
              numbers[h] += value(terms_.log_prior, i, j, edge, h);
          }
        },
        e);
    if (!selected_.given() || has_advantage()) return;
    for_each_selectable(batch, direction, [&](Index i, const EdgeRow& run, Index k, Index at) {
      for (Index h = 0; h < heads_; ++h) {
        Real& number = e.numbers[at + h];
        if (!is_selected(direction, i, run, k, h, number)) number = -std::numeric_limits<Real>::infinity();
      }
    });
  }

  /// The advantage of the destination for selected edges, 0 for others. \pre has_advantage()
  void advantages(const EdgeBatch<L>& batch, Direction direction, const EdgeBuffer& e,
                  EdgeBuffer& out) const {
    for (Index v = 0; v < batch.vectors(); ++v) store(out.at(v), Lanes{});
    for_each_selectable(batch, direction, [&](Index i, const EdgeRow& run, Index k, Index at) {
      for (Index h = 0; h < heads_; ++h) {
        if (e.numbers[at + h] != -std::numeric_limits<Real>::infinity() &&
            is_selected(direction, i, run, k, h, e.numbers[at + h]))
          out.numbers[at + h] = selected_.advantage(i, 0);
      }
    });
  }

  /// c · m of every edge and head. \pre has_weights()
  void weights(const EdgeBatch<L>& batch, Direction direction, EdgeBuffer& w) const {
    if (dropout_.active()) {
      edge_factors<L>(batch, dropout_, num_heads_, first_head_, heads_, w);
    } else {
      for (Index v = 0; v < batch.vectors(); ++v) store(w.at(v), all_lanes(1));
    }
    if (!terms_.factor.given()) return;
    for_each(
        batch, direction,
        [&](Index i, Index j, EdgeId edge, Real* numbers) {
          for (Index h = 0; h < heads_; ++h) numbers[h] *= value(terms_.factor, i, j, edge, h);
        },
        w);
  }
  /// c alone.
  void dropout_factors(const EdgeBatch<L>& batch, EdgeBuffer& c) const {
    if (dropout_.active()) edge_factors<L>(batch, dropout_, num_heads_, first_head_, heads_, c);
    else
      for (Index v = 0; v < batch.vectors(); ++v) store(c.at(v), all_lanes(1));
  }

  /// c of plain terms. \pre has_weights()
  void dropout_factors(const FlatBatch<L>& batch, FlatBuffer<L>& c) const {
    flat_factors<L>(batch, dropout_, num_heads_, first_head_, heads_, c);
  }

  /// Calls visit(destination, source, edge id, numbers of the edge) for every edge of a batch.
  template <class Visit>
  void for_each(const EdgeBatch<L>& batch, Direction direction, const Visit& visit,
                EdgeBuffer& buffer) const {
    for (Index r = 0; r < batch.count(); ++r) {
      const EdgeRow& run = batch.run(r);
      Real* numbers = buffer.at(batch.first_vector(r));
      for (Index k = 0; k < run.count; ++k) {
        const Index other = run.node(k);
        const bool in = direction == Direction::in;
        visit(in ? batch.row(r) : other, in ? other : batch.row(r), run.edge(k), numbers + k * L);
      }
    }
  }

  /// The value of a term for head h of this group.
  Real value(const EdgeTerm& term, Index i, Index j, EdgeId edge, Index h) const {
    const Index head = first_head_ + h;
    if (!term.array.empty()) return term.array(edge, term.array.cols == 1 ? 0 : head);
    return term.function->value(static_cast<NodeId>(graph_.global_destination(i)),
                                static_cast<NodeId>(graph_.global_source(j)), static_cast<int>(head));
  }
  /// Gives a term its gradient: to the array, or to the function.
  void add_gradient(const EdgeTerm& term, MatrixView array, Index i, Index j, EdgeId edge, Index h,
                    Real d) const {
    const Index head = first_head_ + h;
    if (!term.array.empty()) {
      if (!array.empty()) array(edge, array.cols == 1 ? 0 : head) += d;
    } else if (term.function != nullptr) {
      term.function->add_gradient(static_cast<NodeId>(graph_.global_destination(i)),
                                  static_cast<NodeId>(graph_.global_source(j)), static_cast<int>(head), d);
    }
  }

 private:
  // Calls visit(destination, run, place in the run, first number) for every edge of a batch.
  template <class Visit>
  void for_each_selectable(const EdgeBatch<L>& batch, Direction direction, const Visit& visit) const {
    for (Index r = 0; r < batch.count(); ++r) {
      const EdgeRow& run = batch.run(r);
      const Index first = batch.first_vector(r) * kLanes;
      for (Index k = 0; k < run.count; ++k)
        visit(direction == Direction::in ? batch.row(r) : Index(run.node(k)), run, k, first + k * L);
    }
  }

  bool is_selected(Direction direction, Index i, const EdgeRow& run, Index k, Index h, Real e) const {
    const Index head = first_head_ + h;
    const Real threshold = selected_.threshold(i, head);
    const auto last = static_cast<Index>(selected_.last(i, head));
    if (threshold != threshold) return place_in_row(direction, i, run, k) == last;
    if (e != threshold) return !(e < threshold);
    if (selected_.order.empty()) return place_in_row(direction, i, run, k) <= last;
    const auto order = [&](EdgeId edge) { return selected_.order[static_cast<std::size_t>(edge)]; };
    return last >= 0 && order(run.edge(k)) <= order(graph_.in_edges(i).edge(last));
  }

  // Where edge k of a run stands among the in-edges of destination i.
  Index place_in_row(Direction direction, Index i, const EdgeRow& run, Index k) const {
    const GraphView::Arrays& arrays = graph_.arrays();
    if (!graph_.stored()) return run.edge(k) - graph_.in_edges(i).first_edge;
    const Index before = graph_.in_edges_before(i);
    if (arrays.in_edge_ids.empty()) return run.edge(k) - before;
    if (direction == Direction::in) return run.nodes + k - arrays.in_sources.data() - before;
    if (!arrays.out_places.empty())
      return arrays.out_places[static_cast<std::size_t>(run.nodes + k - arrays.out_destinations.data())] -
             before;
    const EdgeRow row = graph_.in_edges(i);
    return std::find(row.edges, row.edges + row.count, run.edge(k)) - row.edges;
  }

  const GraphView& graph_;
  const EdgeTerms& terms_;
  Index num_heads_, first_head_, heads_;
  DropoutMask dropout_;
  const SelectedEdges& selected_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
