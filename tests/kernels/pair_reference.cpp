#include "kernels/pair_reference.hpp"

#include <deque>
#include <optional>

#include "kernels/score_reference.hpp"

namespace gat::test {

namespace {

using naive::Formula;
using naive::Numbers;
using naive::Sums;

// Results of the right shapes, zero.
PairResults empty_results(const PairNumbers& n) {
  PairResults r;
  const auto shaped = [](const Matrix& m) { return Matrix(m.rows(), m.cols()); };
  r["out"] = shaped(n.d_out);
  r["logits"] = Matrix(n.graph.edge_id_bound(), n.heads);
  r["logits"].view().fill(-std::numeric_limits<Real>::infinity());
  r["d_queries"] = shaped(n.queries);
  r["d_keys"] = shaped(n.keys);
  r["d_values"] = shaped(n.values);
  r["d_source"] = shaped(n.source);
  r["d_destination"] = shaped(n.destination);
  for (std::size_t p = 0; p < n.parameters.size(); ++p)
    r["d_parameter" + std::to_string(p)] = shaped(n.parameters[p]);
  r["d_edge_features"] = shaped(n.edge_features);
  r["d_edge_weight"] = shaped(n.edge_weight);
  r["d_value_edge_weight"] = shaped(n.value_edge_weight);
  return r;
}

// Head h of row i, plus what the edge adds.
Numbers head_of(const Matrix& rows, Index i, Index h, Index dim, const Matrix& features, Index edge,
                const Matrix& weight) {
  Numbers result;
  for (Index d = 0; d < dim; ++d) {
    double value = static_cast<double>(rows(i, h * dim + d));
    for (Index f = 0; f < weight.rows(); ++f)
      value += static_cast<double>(features(edge, f)) * static_cast<double>(weight(f, h * dim + d));
    result.push_back(value);
  }
  return result;
}

Numbers parameter_of(const PairNumbers& n, const Matrix& parameter, Index h) {
  Numbers result;
  const Index dim = parameter.cols() / n.heads;
  for (Index r = 0; r < parameter.rows(); ++r) {
    for (Index d = 0; d < dim; ++d) result.push_back(static_cast<double>(parameter(r, h * dim + d)));
  }
  return result;
}

struct PairEdge {
  Index source, id;
  naive::PairScore score;
  Numbers value;
  double alpha = 0, dropout = 1;
};

std::vector<PairEdge> softmax_row(const PairNumbers& n, Index i, Index h) {
  std::vector<PairEdge> edges;
  const Formula formula = naive::formula_of(n.score);
  naive::PairInput in;
  in.slope = n.slope;
  in.query = head_of(n.queries, i, h, n.query_dim, {}, 0, {});
  for (const Matrix& parameter : n.parameters) in.parameters.push_back(parameter_of(n, parameter, h));
  const EdgeRow row = n.graph.in_edges(i);
  double top = -INFINITY, sum = 0;
  for (Index k = 0; k < row.count; ++k) {
    PairEdge e;
    e.source = row.node(k);
    e.id = row.edge(k);
    if (!n.mask.empty() && n.mask[static_cast<std::size_t>(e.id)] == 0) continue;
    in.key = head_of(n.keys, e.source, h, n.key_dim, n.edge_features, e.id, n.edge_weight);
    if (!n.source.empty())
      in.number = static_cast<double>(n.source(e.source, h)) + static_cast<double>(n.destination(i, h));
    e.score = naive::pair_score(formula, in);
    e.value = head_of(n.values, e.source, h, n.value_dim, n.edge_features, e.id, n.value_edge_weight);
    e.dropout = static_cast<double>(n.dropout.factor(static_cast<std::uint64_t>(e.id * n.heads + h)));
    top = std::max(top, e.score.e);
    edges.push_back(e);
  }
  for (PairEdge& e : edges) sum += e.alpha = std::exp(e.score.e - top);
  for (PairEdge& e : edges) e.alpha /= sum;
  return edges;
}

// Where the gradient of an edge's row goes besides its node: the map and the features.
void add_edge_row(const PairNumbers& n, const Matrix& weight, Sums& d_weight, Sums& d_features, Index edge,
                  Index h, const Numbers& d_row) {
  const auto dim = static_cast<Index>(d_row.size());
  for (Index f = 0; f < weight.rows(); ++f) {
    double sum = 0;
    for (Index d = 0; d < dim; ++d) {
      const double g = d_row[static_cast<std::size_t>(d)];
      d_weight.add(f, h * dim + d, g * static_cast<double>(n.edge_features(edge, f)));
      sum += g * static_cast<double>(weight(f, h * dim + d));
    }
    d_features.add(edge, f, sum);
  }
}

void add_rows(const PairNumbers& n, PairResults& r) {
  Sums out(r["out"]), d_queries(r["d_queries"]), d_keys(r["d_keys"]), d_values(r["d_values"]),
      d_source(r["d_source"]), d_destination(r["d_destination"]), d_features(r["d_edge_features"]),
      d_weight(r["d_edge_weight"]), d_value_weight(r["d_value_edge_weight"]);
  std::deque<Sums> d_parameters;
  for (std::size_t p = 0; p < n.parameters.size(); ++p)
    d_parameters.emplace_back(r["d_parameter" + std::to_string(p)]);
  const auto add = [](Sums& sums, Index row, Index h, const Numbers& values, double factor) {
    const auto dim = static_cast<Index>(values.size());
    for (Index d = 0; d < dim; ++d) sums.add(row, h * dim + d, factor * values[static_cast<std::size_t>(d)]);
  };
  for (Index i = 0; i < n.graph.num_destinations(); ++i) {
    for (Index h = 0; h < n.heads; ++h) {
      const std::vector<PairEdge> edges = softmax_row(n, i, h);
      const Numbers g = head_of(n.d_out, i, h, n.value_dim, {}, 0, {});
      double mean = 0;
      Numbers d_alpha;
      for (const PairEdge& e : edges) {
        double product = 0;
        for (std::size_t d = 0; d < g.size(); ++d) product += g[d] * e.value[d];
        d_alpha.push_back(e.dropout * product);
        mean += e.alpha * d_alpha.back();
      }
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const PairEdge& e = edges[k];
        r["logits"](e.id, h) = static_cast<Real>(e.score.e);
        const double weight = e.alpha * e.dropout, d_e = e.alpha * (d_alpha[k] - mean);
        add(out, i, h, e.value, weight);
        add(d_values, e.source, h, g, weight);
        add(d_queries, i, h, e.score.d_query, d_e);
        add(d_keys, e.source, h, e.score.d_key, d_e);
        d_source.add(e.source, h, d_e * e.score.d_number);
        d_destination.add(i, h, d_e * e.score.d_number);
        for (std::size_t p = 0; p < n.parameters.size(); ++p) {
          const Index dim = n.parameters[p].cols() / n.heads;
          for (std::size_t d = 0; d < e.score.d_parameters[p].size(); ++d) {
            const auto at = static_cast<Index>(d);
            d_parameters[p].add(at / dim, h * dim + at % dim, d_e * e.score.d_parameters[p][d]);
          }
        }
        Numbers d_key = e.score.d_key, d_value = g;
        for (double& d : d_key) d *= d_e;
        for (double& d : d_value) d *= weight;
        add_edge_row(n, n.edge_weight, d_weight, d_features, e.id, h, d_key);
        add_edge_row(n, n.value_edge_weight, d_value_weight, d_features, e.id, h, d_value);
      }
    }
  }
}

// The score "custom" of these tests, ½ q·k: it reads the numbers themselves and keeps its gradients.
class HalfProduct final : public CustomScore {
 public:
  HalfProduct(const PairNumbers& numbers, PairResults& results)
      : n_(numbers), d_queries_(results["d_queries"]), d_keys_(results["d_keys"]) {}

