// The arithmetic of the GAT layer: forward and backward of one use.
#include <algorithm>

#include "core/parallel.hpp"
#include "gat/kernels/gat_scores.hpp"
#include "gat/kernels/linear.hpp"
#include "gat/nn/layers/gat.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Places that draw random numbers; the numbers are part of the meaning of a seed.
enum Site : std::uint64_t { kFeatureSite = 1, kDestinationSite = 2, kValueSite = 3, kAttentionSite = 4 };

enum Slot {
  kZSrc,
  kZDst,
  kValues,
  kScoreSrc,
  kScoreDst,
  kScoreEdge,
  kEdgeQuery,
  kRowMax,
  kInverseSum,
  kHeads,
  kArgument
};

}  // namespace

// One use of the layer: what forward and backward both need.
struct GatLayer::Run {
  Run(const GatLayer& layer_in, const Context& context_in, const LayerInput& input_in)
      : layer(layer_in), o(layer_in.options_), c(context_in), in(input_in), joined(o.num_heads * o.head_dim) {
    own = in.destination.kind == Destinations::Kind::own;
    has_destinations = in.destination.kind != Destinations::Kind::none;
    const auto& arrays = c.graph.arrays();
    const RandomStream random =
        c.random.derive(static_cast<std::uint64_t>(c.layer)).derive(static_cast<std::uint64_t>(c.call));
    DropoutMask source_mask, destination_mask;
    if (c.mode == Mode::training) {
      source_mask = DropoutMask(random.derive(kFeatureSite), o.feature_dropout);
      destination_mask = DropoutMask(random.derive(kDestinationSite), o.feature_dropout);
      value_mask = DropoutMask(random.derive(kValueSite), o.value_dropout);
      attention_mask = DropoutMask(random.derive(kAttentionSite), o.attention_dropout);
    }
    const bool per_head = o.dropout_per_head && source_mask.active();
    const Index masks = per_head ? o.num_heads : 1;
    source = {in.source, arrays.node_ids, source_mask, masks, masks};
    if (own) {
      destination = {in.destination.features, arrays.destination_ids, destination_mask, masks, masks};
    } else if (has_destinations) {
      const Index count = c.graph.num_destinations();
      const auto ids =
          arrays.node_ids.empty() ? arrays.node_ids : arrays.node_ids.first(static_cast<std::size_t>(count));
      destination = {first_rows(in.source, count), ids, source_mask, masks, masks};
    }
    residual = destination;
    residual.num_slices = 1;
  }

  // Memory that backward reads again, or scratch memory where there is no backward.
  MatrixView keep(Slot slot, Index rows, Index cols) const {
    return c.tape != nullptr ? c.tape->matrix(slot, rows, cols) : c.workspace.matrix(rows, cols);
  }

  ConstMatrixView parameter(Index i) const { return c.weights[i]; }
  const Real* bias_or_null(Index i) const { return i < 0 ? nullptr : parameter(i).data; }

  AttentionInput attention_input(ConstMatrixView values) const {
    return {c.graph, values, o.num_heads, in.edges, attention_mask, c.num_threads, c.workspace};
  }

  void forward(MatrixView output) const;
  void backward(ConstMatrixView d_output, const InputGradient& d_input, const Gradients& gradients) const;

  MatrixView forward_edge_scores() const;
  MatrixView dropped_values(MatrixView z) const;
  void merge_heads(ConstMatrixView heads, MatrixView out) const;
  void add_residual(MatrixView out) const;
  void backward_residual(ConstMatrixView d_out, const InputGradient& d_input,
                         const Gradients& gradients) const;
  void backward_edge_scores(ConstMatrixView d_edge, const InputGradient& d_input,
                            const Gradients& gradients) const;
  void backward_projections(MatrixView d_values, ConstMatrixView d_src, ConstMatrixView d_dst,
                            const InputGradient& d_input, const Gradients& gradients) const;

