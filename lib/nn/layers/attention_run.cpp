// The general attention layer forward: rows, what edges bring, which edges take part.
#include "nn/layers/attention_run.hpp"

#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "gat/core/error.hpp"
#include "gat/kernels/edge_scores.hpp"

namespace gat::inline GAT_PRECISION {

AttentionLayer::Run::Run(const AttentionLayer& layer_in, const Context& context, const LayerInput& input)
    : layer(layer_in),
      o(layer_in.options_),
      n(layer_in.numbers_),
      description(*score_table()[static_cast<std::size_t>(layer_in.score_)]),
      c(context),
      in(input),
      heads(o.num_heads, o.head_dim),
      key_heads(o.num_heads, o.key_width()),
      query_heads(o.num_heads, o.query_width()),
      level(context.execution.simd),
      graph(&context.graph) {
  if (context.execution.rows != RowPrecision::full) {
    throw UsageError("attention layer: it gathers rows as floats alone, not as " +
                     std::string(name_of(context.execution.rows)) +
                     "; use the precision \"float\", or layers of kind \"gat\"");
  }
  residual_kind = residual_for(o.residual, o.receiver_features(), o.output_width());
  own = in.destination.kind == Destinations::Kind::own;
  has_destinations = in.destination.kind != Destinations::Kind::none;
  const RandomStream random =
      c.random.derive(static_cast<std::uint64_t>(c.layer)).derive(static_cast<std::uint64_t>(c.call));
  if (c.mode == Mode::training)
    attention_mask = DropoutMask(random.derive(kAttentionSite), o.attention_dropout);
  selection_random = random.derive(kSelectionSite);
  edge_loss_random = random.derive(kEdgeLossSite);
  set_up_rows(random);
  const bool used = o.edge_features > 0;
  const bool both = o.edge_use == EdgeUse::both || o.edge_use == EdgeUse::both_shared;
  edges_in_score = used && (both || o.edge_use == EdgeUse::score);
  edges_in_values = used && (both || o.edge_use == EdgeUse::values);
  for (std::size_t k = 0; k < description.parameters.size(); ++k)
    score_parameters.push_back(parameter(n.first_score + static_cast<Index>(k)));
}

void AttentionLayer::Run::set_up_rows(const RandomStream& random) {
  const auto mask = [&](Site site) {
    return c.mode == Mode::training ? DropoutMask(random.derive(site), o.feature_dropout) : DropoutMask();
  };
  const auto& arrays = c.graph.arrays();
  source.rows = in.source;
  source.global_rows = arrays.node_ids;
  source.dropout = mask(kFeatureSite);
  if (own) {
    receivers.rows = in.destination.features;
    receivers.global_rows = arrays.destination_ids;
    receivers.dropout = mask(kDestinationSite);
  } else if (has_destinations) {
    const Index count = c.graph.num_destinations();
    receivers = source;
    receivers.rows = first_rows(in.source, count);
    if (!arrays.node_ids.empty())
      receivers.global_rows = arrays.node_ids.first(static_cast<std::size_t>(count));
  }
  values = source;
  if (o.value_features > 0) {
    values.rows = in.values;
    values.dropout = mask(kValueSite);
  }
  const bool rows = description.reads_rows || description.node_numbers;
  has_keys = rows || o.value == Projection::shared;
  const bool plain_keys = has_keys && o.key == Projection::none;
  queries_are_keys =
      rows && !own && (o.query == Projection::shared || (o.query == Projection::none && plain_keys));
  values_are_keys =
      o.value == Projection::shared || (o.value == Projection::none && plain_keys && o.value_features == 0);
}

HeadRows AttentionLayer::Run::query_map() const {
  const bool shared = o.query == Projection::shared;
  return row_map(receivers, query_heads, shared ? n.key_weight : n.query_weight,
                 shared ? n.key_bias : n.query_bias);
}

AttentionLayer::Run::Rows AttentionLayer::Run::make_rows() const {
  Rows rows;
  const Index sources = c.graph.num_sources(), destinations = c.graph.num_destinations();
  if (has_keys) {
    const MatrixView keys = keep(kKeys, sources, key_heads.width());
    key_map().forward(keys, c.execution, c.workspace);
    rows.keys = keys;
  }
  if (queries_are_keys) {
    rows.queries = rows.keys;
    rows.queries.rows = destinations;
  } else if ((description.reads_rows || description.node_numbers) && has_destinations) {
    const MatrixView queries = keep(kQueries, destinations, query_heads.width());
    query_map().forward(queries, c.execution, c.workspace);
    rows.queries = queries;
  }
  if (values_are_keys) {
    rows.values = rows.keys;
  } else {
    const MatrixView kept = keep(kValues, sources, heads.width());
    value_map().forward(kept, c.execution, c.workspace);
    rows.values = kept;
  }
  make_numbers(rows);
  return rows;
}

// a_src·k_j, a_dst·q_i, a_edge·W_e x_ij
void AttentionLayer::Run::make_numbers(Rows& rows) const {
  const auto numbers_of = [&](Slot slot, ConstMatrixView z, Index a) {
    const MatrixView s = keep(slot, z.rows, heads.score_width());
    const NodeScores scores{key_heads, z, parameter(a), nullptr, s};
    parallel_for(c.execution.num_threads, z.rows, z.cols,
                 [&](Index first, Index last, int) { node_scores(scores, first, last, level); });
    return s;
  };
  if (description.node_numbers) {
    rows.source_numbers = numbers_of(kSourceNumbers, rows.keys, n.a_src);
    if (has_destinations) rows.destination_numbers = numbers_of(kDestinationNumbers, rows.queries, n.a_dst);
  }
  if (n.a_edge < 0) return;
  const MatrixView query = keep(kEdgeQuery, o.num_heads, o.edge_features);
  const MatrixView numbers = keep(kEdgeNumbers, in.edge_features.rows, o.num_heads);
  edge_queries(parameter(n.edge_weight), parameter(n.a_edge), query, level);
  edge_scores(in.edge_features, query, numbers, c.execution);
  rows.edge_numbers = numbers;
}

// What make_rows left on the tape.
AttentionLayer::Run::Rows AttentionLayer::Run::kept_rows() const {
  Tape& tape = *c.tape;
  Rows rows;
  if (has_keys) rows.keys = tape[kKeys];
  if (queries_are_keys) {
    rows.queries = rows.keys;
    rows.queries.rows = c.graph.num_destinations();
  } else if ((description.reads_rows || description.node_numbers) && has_destinations) {
    rows.queries = tape[kQueries];
  }
  rows.values = values_are_keys ? rows.keys : ConstMatrixView(tape[kValues]);
  if (description.node_numbers) {
    rows.source_numbers = tape[kSourceNumbers];
    if (has_destinations) rows.destination_numbers = tape[kDestinationNumbers];
  }
  if (n.a_edge >= 0) rows.edge_numbers = tape[kEdgeNumbers];
  return rows;
}

// p_i = S·sigmoid(v·tanh(W x_i)), counted from the start of the destination's graph.
void AttentionLayer::Run::make_positions() {
  if (o.window != Window::predictive) return;
  const Index rows = c.graph.num_destinations();
  const MatrixView hidden = keep(kHidden, rows, o.position_dim);
  const MatrixView share = keep(kShare, rows, 1);
  const MatrixView positions = keep(kPositions, rows, 1);
  linear_forward(receivers, parameter(n.position_weight), hidden, c.execution, c.workspace);
  activation_forward({ActivationKind::tanh, 1}, hidden, hidden, c.execution);
  LinearInput of_hidden;
  of_hidden.rows = FeatureView(hidden);
  linear_forward(of_hidden, {parameter(n.position_vector).data, o.position_dim, 1}, share, c.execution,
                 c.workspace);
  activation_forward({ActivationKind::sigmoid, 1}, share, share, c.execution);
  const GraphLines lines(c.graph);
  for (Index i = 0; i < rows; ++i) positions(i, 0) = static_cast<Real>(lines.length(i)) * share(i, 0);
  predicted = positions;
}

// log w of edge weights, E × 1.
EdgeTerm AttentionLayer::Run::weight_prior() const {
  const MatrixView prior = c.workspace.matrix(in.edge_features.rows, 1);
  parallel_for(c.execution.num_threads, prior.rows, 16, [&](Index first, Index last, int) {
    for (Index e = first; e < last; ++e) prior(e, 0) = std::log(in.edge_features(e, 0));
  });
  return {prior, nullptr};
}

// \param d_positions  of a predictive window in backward
void AttentionLayer::Run::set_up_edges(MatrixView d_positions) {
  terms = in.edges;
  if (o.edge_features > 0 && o.edge_use == EdgeUse::log_prior) terms.log_prior = weight_prior();
  if (o.edge_features > 0 && o.edge_use == EdgeUse::multiplied) terms.factor.array = in.edge_features;
  if (o.window == Window::none) return;
  ConstMatrixView positions;
  if (o.window == Window::predictive) positions = predicted;
  window.emplace(c.graph, o.window_width, o.renormalize, positions, d_positions);
  (o.renormalize ? terms.log_prior : terms.factor).function = &*window;
  if (!o.window_edges) return;
  window_edges.emplace(c.graph, *window, o.window_width);
  graph = &window_edges->view();
}

ScoreInput AttentionLayer::Run::score_input(const Rows& rows) const {
  ScoreInput score;
  score.score = layer.score_;
  score.negative_slope = o.negative_slope;
  score.source = rows.source_numbers;
  score.destination = rows.destination_numbers;
  score.edge = rows.edge_numbers;
  score.query_heads = query_heads;
  score.key_heads = key_heads;
  if (description.reads_rows) {
    score.queries = rows.queries;
    score.keys = rows.keys;
  }
  score.parameters = score_parameters;
  if (edges_in_score && !description.separable) score.edge_weight = parameter(n.edge_weight);
  score.custom = in.custom_score;
  return score;
}

AttentionInput AttentionLayer::Run::attention_input(const Rows& rows, const EdgeTerms& edge_terms) const {
  AttentionInput input{*graph, heads, rows.values, edge_terms, attention_mask, c.execution, c.workspace};
  if (edges_in_score || edges_in_values) input.edge_features = in.edge_features;
  if (edges_in_values) input.value_edge_weight = parameter(n.value_edge_weight);
  return input;
}

SelectedEdges AttentionLayer::Run::select(const AttentionInput& input, const ScoreInput& score) const {
  if (o.selection == Selection::all) return {};
  const Index rows = c.graph.num_destinations();
  const MatrixView threshold = keep(kThreshold, rows, heads.score_width());
  const MatrixView last = keep(kLast, rows, heads.score_width());
  SelectionRule rule;
  if (draws()) rule.kind = SelectionRule::Kind::sampled;
  rule.count = o.selection == Selection::top_k ? o.top_k : 1;
  rule.random = selection_random;
  attention_select(input, score, rule, threshold, last);
  return {threshold, last, {}, {}};
}

SelectedEdges AttentionLayer::Run::kept_selection() const {
  if (o.selection == Selection::all) return {};
  return {(*c.tape)[kThreshold], (*c.tape)[kLast], {}, {}};
}

// Edges outside the windows are never visited: their coefficients are written here.
void AttentionLayer::Run::close_edges_of(const AttentionSink& sink) const {
  if (!sink.logits.empty()) sink.logits.fill(-std::numeric_limits<Real>::infinity());
  for (const MatrixView& coefficients : {sink.attention, sink.weighted, sink.dropped}) coefficients.fill(0);
}

void AttentionLayer::Run::forward(MatrixView output) {
  const Workspace::Scope scope(c.workspace);
  const Index destinations = c.graph.num_destinations();
  const Rows rows = make_rows();
  forward_edge_loss(rows);
  make_positions();
  set_up_edges({});
  const ScoreInput score = score_input(rows);
  AttentionInput input = attention_input(rows, terms);
  input.selected = select(input, score);
  const MatrixView out = keep(kHeads, destinations, heads.width());
  const AttentionState state{keep(kRowMax, destinations, heads.score_width()),
                             keep(kInverseSum, destinations, heads.score_width())};
  if (c.attention != nullptr && window_edges) close_edges_of(*c.attention);
  const MatrixView added = forward_residual();
  const MatrixView merged = plain_output() ? output : keep(kMerged, destinations, o.merged_width());
  const MergeHeads merge = merge_of(out, added, merged);
  attention_forward(input, score, state, out, c.attention,
                    [&](Index first, Index last) { merge_heads(merge, first, last, level); });
  if (!plain_output()) finish_output(merged, added, output);
}

}  // namespace gat::inline GAT_PRECISION