  void logits(const Edges& edges, MatrixView e) const override {
    for_each(edges, [&](Index k, int head, Index i, Index j, Index first) {
      double sum = 0;
      for (Index c = first; c < first + n_.key_dim; ++c)
        sum += static_cast<double>(n_.queries(i, c)) * static_cast<double>(n_.keys(j, c));
      e(k, head) = static_cast<Real>(0.5 * sum);
    });
  }
  void add_destination_gradient(const Edges& edges, ConstMatrixView d_e) const override {
    for_each(edges, [&](Index k, int head, Index i, Index j, Index first) {
      for (Index c = first; c < first + n_.key_dim; ++c)
        d_queries_.add(i, c, 0.5 * static_cast<double>(d_e(k, head)) * static_cast<double>(n_.keys(j, c)));
    });
  }
  void add_source_gradient(const Edges& edges, ConstMatrixView d_e) const override {
    for_each(edges, [&](Index k, int head, Index i, Index j, Index first) {
      for (Index c = first; c < first + n_.key_dim; ++c)
        d_keys_.add(j, c, 0.5 * static_cast<double>(d_e(k, head)) * static_cast<double>(n_.queries(i, c)));
    });
  }

 private:
  // visit(edge, column of e, destination, source, first column of the head)
  template <class Visit>
  void for_each(const Edges& edges, const Visit& visit) const {
    for (std::size_t k = 0; k < edges.ids.size(); ++k) {
      for (int head = 0; head < edges.num_heads; ++head)
        visit(static_cast<Index>(k), head, edges.destinations[k], edges.sources[k],
              (edges.first_head + head) * n_.key_dim);
    }
  }