  const GatLayer& layer;
  const GatLayerOptions& o;
  const Context& c;
  const LayerInput& in;
  Index joined;
  bool own = false;
  bool has_destinations = true;
  DropoutMask value_mask, attention_mask;
  LinearInput source, destination, residual;
};

MatrixView GatLayer::Run::forward_edge_scores() const {
  const MatrixView query = keep(kEdgeQuery, o.num_heads, o.edge_features);
  edge_queries(parameter(layer.edge_weight_), parameter(layer.a_edge_), query);
  const MatrixView scores = keep(kScoreEdge, in.edge_features.rows, o.num_heads);
  edge_scores(in.edge_features, query, scores, c.num_threads);
  return scores;
}

// v = m ⊙ z, the original's second feature dropout; z itself when nothing is dropped.
MatrixView GatLayer::Run::dropped_values(MatrixView z) const {
  if (!value_mask.active()) return z;
  const MatrixView values = keep(kValues, z.rows, z.cols);
  parallel_for(c.num_threads, z.rows, z.cols, [&](Index first, Index last, int) {
    DropoutReader mask(value_mask);
    for (Index r = first; r < last; ++r) {
      const auto element = static_cast<std::uint64_t>(c.graph.global_source(r) * z.cols);
      for (Index k = 0; k < z.cols; ++k) {
        values(r, k) = z(r, k) * mask.factor(element + static_cast<std::uint64_t>(k));
      }
    }
  });
  return values;
}

void GatLayer::Run::merge_heads(ConstMatrixView heads, MatrixView out) const {
  const Real* bias = bias_or_null(layer.bias_);
  const Real share = 1 / static_cast<Real>(o.num_heads);
  parallel_for(c.num_threads, heads.rows, heads.cols, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      for (Index k = 0; k < out.cols; ++k) {
        Real value = heads(i, k);
        for (Index h = 1; h < o.num_heads && o.merge == HeadMerge::mean; ++h)
          value += heads(i, h * o.head_dim + k);
        if (o.merge == HeadMerge::mean) value *= share;
        out(i, k) = bias == nullptr ? value : value + bias[k];
      }
    }
  });
}

void GatLayer::Run::add_residual(MatrixView out) const {
  if (o.residual == Residual::none) return;
  const Workspace::Scope scope(c.workspace);
  const MatrixView added = c.workspace.matrix(out.rows, out.cols);
  if (o.residual == Residual::learned) {
    linear_forward(residual, parameter(layer.residual_weight_), added, c.num_threads, c.workspace);
  } else {
    const MatrixView identity = c.workspace.zeros(out.cols, out.cols);
    for (Index k = 0; k < out.cols; ++k) identity(k, k) = 1;
    linear_forward(residual, identity, added, c.num_threads, c.workspace);
  }
  for (Index i = 0; i < out.rows; ++i) {
    for (Index k = 0; k < out.cols; ++k) out(i, k) += added(i, k);
  }
}

void GatLayer::Run::forward(MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  const Index destinations = c.graph.num_destinations();
  const MatrixView z_src = keep(kZSrc, c.graph.num_sources(), joined);
  linear_forward(source, parameter(layer.weight_), z_src, c.num_threads, c.workspace);
  MatrixView z_dst(z_src.data, destinations, joined);
  if (own) {
    z_dst = keep(kZDst, destinations, joined);
    linear_forward(destination, parameter(layer.weight_dst_), z_dst, c.num_threads, c.workspace);
  }
  GatScoreInput score;
  score.negative_slope = o.negative_slope;
  const MatrixView s_src = keep(kScoreSrc, z_src.rows, o.num_heads);
  node_scores(z_src, parameter(layer.a_src_), bias_or_null(layer.score_bias_src_), s_src, c.num_threads);
  score.source = s_src;
  if (has_destinations) {
    const MatrixView s_dst = keep(kScoreDst, destinations, o.num_heads);
    node_scores(z_dst, parameter(layer.a_dst_), bias_or_null(layer.score_bias_dst_), s_dst, c.num_threads);
    score.destination = s_dst;
  }
  if (o.edge_features > 0) score.edge = forward_edge_scores();

  const MatrixView values = dropped_values(z_src);
  const MatrixView heads = keep(kHeads, destinations, joined);
  const AttentionState state{keep(kRowMax, destinations, o.num_heads),
                             keep(kInverseSum, destinations, o.num_heads)};
  attention_forward(attention_input(values), score, state, heads, c.attention);

  const bool activated = o.activation.kind != ActivationKind::identity;
  const MatrixView argument = activated ? keep(kArgument, output.rows, output.cols) : output;
  merge_heads(heads, argument);
  add_residual(argument);
  if (activated) activation_forward(o.activation, argument, output, c.num_threads);
}

