/// The attention operator for separable scores, forward and backward; compiled once per score.
#pragma once

#include <cmath>
#include <limits>

#include "kernels/row_reduction.hpp"

namespace gat::inline GAT_PRECISION {

/// Where the gradients of a separable score's three numbers go; empty = not wanted.
struct SeparableGradient {
  MatrixView source, destination, edge;
};

template <class Score>
class SeparableAttention {
 public:
  SeparableAttention(const AttentionInput& input, const Score& score, const AttentionState& state)
      : in_(input),
        score_(score),
        state_(state),
        graph_(input.graph),
        heads_(input.num_heads),
        dim_(input.values.cols / input.num_heads),
        work_per_edge_(input.values.cols + kWorkPerExp * heads_) {}

  void forward(MatrixView out, const AttentionSink* sink) const {
    find_row_maxima();
    aggregate(out);
    if (sink != nullptr) write_coefficients(*sink);
  }

  void backward(ConstMatrixView out, ConstMatrixView d_out, const SeparableGradient& d_score,
                const AttentionGradient& gradient) const {
    const Workspace::Scope scope(in_.workspace);
    // D_i = g_i · out_i = Σ_j α_ij dα_ij: the softmax's own sum, without a pass over edges.
    const MatrixView row_dot = in_.workspace.matrix(out.rows, heads_);
    parallel_for(in_.num_threads, out.rows, out.cols, [&](Index first, Index last, int) {
      for (Index i = first; i < last; ++i) {
        for (Index h = 0; h < heads_; ++h)
          row_dot(i, h) = dot(d_out.row(i) + h * dim_, out.row(i) + h * dim_);
      }
    });
    backward_by_destination(d_out, row_dot, d_score, gradient);
    backward_by_source(d_out, row_dot, d_score.source, gradient.values);
  }

 private:
  static constexpr Index kWorkPerExp = 16;
  static constexpr Real kMinusInfinity = -std::numeric_limits<Real>::infinity();

  Real dot(const Real* a, const Real* b) const {
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index d = 0; d < dim_; ++d) sum += a[d] * b[d];
    return sum;
  }

  bool open(EdgeId edge) const {
    return in_.edges.mask.empty() || in_.edges.mask[static_cast<std::size_t>(edge)] != 0;
  }

  Real term(const EdgeTerm& term, Index destination, Index source, EdgeId edge, Index head) const {
    if (!term.array.empty()) return term.array(edge, term.array.cols == 1 ? 0 : head);
    return term.function->value(static_cast<NodeId>(graph_.global_destination(destination)),
                                static_cast<NodeId>(graph_.global_source(source)), static_cast<int>(head));
  }

  // e_ij of an open edge, from the score's argument.
  Real logit(Real argument, Index destination, Index source, EdgeId edge, Index head) const {
    Real e = score_.value(argument);
    if (in_.edges.log_prior.given()) e += term(in_.edges.log_prior, destination, source, edge, head);
    return e;
  }

  // Heads of one edge are neighbours in the mask, so a reader serves a loop over heads cheaply.
  Real dropout(DropoutReader& mask, EdgeId edge, Index head) const {
    return mask.factor(static_cast<std::uint64_t>(edge) * static_cast<std::uint64_t>(heads_) +
                       static_cast<std::uint64_t>(head));
  }

  Real factor(Index destination, Index source, EdgeId edge, Index head) const {
    return in_.edges.factor.given() ? term(in_.edges.factor, destination, source, edge, head) : Real(1);
  }

  // exp(e − row maximum), 0 for e = −∞ also when the whole row is −∞.
  Real exponential(Real e, Index destination, Index head) const {
    return e == kMinusInfinity ? Real(0) : std::exp(e - state_.row_max(destination, head));
  }

  void find_row_maxima() const {
    reduce_rows<MergeMax>(
        InRows{graph_}, heads_, heads_ * 2, in_.num_threads, in_.workspace,
        [&](Index i, const EdgeRow& row, Index first, Index last, Real* maxima) {
          for (Index k = first; k < last; ++k) {
            const Index j = row.node(k);
            const EdgeId edge = row.edge(k);
            if (!open(edge)) continue;
            for (Index h = 0; h < heads_; ++h) {
              maxima[h] = MergeMax::merge(maxima[h], logit(score_.argument(i, j, edge, h), i, j, edge, h));
            }
          }
        },
        [&](Index i, const Real* maxima) { std::copy_n(maxima, heads_, state_.row_max.row(i)); });
  }

