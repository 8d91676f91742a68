/// The attention operator written plainly: dense loops, double precision, no cleverness.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gat/kernels/attention.hpp"
#include "numbers.hpp"

namespace gat::test {

/// Everything that goes in.
struct AttentionNumbers {
  GraphView graph;
  int heads = 1;
  Index dim = 1;
  Matrix values;               ///< sources × H·D
  Matrix source, destination;  ///< × H; an empty destination = none
  Matrix edge;                 ///< by edge id × H; empty = none
  Matrix log_prior, factor;    ///< by edge id × 1 or H; empty = none
  std::vector<std::uint8_t> mask;
  DropoutMask dropout;
  double slope = 0.2;
  Matrix d_out;       ///< destinations × H·D, for backward
  bool bf16 = false;  ///< whether the library is given the values as bf16, and nothing but NaN beside them
};

/// Everything that comes out.
struct AttentionResults {
  Matrix out, row_max, inverse_sum;
  Matrix logits, attention, weighted, dropped;  ///< by edge id × H
  Matrix d_values, d_source, d_destination, d_edge, d_log_prior, d_factor;

  /// With the shapes of the numbers; parts of terms that are not there stay empty.
  explicit AttentionResults(const AttentionNumbers& n)
      : out(n.graph.num_destinations(), n.heads * n.dim),
        row_max(n.graph.num_destinations(), n.heads),
        inverse_sum(n.graph.num_destinations(), n.heads),
        logits(n.graph.edge_id_bound(), n.heads),
        attention(logits),
        weighted(logits),
        dropped(logits),
        d_values(n.values.rows(), n.values.cols()),
        d_source(n.source.rows(), n.source.cols()),
        d_destination(n.destination.rows(), n.destination.cols()),
        d_edge(n.edge.rows(), n.edge.cols()),
        d_log_prior(n.log_prior.rows(), n.log_prior.cols()),
        d_factor(n.factor.rows(), n.factor.cols()) {}

  /// Calls visit(name, mine, theirs) for every array.
  void compare(const AttentionResults& other,
               const std::function<void(const char*, const Matrix&, const Matrix&)>& visit) const {
    visit("out", out, other.out);
    visit("logits", logits, other.logits);
    visit("attention", attention, other.attention);
    visit("weighted", weighted, other.weighted);
    visit("dropped", dropped, other.dropped);
    visit("d_values", d_values, other.d_values);
    visit("d_source", d_source, other.d_source);
    visit("d_destination", d_destination, other.d_destination);
    visit("d_edge", d_edge, other.d_edge);
    visit("d_log_prior", d_log_prior, other.d_log_prior);
    visit("d_factor", d_factor, other.d_factor);
  }
};

namespace naive {

struct Edge {
  Index source, id;
  double argument, logit, alpha, factor, dropout;
};

inline double at(const Matrix& term, Index edge, Index head, double absent) {
  return term.empty() ? absent : static_cast<double>(term(edge, term.cols() == 1 ? 0 : head));
}

/// The open edges of one destination and head, with their coefficients.
inline std::vector<Edge> softmax_row(const AttentionNumbers& n, Index i, Index h) {
  std::vector<Edge> edges;
  double top = -INFINITY;
  const EdgeRow row = n.graph.in_edges(i);
  for (Index k = 0; k < row.count; ++k) {
    const Index j = row.node(k);
    const Index id = row.edge(k);
    if (!n.mask.empty() && n.mask[static_cast<std::size_t>(id)] == 0) continue;
    const double argument =
        static_cast<double>(n.source(j, h)) + at(n.destination, i, h, 0) + at(n.edge, id, h, 0);
    const double logit = (argument > 0 ? argument : n.slope * argument) + at(n.log_prior, id, h, 0);
    const auto element = static_cast<std::uint64_t>(id * n.heads + h);
    edges.push_back(
        {j, id, argument, logit, 0, at(n.factor, id, h, 1), static_cast<double>(n.dropout.factor(element))});
    top = std::max(top, logit);
  }
  double sum = 0;
  for (const Edge& e : edges) sum += e.logit == -INFINITY ? 0 : std::exp(e.logit - top);
  for (Edge& e : edges) e.alpha = e.logit == -INFINITY ? 0 : std::exp(e.logit - top) / sum;
  return edges;
}

/// Sums in double precision, for a matrix that receives them at the end.
class Sums {
 public:
  explicit Sums(Matrix& matrix) : matrix_(matrix), sums_(static_cast<std::size_t>(matrix.size()), 0.0) {}
  ~Sums() {
    for (std::size_t k = 0; k < sums_.size(); ++k) matrix_.data()[k] = static_cast<Real>(sums_[k]);
  }
  Sums(const Sums&) = delete;
  Sums& operator=(const Sums&) = delete;