// out = merged heads + residual(x) + bias
void GatLayer::Run::backward_residual(ConstMatrixView d_out, const InputGradient& d_input,
                                      const Gradients& gradients) const {
  if (o.residual == Residual::none) return;
  const Workspace::Scope scope(c.workspace);
  MatrixView d_rows = own ? d_input.destination : d_input.source;
  if (!d_rows.empty()) d_rows.rows = d_out.rows;
  if (o.residual == Residual::learned) {
    linear_backward_weight(residual, d_out, gradients[layer.residual_weight_], c.num_threads, c.workspace);
    if (d_rows.empty()) return;
    linear_backward_input(residual, parameter(layer.residual_weight_), d_out, d_rows, c.num_threads,
                          c.workspace);
  } else if (!d_rows.empty()) {
    const MatrixView identity = c.workspace.zeros(d_out.cols, d_out.cols);
    for (Index k = 0; k < d_out.cols; ++k) identity(k, k) = 1;
    linear_backward_input(residual, identity, d_out, d_rows, c.num_threads, c.workspace);
  }
}

void GatLayer::Run::backward_edge_scores(ConstMatrixView d_edge, const InputGradient& d_input,
                                         const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const MatrixView d_query = c.workspace.zeros(o.num_heads, o.edge_features);
  edge_scores_backward(in.edge_features, (*c.tape)[kEdgeQuery], d_edge, d_query, d_input.edge_features,
                       c.num_threads, c.workspace);
  edge_queries_backward(parameter(layer.edge_weight_), parameter(layer.a_edge_), d_query,
                        gradients[layer.edge_weight_], gradients[layer.a_edge_]);
}

// v = m ⊙ z, s_src = z_src a_src + b, s_dst = z_dst a_dst + b, z = X W. `d_values` becomes d_z.
void GatLayer::Run::backward_projections(MatrixView d_values, ConstMatrixView d_src, ConstMatrixView d_dst,
                                         const InputGradient& d_input, const Gradients& gradients) const {
  Tape& tape = *c.tape;
  const MatrixView d_z = d_values;
  if (value_mask.active()) {
    DropoutReader mask(value_mask);
    for (Index r = 0; r < d_z.rows; ++r) {
      const auto element = static_cast<std::uint64_t>(c.graph.global_source(r) * d_z.cols);
      for (Index k = 0; k < d_z.cols; ++k) d_z(r, k) *= mask.factor(element + static_cast<std::uint64_t>(k));
    }
  }
  node_scores_backward_vector(tape[kZSrc], d_src, gradients[layer.a_src_], c.num_threads, c.workspace);
  node_scores_backward_input(d_src, parameter(layer.a_src_), d_z, c.num_threads);
  if (layer.score_bias_src_ >= 0) {
    add_column_sums(d_src, gradients[layer.score_bias_src_], c.num_threads, c.workspace);
    if (has_destinations)
      add_column_sums(d_dst, gradients[layer.score_bias_dst_], c.num_threads, c.workspace);
  }
  if (own) {
    const MatrixView d_z_dst = c.workspace.zeros(d_dst.rows, joined);
    node_scores_backward_vector(tape[kZDst], d_dst, gradients[layer.a_dst_], c.num_threads, c.workspace);
    node_scores_backward_input(d_dst, parameter(layer.a_dst_), d_z_dst, c.num_threads);
    linear_backward_weight(destination, d_z_dst, gradients[layer.weight_dst_], c.num_threads, c.workspace);
    if (!d_input.destination.empty()) {
      linear_backward_input(destination, parameter(layer.weight_dst_), d_z_dst, d_input.destination,
                            c.num_threads, c.workspace);
    }
  } else if (has_destinations) {
    const ConstMatrixView z_dst(tape[kZSrc].data, d_dst.rows, joined);
    node_scores_backward_vector(z_dst, d_dst, gradients[layer.a_dst_], c.num_threads, c.workspace);
    node_scores_backward_input(d_dst, parameter(layer.a_dst_), d_z, c.num_threads);
  }
  linear_backward_weight(source, d_z, gradients[layer.weight_], c.num_threads, c.workspace);
  if (!d_input.source.empty()) {
    linear_backward_input(source, parameter(layer.weight_), d_z, d_input.source, c.num_threads, c.workspace);
  }
}