  // out_i = (Σ_j m c exp(e_ij − max) v_j) / Σ_j exp(e_ij − max); the first heads_ numbers are the sums.
  void aggregate(MatrixView out) const {
    reduce_rows<MergeSum>(
        InRows{graph_}, heads_ + out.cols, work_per_edge_, in_.num_threads, in_.workspace,
        [&](Index i, const EdgeRow& row, Index first, Index last, Real* sums) {
          DropoutReader mask(in_.dropout);
          for (Index k = first; k < last; ++k) {
            const Index j = row.node(k);
            const EdgeId edge = row.edge(k);
            if (!open(edge)) continue;
            const Real* value = in_.values.row(j);
            for (Index h = 0; h < heads_; ++h) {
              const Real p = exponential(logit(score_.argument(i, j, edge, h), i, j, edge, h), i, h);
              sums[h] += p;
              const Real weight = p * dropout(mask, edge, h) * factor(i, j, edge, h);
              if (weight == 0) continue;
              Real* sum = sums + heads_ + h * dim_;
#pragma omp simd
              for (Index d = 0; d < dim_; ++d) sum[d] += weight * value[h * dim_ + d];
            }
          }
        },
        [&](Index i, const Real* sums) {
          for (Index h = 0; h < heads_; ++h) {
            const Real inverse = sums[h] == 0 ? Real(0) : 1 / sums[h];
            state_.inverse_sum(i, h) = inverse;
            for (Index d = 0; d < dim_; ++d) out(i, h * dim_ + d) = inverse * sums[heads_ + h * dim_ + d];
          }
        });
  }

  void write_coefficients(const AttentionSink& sink) const {
    parallel_ranges(
        in_.num_threads, graph_.num_destinations(),
        [&](Index i) { return graph_.in_edges_before(i) * work_per_edge_; },
        [&](Index begin, Index end, int) {
          for (Index i = begin; i < end; ++i) {
            const EdgeRow row = graph_.in_edges(i);
            for (Index k = 0; k < row.count; ++k) write_coefficients(sink, i, row.node(k), row.edge(k));
          }
        });
  }

  void write_coefficients(const AttentionSink& sink, Index i, Index j, EdgeId edge) const {
    const bool is_open = open(edge);
    DropoutReader mask(in_.dropout);
    for (Index h = 0; h < heads_; ++h) {
      const Real e = is_open ? logit(score_.argument(i, j, edge, h), i, j, edge, h) : kMinusInfinity;
      const Real alpha = is_open ? exponential(e, i, h) * state_.inverse_sum(i, h) : Real(0);
      const Real weighted = alpha * factor(i, j, edge, h);
      if (!sink.logits.empty()) sink.logits(edge, h) = e;
      if (!sink.attention.empty()) sink.attention(edge, h) = alpha;
      if (!sink.weighted.empty()) sink.weighted(edge, h) = weighted;
      if (!sink.dropped.empty()) sink.dropped(edge, h) = weighted * dropout(mask, edge, h);
    }
  }

  // What backward knows of one open edge and head.
  struct EdgeGradient {
    Real alpha, dropout, factor;
    Real d_alpha;     // g_i · v_j
    Real d_logit;     // α (m c dα − D_i)
    Real d_argument;  // d_logit · score'
  };

  EdgeGradient edge_gradient(Index i, Index j, EdgeId edge, Index h, DropoutReader& mask,
                             ConstMatrixView d_out, ConstMatrixView row_dot) const {
    const Real argument = score_.argument(i, j, edge, h);
    EdgeGradient g;
    g.alpha = exponential(logit(argument, i, j, edge, h), i, h) * state_.inverse_sum(i, h);
    g.dropout = dropout(mask, edge, h);
    g.factor = factor(i, j, edge, h);
    g.d_alpha = dot(d_out.row(i) + h * dim_, in_.values.row(j) + h * dim_);
    g.d_logit = g.alpha * (g.factor * g.dropout * g.d_alpha - row_dot(i, h));
    g.d_argument = g.d_logit * score_.slope(argument);
    return g;
  }

