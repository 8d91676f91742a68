// The general attention layer backward: from the gradient of the output to inputs and parameters.
#include <algorithm>

#include "core/parallel.hpp"
#include "gat/core/error.hpp"
#include "gat/kernels/edge_scores.hpp"
#include "nn/layers/attention_run.hpp"
#include "nn/layers/sum_blocks.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// A function or a score of somebody else's whose gradient another pass gives.
class WithoutGradient final : public EdgeFunction {
 public:
  explicit WithoutGradient(const EdgeFunction* function) : function_(function) {}
  Real value(NodeId destination, NodeId source, int head) const override {
    return function_->value(destination, source, head);
  }
  void add_gradient(NodeId, NodeId, int, Real) const override {}

 private:
  const EdgeFunction* function_;
};
class ScoreWithoutGradient final : public CustomScore {
 public:
  explicit ScoreWithoutGradient(const CustomScore* score) : score_(score) {}
  void logits(const Edges& edges, MatrixView e) const override { score_->logits(edges, e); }
  void add_destination_gradient(const Edges&, ConstMatrixView) const override {}
  void add_source_gradient(const Edges&, ConstMatrixView) const override {}

 private:
  const CustomScore* score_;
};

}  // namespace

// What the operator's backward overwrites. Scores of numbers alone have no gradient of rows from it: theirs
// come from the numbers, on top of what values that are keys get.
AttentionLayer::Run::RowGradients AttentionLayer::Run::row_gradients() const {
  RowGradients d;
  const Index sources = c.graph.num_sources(), destinations = c.graph.num_destinations();
  Workspace& memory = c.workspace;
  d.values = memory.matrix(sources, heads.width());
  if (description.reads_rows) {
    d.keys = memory.matrix(sources, key_heads.width());
    d.queries = memory.matrix(destinations, query_heads.width());
  } else if (has_keys) {
    d.keys = values_are_keys ? d.values : memory.zeros(sources, key_heads.width());
    if (queries_are_keys) d.queries = d.keys;
    else if (has_destinations && description.node_numbers)
      d.queries = memory.zeros(destinations, query_heads.width());
  }
  if (description.node_numbers) {
    d.source_numbers = memory.matrix(sources, heads.score_width());
    if (has_destinations) d.destination_numbers = memory.matrix(destinations, heads.score_width());
  }
  if (n.a_edge >= 0) d.edge_numbers = memory.zeros(in.edge_features.rows, o.num_heads);
  if (o.edge_features > 0 && o.edge_use == EdgeUse::log_prior)
    d.log_prior = memory.zeros(in.edge_features.rows, 1);
  return d;
}

void AttentionLayer::Run::backward_attention(const Rows& rows, MatrixView d_heads, const RowCallback& wanted,
                                             const RowGradients& d_rows, const InputGradient& d_input,
                                             const Gradients& gradients) const {
  Tape& tape = *c.tape;
  ScoreGradient d_score;
  d_score.source = d_rows.source_numbers;
  d_score.destination = d_rows.destination_numbers;
  d_score.edge = d_rows.edge_numbers;
  if (description.reads_rows) {
    d_score.queries = d_rows.queries;
    d_score.keys = d_rows.keys;
  }
  std::vector<MatrixView> parameters;
  for (std::size_t k = 0; k < score_parameters.size(); ++k)
    parameters.push_back(gradients[n.first_score + static_cast<Index>(k)]);
  d_score.parameters = parameters;
  if (edges_in_score && !description.separable) d_score.edge_weight = gradients[n.edge_weight];
  AttentionGradient gradient;
  gradient.values = d_rows.values;
  gradient.log_prior = d_rows.log_prior.empty() ? d_input.log_prior : d_rows.log_prior;
  const bool multiplied = o.edge_features > 0 && o.edge_use == EdgeUse::multiplied;
  gradient.factor = multiplied ? d_input.edge_features : d_input.factor;
  if (edges_in_values || d_score.edge_weight.data != nullptr) gradient.edge_features = d_input.edge_features;
  if (edges_in_values) gradient.value_edge_weight = gradients[n.value_edge_weight];
  AttentionInput input = attention_input(rows, terms);
  input.selected = kept_selection();
  const ScoreInput score = score_input(rows);
  if (draws()) return backward_drawn(input, score, d_heads, wanted, d_score, gradient);
  attention_backward(input, score, {tape[kRowMax], tape[kInverseSum]}, tape[kHeads], d_heads, d_score,
                     gradient, wanted);
}