  void add(Index row, Index column, double value) {
    if (matrix_.empty()) return;
    sums_[static_cast<std::size_t>(row * matrix_.cols() + (matrix_.cols() == 1 ? 0 : column))] += value;
  }

 private:
  Matrix& matrix_;
  std::vector<double> sums_;
};

}  // namespace naive

inline void naive_attention(const AttentionNumbers& n, AttentionResults& r) {
  r.logits.view().fill(-std::numeric_limits<Real>::infinity());
  naive::Sums out(r.out), d_values(r.d_values), d_source(r.d_source), d_destination(r.d_destination),
      d_edge(r.d_edge), d_log_prior(r.d_log_prior), d_factor(r.d_factor);
  for (Index i = 0; i < n.graph.num_destinations(); ++i) {
    for (Index h = 0; h < n.heads; ++h) {
      const std::vector<naive::Edge> edges = naive::softmax_row(n, i, h);
      std::vector<double> d_alpha;
      double mean_d_alpha = 0;
      for (const naive::Edge& e : edges) {
        const double weight = e.factor * e.dropout;
        r.logits(e.id, h) = static_cast<Real>(e.logit);
        r.attention(e.id, h) = static_cast<Real>(e.alpha);
        r.weighted(e.id, h) = static_cast<Real>(e.factor * e.alpha);
        r.dropped(e.id, h) = static_cast<Real>(weight * e.alpha);
        double d = 0;
        for (Index k = 0; k < n.dim; ++k) {
          const Index column = h * n.dim + k;
          out.add(i, column, weight * e.alpha * static_cast<double>(n.values(e.source, column)));
          d += static_cast<double>(n.d_out(i, column)) * static_cast<double>(n.values(e.source, column));
          d_values.add(e.source, column, weight * e.alpha * static_cast<double>(n.d_out(i, column)));
        }
        d_factor.add(e.id, h, e.dropout * e.alpha * d);
        d_alpha.push_back(weight * d);
        mean_d_alpha += e.alpha * weight * d;
      }
      // The softmax's Jacobian: d e_k = α_k (dα_k − Σ_l α_l dα_l).
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const naive::Edge& e = edges[k];
        const double d_logit = e.alpha * (d_alpha[k] - mean_d_alpha);
        const double d_argument = d_logit * (e.argument > 0 ? 1 : n.slope);
        d_log_prior.add(e.id, h, d_logit);
        d_edge.add(e.id, h, d_argument);
        d_source.add(e.source, h, d_argument);
        d_destination.add(i, h, d_argument);
      }
    }
  }
}
inline AttentionResults naive_attention(const AttentionNumbers& n) {
  AttentionResults r(n);
  naive_attention(n, r);  // the sums arrive when it returns
  return r;
}

/// Rows in kernel order, and back.
inline Matrix interleaved(const HeadLayout& layout, const Matrix& joined) {
  Matrix rows(joined.rows(), layout.width());
  for (Index i = 0; i < joined.rows(); ++i) interleave_heads(layout, joined.row(i), rows.row(i));
  return rows;
}
inline void join(const HeadLayout& layout, const Matrix& rows, Matrix& joined) {
  for (Index i = 0; i < joined.rows(); ++i) join_heads(layout, rows.row(i), joined.row(i));
}
/// One number per head, with the padding of the layout, and back.
inline Matrix padded(const HeadLayout& layout, const Matrix& scores) {
  if (scores.empty()) return {};
  Matrix rows(scores.rows(), layout.score_width());
  for (Index i = 0; i < scores.rows(); ++i) std::copy_n(scores.row(i), scores.cols(), rows.row(i));
  return rows;
}
inline void unpad(const Matrix& rows, Matrix& scores) {
  for (Index i = 0; i < scores.rows(); ++i) std::copy_n(rows.row(i), scores.cols(), scores.row(i));
}