  void add_term_gradient(const EdgeTerm& edge_term, MatrixView gradient, Index i, Index j, EdgeId edge,
                         Index h, Real d) const {
    if (!edge_term.array.empty()) {
      if (!gradient.empty()) gradient(edge, gradient.cols == 1 ? 0 : h) += d;
    } else if (edge_term.function != nullptr) {
      edge_term.function->add_gradient(static_cast<NodeId>(graph_.global_destination(i)),
                                       static_cast<NodeId>(graph_.global_source(j)), static_cast<int>(h), d);
    }
  }

  // Everything that belongs to one destination or one edge: d s_dst, d s_edge, d log_prior, d m.
  void backward_by_destination(ConstMatrixView d_out, ConstMatrixView row_dot,
                               const SeparableGradient& d_score, const AttentionGradient& gradient) const {
    const bool edge_terms = in_.edges.log_prior.given() || in_.edges.factor.given();
    if (d_score.destination.empty() && d_score.edge.empty() && !edge_terms) return;
    reduce_rows<MergeSum>(
        InRows{graph_}, heads_, work_per_edge_, in_.num_threads, in_.workspace,
        [&](Index i, const EdgeRow& row, Index first, Index last, Real* sums) {
          DropoutReader mask(in_.dropout);
          for (Index k = first; k < last; ++k) {
            const Index j = row.node(k);
            const EdgeId edge = row.edge(k);
            if (!open(edge)) continue;
            for (Index h = 0; h < heads_; ++h) {
              const EdgeGradient g = edge_gradient(i, j, edge, h, mask, d_out, row_dot);
              sums[h] += g.d_argument;
              if (!d_score.edge.empty()) d_score.edge(edge, h) += g.d_argument;
              if (!edge_terms) continue;
              add_term_gradient(in_.edges.log_prior, gradient.log_prior, i, j, edge, h, g.d_logit);
              add_term_gradient(in_.edges.factor, gradient.factor, i, j, edge, h,
                                g.dropout * g.alpha * g.d_alpha);
            }
          }
        },
        [&](Index i, const Real* sums) {
          if (d_score.destination.empty()) return;
          for (Index h = 0; h < heads_; ++h) d_score.destination(i, h) += sums[h];
        });
  }

  // Everything that belongs to one source: dv_j = Σ_i m c α_ij g_i and d s_src, over out-edges.
  void backward_by_source(ConstMatrixView d_out, ConstMatrixView row_dot, MatrixView d_source,
                          MatrixView d_values) const {
    const Index width = in_.values.cols;
    reduce_rows<MergeSum>(
        OutRows{graph_}, heads_ + width, 2 * work_per_edge_, in_.num_threads, in_.workspace,
        [&](Index j, const EdgeRow& row, Index first, Index last, Real* sums) {
          DropoutReader mask(in_.dropout);
          for (Index k = first; k < last; ++k) {
            const Index i = row.node(k);
            const EdgeId edge = row.edge(k);
            if (!open(edge)) continue;
            for (Index h = 0; h < heads_; ++h) {
              const EdgeGradient g = edge_gradient(i, j, edge, h, mask, d_out, row_dot);
              sums[h] += g.d_argument;
              const Real weight = g.factor * g.dropout * g.alpha;
              if (weight == 0) continue;
              const Real* d = d_out.row(i) + h * dim_;
              Real* sum = sums + heads_ + h * dim_;
#pragma omp simd
              for (Index m = 0; m < dim_; ++m) sum[m] += weight * d[m];
            }
          }
        },
        [&](Index j, const Real* sums) {
          for (Index h = 0; h < heads_ && !d_source.empty(); ++h) d_source(j, h) += sums[h];
          for (Index m = 0; m < width && !d_values.empty(); ++m) d_values(j, m) += sums[heads_ + m];
        });
  }

  const AttentionInput& in_;
  const Score& score_;
  AttentionState state_;
  const GraphView& graph_;
  Index heads_;
  Index dim_;
  Index work_per_edge_;
};

}  // namespace gat::inline GAT_PRECISION