// (loss − baseline) of each destination's graph.
MatrixView AttentionLayer::Run::advantages() const {
  const MatrixView advantage = c.workspace.matrix(c.graph.num_destinations(), 1);
  for (Index i = 0; i < advantage.rows; ++i) {
    const auto at = static_cast<std::size_t>(c.graph.segment_of_destination(i));
    if (at >= c.loss.size() || (!c.baseline.empty() && at >= c.baseline.size())) {
      throw UsageError(
          "attention layer: score-function gradients need the loss of every graph; set Context::loss (and "
          "Context::baseline to as many numbers or none)");
    }
    advantage(i, 0) = static_cast<Real>(c.loss[at] - (c.baseline.empty() ? 0 : c.baseline[at]));
  }
  return advantage;
}

// Values and what follows α learn from the drawn edges; the score and its prior from all of them.
void AttentionLayer::Run::backward_drawn(const AttentionInput& input, const ScoreInput& score,
                                         MatrixView d_heads, const RowCallback& wanted,
                                         const ScoreGradient& d_score,
                                         const AttentionGradient& gradient) const {
  Tape& tape = *c.tape;
  const bool by_score = o.sample_gradient == SampleGradient::score_function;
  const MatrixView advantage = by_score ? advantages() : MatrixView();
  const MatrixView d_soft = by_score ? c.workspace.zeros(d_heads.rows, d_heads.cols)
                                     : c.workspace.matrix(d_heads.rows, d_heads.cols);
  const WithoutGradient prior(input.edges.log_prior.function), factor(input.edges.factor.function);
  const ScoreWithoutGradient custom(score.custom);

  AttentionInput drawn = input;
  ScoreInput drawn_score = score;
  AttentionGradient of_drawn = gradient;
  if (drawn.edges.log_prior.function != nullptr) drawn.edges.log_prior.function = &prior;
  if (drawn_score.custom != nullptr) drawn_score.custom = &custom;
  of_drawn.log_prior = {};
  if (!edges_in_values) of_drawn.edge_features = {};
  attention_backward(drawn, drawn_score, {tape[kRowMax], tape[kInverseSum]}, tape[kHeads], d_heads, {},
                     of_drawn, [&](Index first, Index last) {
                       wanted(first, last);
                       for (Index i = first; i < last && !by_score; ++i)
                         std::copy_n(d_heads.row(i), d_heads.cols, d_soft.row(i));
                     });

  AttentionInput soft = input;
  soft.selected = {};
  if (soft.edges.factor.function != nullptr) soft.edges.factor.function = &factor;
  const MatrixView out = c.workspace.matrix(d_heads.rows, d_heads.cols);
  const AttentionState state{c.workspace.matrix(d_heads.rows, heads.score_width()),
                             c.workspace.matrix(d_heads.rows, heads.score_width())};
  attention_forward(soft, score, state, out, nullptr);
  if (by_score) {
    soft.selected = input.selected;
    soft.selected.advantage = advantage;
  }
  AttentionGradient of_soft;
  of_soft.log_prior = gradient.log_prior;
  ScoreGradient of_score = d_score;
  if (!d_score.edge_weight.empty()) of_score.edge_features = gradient.edge_features;
  attention_backward(soft, score, state, out, d_soft, of_score, of_soft);
}

// s = a·z per side and head, a_edge·W_e x_ij per edge
void AttentionLayer::Run::backward_numbers(const Rows& rows, const RowGradients& d_rows,
                                           const InputGradient& d_input, const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const auto of_side = [&](ConstMatrixView z, ConstMatrixView d_s, MatrixView d_z, Index a) {
    const MatrixView d_a = c.workspace.zeros(kSumBlocks, z.cols);
    const NodeScoreGradient side{key_heads, z, parameter(a), d_s, d_z, d_a};
    for_sum_blocks(c.execution, z.rows, 2 * z.cols,
                   [&](Index, Index first, Index last) { node_scores_backward(side, first, last, level); });
    add_blocks(d_a, gradients[a]);
  };
  if (description.node_numbers) {
    of_side(rows.keys, d_rows.source_numbers, d_rows.keys, n.a_src);
    if (has_destinations) of_side(rows.queries, d_rows.destination_numbers, d_rows.queries, n.a_dst);
  }
  if (n.a_edge < 0) return;
  const MatrixView d_query = c.workspace.zeros(o.num_heads, o.edge_features);
  edge_scores_backward(in.edge_features, (*c.tape)[kEdgeQuery], d_rows.edge_numbers, d_query,
                       d_input.edge_features, c.execution, c.workspace);
  edge_queries_backward(parameter(n.edge_weight), parameter(n.a_edge), d_query, gradients[n.edge_weight],
                        gradients[n.a_edge], level);
}