/// Rows rounded to bf16, in memory that the caller keeps.
inline Bf16Rows rounded_rows(const Matrix& rows, Matrix& memory) {
  memory.resize(rows.rows(), Bf16Rows::memory_cols(rows.cols()));
  const Bf16Rows rounded(memory, rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index c = 0; c < rows.cols(); ++c) rounded.row(i)[c] = to_bf16(static_cast<float>(rows(i, c)));
  }
  return rounded;
}

/// The library's operator, forward and backward. Functions, where given, replace the arrays.
struct Functions {
  const EdgeFunction* log_prior = nullptr;
  const EdgeFunction* factor = nullptr;
};
inline AttentionResults run_attention(const AttentionNumbers& n, const Execution& execution,
                                      Workspace& workspace, Functions functions = {}) {
  AttentionResults r(n);
  const auto given = [](const Matrix& matrix) { return matrix.empty() ? ConstMatrixView() : matrix.view(); };
  const auto wanted = [](Matrix& matrix) { return matrix.empty() ? MatrixView() : matrix.view(); };
  EdgeTerms terms{n.mask, {given(n.log_prior), nullptr}, {given(n.factor), nullptr}};
  if (functions.log_prior != nullptr) terms.log_prior = {{}, functions.log_prior};
  if (functions.factor != nullptr) terms.factor = {{}, functions.factor};
  const HeadLayout layout(n.heads, n.dim);
  Matrix values = interleaved(layout, n.values), bf16_memory;
  const Matrix source = padded(layout, n.source), destination = padded(layout, n.destination);
  AttentionInput input{n.graph, layout, values, terms, n.dropout, execution, workspace};
  if (n.bf16) {
    input.bf16_values = rounded_rows(values, bf16_memory);
    values.view().fill(std::numeric_limits<Real>::quiet_NaN());
  }
  const ScoreInput score{source, given(destination), given(n.edge), n.slope};
  Matrix out(n.graph.num_destinations(), layout.width()), row_max(out.rows(), layout.score_width()),
      inverse_sum(row_max);
  const AttentionState state{row_max, inverse_sum};
  r.logits.view().fill(-std::numeric_limits<Real>::infinity());
  const AttentionSink sink{r.logits, r.attention, r.weighted, r.dropped};
  attention_forward(input, score, state, out, &sink);
  join(layout, out, r.out);
  unpad(row_max, r.row_max);
  unpad(inverse_sum, r.inverse_sum);

  Matrix d_out = interleaved(layout, n.d_out), d_values(values.rows(), values.cols());
  Matrix d_source(source.rows(), source.cols()), d_destination(destination.rows(), destination.cols());
  attention_backward(input, score, state, out, d_out, {d_source, wanted(d_destination), wanted(r.d_edge)},
                     {d_values, wanted(r.d_log_prior), wanted(r.d_factor)});
  join(layout, d_values, r.d_values);
  unpad(d_source, r.d_source);
  unpad(d_destination, r.d_destination);
  return r;
}

/// What a random case holds besides values and scores.
struct AttentionOptions {
  int heads = 3;
  Index dim = 5;
  bool destination = true, edge = false, mask = false;
  Index log_prior_columns = 0, factor_columns = 0;
  double dropout = 0;
  double slope = 0.2;
};
inline AttentionNumbers random_attention(const GraphView& graph, const AttentionOptions& o,
                                         std::uint64_t seed = 1) {
  AttentionNumbers n;
  const EdgeId edges = graph.edge_id_bound();
  n.graph = graph;
  n.heads = o.heads;
  n.dim = o.dim;
  n.slope = o.slope;
  n.values = random_matrix(graph.num_sources(), o.heads * o.dim, seed);
  n.source = random_matrix(graph.num_sources(), o.heads, seed + 1);
  if (o.destination) n.destination = random_matrix(graph.num_destinations(), o.heads, seed + 2);
  if (o.edge) n.edge = random_matrix(edges, o.heads, seed + 3);
  if (o.log_prior_columns > 0) n.log_prior = random_matrix(edges, o.log_prior_columns, seed + 4);
  if (o.factor_columns > 0) n.factor = random_matrix(edges, o.factor_columns, seed + 5);
  for (EdgeId e = 0; e < edges && o.mask; ++e) n.mask.push_back(e % 3 != 1);
  n.dropout = DropoutMask(RandomStream(seed + 6), o.dropout);
  n.d_out = random_matrix(graph.num_destinations(), o.heads * o.dim, seed + 7);
  return n;
}

}  // namespace gat::test