  const PairNumbers& n_;
  mutable Sums d_queries_, d_keys_;
};

ConstMatrixView given(const Matrix& m) { return m.empty() ? ConstMatrixView() : m.view(); }
MatrixView wanted(Matrix& m) { return m.empty() ? MatrixView() : m.view(); }

}  // namespace

PairResults naive_pair_attention(const PairNumbers& n) {
  PairResults r = empty_results(n);
  add_rows(n, r);  // the sums arrive when it returns
  return r;
}

PairResults run_pair_attention(const PairNumbers& n, const Execution& execution) {
  PairResults r = empty_results(n);
  Workspace workspace;
  const HeadLayout value_heads(n.heads, n.value_dim), key_heads(n.heads, n.key_dim),
      query_heads(n.heads, n.query_dim);
  const Matrix values = interleaved(value_heads, n.values), keys = interleaved(key_heads, n.keys),
               queries = interleaved(query_heads, n.queries);
  const Matrix source = padded(value_heads, n.source), destination = padded(value_heads, n.destination);
  const Matrix weight = n.edge_weight.empty() ? Matrix() : interleaved(key_heads, n.edge_weight);
  const Matrix value_weight =
      n.value_edge_weight.empty() ? Matrix() : interleaved(value_heads, n.value_edge_weight);
  std::vector<HeadLayout> layouts;
  std::vector<Matrix> parameters, d_parameters;
  for (const Matrix& parameter : n.parameters) {
    layouts.emplace_back(n.heads, parameter.cols() / n.heads);
    parameters.push_back(interleaved(layouts.back(), parameter));
    d_parameters.emplace_back(parameters.back().rows(), parameters.back().cols());
  }
  const std::vector<ConstMatrixView> parameter_views(parameters.begin(), parameters.end());
  const std::vector<MatrixView> d_parameter_views(d_parameters.begin(), d_parameters.end());

  AttentionInput input{n.graph, value_heads, values, {n.mask, {}, {}}, n.dropout, execution, workspace};
  input.edge_features = given(n.edge_features);
  input.value_edge_weight = given(value_weight);
  ScoreInput score{given(source), given(destination), {}, n.slope, score_named(n.score)};
  score.query_heads = query_heads;
  score.key_heads = key_heads;
  score.queries = queries;
  score.keys = keys;
  score.parameters = parameter_views;
  score.edge_weight = given(weight);
  const bool is_custom = n.score == "custom";
  std::optional<HalfProduct> custom;
  if (is_custom) score.custom = &custom.emplace(n, r);
  Matrix out(n.graph.num_destinations(), value_heads.width()), row_max(out.rows(), value_heads.score_width()),
      inverse_sum(row_max);
  const AttentionState state{row_max, inverse_sum};
  const AttentionSink sink{.logits = r["logits"]};
  attention_forward(input, score, state, out, &sink);
  join(value_heads, out, r["out"]);

  Matrix d_out = interleaved(value_heads, n.d_out), d_values(values.rows(), values.cols());
  Matrix d_keys(keys.rows(), keys.cols()), d_queries(queries.rows(), queries.cols());
  Matrix d_source(source.rows(), source.cols()), d_destination(destination.rows(), destination.cols());
  Matrix d_weight(weight.rows(), weight.cols()), d_value_weight(value_weight.rows(), value_weight.cols());
  ScoreGradient d_score{wanted(d_source),  wanted(d_destination), {}, d_queries, d_keys,
                        d_parameter_views, wanted(d_weight)};
  attention_backward(input, score, state, out, d_out, d_score,
                     {d_values, {}, {}, wanted(r["d_edge_features"]), wanted(d_value_weight)});
  join(value_heads, d_values, r["d_values"]);
  if (is_custom) {
    custom.reset();  // its sums arrive
  } else {
    join(key_heads, d_keys, r["d_keys"]);
    join(query_heads, d_queries, r["d_queries"]);
  }
  unpad(d_source, r["d_source"]);
  unpad(d_destination, r["d_destination"]);
  if (!d_weight.empty()) join(key_heads, d_weight, r["d_edge_weight"]);
  if (!d_value_weight.empty()) join(value_heads, d_value_weight, r["d_value_edge_weight"]);
  for (std::size_t p = 0; p < parameters.size(); ++p)
    join(layouts[p], d_parameters[p], r["d_parameter" + std::to_string(p)]);
  return r;
}

}  // namespace gat::test