// Rows that are the same rows first give each other their gradients.
void AttentionLayer::Run::backward_rows(const RowGradients& d_rows, InputTargets& targets,
                                        const Gradients& gradients) const {
  const auto give = [&](const HeadRows& rows, ConstMatrixView d, Index weight, Index bias, AddedRows& to) {
    rows.backward(d, gradient_of(gradients, weight), gradient_of(gradients, bias), to, c.execution,
                  c.workspace);
  };
  if (description.reads_rows) {
    if (values_are_keys) add_first_rows(d_rows.values, d_rows.keys, c.execution);
    if (queries_are_keys) add_first_rows(d_rows.queries, d_rows.keys, c.execution);
  }
  if (has_keys) give(key_map(), d_rows.keys, n.key_weight, n.key_bias, targets.source);
  if (!values_are_keys)
    give(value_map(), d_rows.values, n.value_weight, n.value_bias, targets.of_values(o.value_features > 0));
  if (queries_are_keys || d_rows.queries.empty()) return;
  const bool shared = o.query == Projection::shared;
  give(query_map(), d_rows.queries, shared ? n.key_weight : n.query_weight,
       shared ? n.key_bias : n.query_bias, targets.receivers(own));
}

// p = S b, b = sigmoid(v·h), h = tanh(W x)
void AttentionLayer::Run::backward_positions(MatrixView d_positions, InputTargets& targets,
                                             const Gradients& gradients) const {
  if (o.window != Window::predictive) return;
  Tape& tape = *c.tape;
  const GraphLines lines(c.graph);
  const ConstMatrixView share = tape[kShare], hidden = tape[kHidden];
  for (Index i = 0; i < d_positions.rows; ++i)
    d_positions(i, 0) *= static_cast<Real>(lines.length(i)) * share(i, 0) * (1 - share(i, 0));
  LinearInput of_hidden;
  of_hidden.rows = FeatureView(hidden);
  const MatrixView d_vector = gradients[n.position_vector];
  linear_backward_weight(of_hidden, d_positions, {d_vector.data, o.position_dim, 1}, c.execution,
                         c.workspace);
  const MatrixView d_hidden = c.workspace.matrix(hidden.rows, hidden.cols);
  linear_backward_input(of_hidden, {parameter(n.position_vector).data, o.position_dim, 1}, d_positions,
                        d_hidden, c.execution, c.workspace, false);
  parallel_for(c.execution.num_threads, hidden.rows, hidden.cols, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      for (Index k = 0; k < hidden.cols; ++k) d_hidden(i, k) *= 1 - hidden(i, k) * hidden(i, k);
    }
  });
  row_map(receivers, HeadLayout(1, o.position_dim), n.position_weight, -1)
      .backward(d_hidden, gradients[n.position_weight], {}, targets.receivers(own), c.execution, c.workspace);
}

// d log w = d w / w
void AttentionLayer::Run::backward_weight_prior(ConstMatrixView d_prior, const InputGradient& d_input) const {
  if (d_prior.empty() || d_input.edge_features.empty()) return;
  for (Index e = 0; e < d_prior.rows; ++e)
    d_input.edge_features(e, 0) += d_prior(e, 0) / in.edge_features(e, 0);
}

void AttentionLayer::Run::backward(ConstMatrixView output, ConstMatrixView d_output,
                                   const InputGradient& d_input, const Gradients& gradients) {
  const Workspace::Scope scope(c.workspace);
  InputTargets targets{
      {d_input.source, d_input.source_is_new}, {d_input.destination, false}, {d_input.values, false}};
  const Index destinations = c.graph.num_destinations();
  const bool predictive = o.window == Window::predictive;
  const MatrixView d_positions = predictive ? c.workspace.zeros(destinations, 1) : MatrixView();
  if (predictive) predicted = (*c.tape)[kPositions];
  set_up_edges(d_positions);
  const Rows rows = kept_rows();

  MergeHeadsGradient merge;
  MatrixView d_residual;
  if (plain_output()) {
    merge = merge_gradient(output, d_output);
    d_residual = merge.d_argument;
  } else {
    merge.d_output = backward_output(output, d_output, d_residual, gradients);
    merge.argument = (*c.tape)[kMerged];
    merge.layout = heads;
    merge.mean = o.merge == HeadMerge::mean;
    merge.d_heads = c.workspace.matrix(destinations, heads.width());
  }
  const RowGradients d_rows = row_gradients();
  backward_attention(
      rows, merge.d_heads, [&](Index first, Index last) { merge_heads_backward(merge, first, last, level); },
      d_rows, d_input, gradients);
  if (plain_output() && n.bias >= 0) add_blocks(merge.d_bias, gradients[n.bias]);
  backward_edge_loss(rows, d_rows);
  backward_numbers(rows, d_rows, d_input, gradients);
  backward_rows(d_rows, targets, gradients);
  backward_residual(d_residual, targets, gradients);
  backward_positions(d_positions, targets, gradients);
  backward_weight_prior(d_rows.log_prior, d_input);
  targets.source.finish();
}

}  // namespace gat::inline GAT_PRECISION