void GatLayer::Run::backward(ConstMatrixView d_output, const InputGradient& d_input,
                             const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  Tape& tape = *c.tape;
  const Index destinations = c.graph.num_destinations();

  ConstMatrixView d_argument = d_output;
  if (o.activation.kind != ActivationKind::identity) {
    const MatrixView d = c.workspace.matrix(d_output.rows, d_output.cols);
    activation_backward(o.activation, tape[kArgument], d_output, d, c.num_threads);
    d_argument = d;
  }
  if (layer.bias_ >= 0) add_column_sums(d_argument, gradients[layer.bias_], c.num_threads, c.workspace);
  backward_residual(d_argument, d_input, gradients);

  // merged = heads side by side, or Σ_h heads_h / H
  ConstMatrixView d_heads = d_argument;
  if (o.merge == HeadMerge::mean && o.num_heads > 1) {
    const MatrixView d = c.workspace.matrix(destinations, joined);
    const Real share = 1 / static_cast<Real>(o.num_heads);
    for (Index i = 0; i < destinations; ++i) {
      for (Index k = 0; k < joined; ++k) d(i, k) = share * d_argument(i, k % o.head_dim);
    }
    d_heads = d;
  }

  GatScoreInput score;
  score.negative_slope = o.negative_slope;
  score.source = tape[kScoreSrc];
  GatScoreGradient d_score;
  d_score.source = c.workspace.zeros(c.graph.num_sources(), o.num_heads);
  if (has_destinations) {
    score.destination = tape[kScoreDst];
    d_score.destination = c.workspace.zeros(destinations, o.num_heads);
  }
  if (o.edge_features > 0) {
    score.edge = tape[kScoreEdge];
    d_score.edge = c.workspace.zeros(in.edge_features.rows, o.num_heads);
  }
  const ConstMatrixView values = value_mask.active() ? tape[kValues] : tape[kZSrc];
  const MatrixView d_values = c.workspace.zeros(c.graph.num_sources(), joined);
  attention_backward(attention_input(values), score, {tape[kRowMax], tape[kInverseSum]}, tape[kHeads],
                     d_heads, d_score, {d_values, d_input.log_prior, d_input.factor});
  if (o.edge_features > 0) backward_edge_scores(d_score.edge, d_input, gradients);
  backward_projections(d_values, d_score.source, d_score.destination, d_input, gradients);
}

void GatLayer::forward(const Context& context, const LayerInput& input, MatrixView output) const {
  Run(*this, context, input).forward(output);
}

void GatLayer::backward(const Context& context, const LayerInput& input, ConstMatrixView d_output,
                        const InputGradient& d_input, const Gradients& gradients) const {
  Run(*this, context, input).backward(d_output, d_input, gradients);
}

}  // namespace gat::inline GAT_PRECISION
