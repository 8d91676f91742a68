/// Pair scores as the operator reads them, for one group of L heads.
///
///     t_ij = Σ_f term(q_i,f , k_j,f , a_f)        e_ij = logit(t_ij, n_i + n_j)
///
/// A term is symmetric in query and key, so one loop serves both directions: the row that all edges of a
/// row share is its *own* row, the gathered ones are the *others*. Backward needs de_ij once more and
/// pushes it back: d_own += Σ de · ∂logit/∂t · ∂term/∂own. The loops are compiled once per score and L
/// and called once per batch of rows (`PairLoops`), so the operator around them is compiled once.
#pragma once

#include <cmath>

#include "kernels/simd/edge_rows.hpp"
#include "kernels/simd/edge_terms.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// What the loops of a pair score read, for one group.
template <int L>
struct PairJob {
  GatherSource queries, keys;
  Index lanes;         ///< vectors per row
  const Real* vector;  ///< parameter per feature, or null
  Lanes scale, slope;
  ConstMatrixView query_numbers, key_numbers;  ///< L columns, or empty
  EdgeRows edge_rows;                          ///< what edges add to keys
  const CustomScore* custom;
  const GraphView* graph;
  Index first_head, heads;

  const GatherSource& own(Direction d) const { return d == Direction::in ? queries : keys; }
  const GatherSource& others(Direction d) const { return d == Direction::in ? keys : queries; }
  ConstMatrixView own_numbers(Direction d) const { return d == Direction::in ? query_numbers : key_numbers; }
  ConstMatrixView other_numbers(Direction d) const {
    return d == Direction::in ? key_numbers : query_numbers;
  }
};

/// What one thread keeps between the logits of a batch and their gradients.
template <int L>
struct PairBuffers {
  EdgeBuffer totals, numbers;
  alignas(64) Real dots[(kChunkEdges + kLanes) * kLanes];
};

/// Where `push` writes; null = not wanted. Rows of one group.
struct PairGradient {
  Real* own = nullptr;                   ///< overwritten
  Real* vector = nullptr;                ///< of the parameter per feature, added to
  EdgeRowGradient* edge_rows = nullptr;  ///< in direction `in` only
};

/// The loops of one score.
template <int L>
struct PairLoops {
  /// e of the edges of a batch, padding −∞.
  void (*logits)(const PairJob<L>&, const EdgeBatch<L>&, Direction, PairBuffers<L>&, EdgeBuffer& e);
  /// Gradients of row r from d_e, after `logits` of the same batch. \return the gradient of the row's own
  /// number
  Lanes (*push)(const PairJob<L>&, const EdgeBatch<L>&, Index r, Direction, PairBuffers<L>&,
                const EdgeBuffer& d_e, const PairGradient&);
  /// The gradient of the key that row r of a batch of out-edges belongs to, overwritten, from ∂/∂t of the
  /// row's edges, L numbers each: without logits, the rows of the queries are read once. Null = not from
  /// these alone.
  void (*push_stored)(const PairJob<L>&, const EdgeBatch<L>&, Index r, const Real* d_total, Real* d_key);
  /// Whether so much is computed on a row that it is better fetched into the first-level cache than early.
  bool is_costly;
};

template <int L>
class PairScore {
 public:
  static constexpr bool kSeparable = false;
  using Buffers = PairBuffers<L>;

  PairScore(const ScoreInput& input, const AttentionInput& attention, Index group, const PairLoops<L>& loops)
      : loops_(loops),
        wide_too_(!attention.graph.is_local() && !loops.is_costly &&
                  input.keys.data != attention.values.data),
        job_{rows_of(input.queries, input.query_heads, group, wide_too_),
             rows_of(input.keys, input.key_heads, group, wide_too_),
             input.key_heads.group_width / kLanes,
             nullptr,
             all_lanes(Real(1) / std::sqrt(static_cast<Real>(input.key_heads.head_dim))),
             all_lanes(static_cast<Real>(input.negative_slope)),
             numbers_of(input.destination, group),
             numbers_of(input.source, group),
             EdgeRows(attention.edge_features, input.edge_weight, input.key_heads, group),
             input.custom,
             &attention.graph,
             group * L,
             attention.heads.heads_in(group)} {
    // A parameter with one number per feature is the only one that is read edge by edge.
    if (!input.parameters.empty())
      job_.vector = input.parameters[0].data + group * input.key_heads.group_width;
  }

  const PairJob<L>& job() const { return job_; }
  void by_destination(const EdgeBatch<L>& batch, Buffers& buffers, EdgeBuffer& e) const {
    loops_.logits(job_, batch, Direction::in, buffers, e);
  }
  void by_source(const EdgeBatch<L>& batch, const GatherSource&, Buffers& buffers, EdgeBuffer& e) const {
    loops_.logits(job_, batch, Direction::out, buffers, e);
  }
  Lanes push(const EdgeBatch<L>& batch, Index r, Direction direction, Buffers& buffers, const EdgeBuffer& d_e,
             const PairGradient& gradient) const {
    return loops_.push(job_, batch, r, direction, buffers, d_e, gradient);
  }
  void push_stored(const EdgeBatch<L>& batch, Index r, const Real* d_total, Real* d_key) const {
    loops_.push_stored(job_, batch, r, d_total, d_key);
  }
  bool is_plain() const { return false; }
  /// Not on a local graph, as for separable scores; nor where much is computed on a row, or where it is soon
  /// read again for the sum.
  bool wide_too() const { return wide_too_; }
  GAT_INLINE Lanes slope(const Lanes&) const { return all_lanes(1); }

 private:
  static GatherSource rows_of(ConstMatrixView rows, const HeadLayout& layout, Index group, bool wide_too) {
    if (rows.empty()) return {nullptr, 0, {}};
    return {rows.data + group * layout.group_width, rows.stride, ahead_of(rows.rows, rows.cols, wide_too)};
  }
  static ConstMatrixView numbers_of(ConstMatrixView numbers, Index group) {
    return numbers.empty() ? numbers : numbers.columns(group * L, L);
  }

  PairLoops<L> loops_;
  bool wide_too_;
  PairJob<L> job_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
