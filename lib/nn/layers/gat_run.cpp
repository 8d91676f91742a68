// The arithmetic of the GAT layer: forward and backward of one use.
#include <algorithm>

#include "gat/core/error.hpp"
#include "gat/kernels/edge_scores.hpp"
#include "gat/kernels/heads.hpp"
#include "gat/kernels/linear.hpp"
#include "gat/nn/layers/gat.hpp"
#include "nn/layers/sum_blocks.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Places that draw random numbers; the numbers are part of the meaning of a seed.
enum Site : std::uint64_t { kFeatureSite = 1, kDestinationSite = 2, kValueSite = 3, kAttentionSite = 4 };

enum Slot {
  kZSrc,
  kZDst,
  kValues,  // where they are not the rows of kZSrc: dropped out, rounded to bf16, or both
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
      : layer(layer_in),
        o(layer_in.options_),
        c(context_in),
        in(input_in),
        heads(o.num_heads, o.head_dim),
        level(context_in.execution.simd),
        rounds(context_in.execution.rows == RowPrecision::bf16) {
    if (rounds && sizeof(Real) != sizeof(float)) {
      throw UsageError("gat layer: rows in bf16 are for the float library; this one computes in double");
    }
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
    // The only head's mask is the one for all.
    const bool per_head = o.dropout_per_head && o.num_heads > 1 && source_mask.active();
    const Index masks = per_head ? o.num_heads : 1;
    const HeadLayout* head_masks = per_head ? &heads : nullptr;
    source = {in.source, arrays.node_ids, source_mask, masks, head_masks};
    if (own) {
      destination = {in.destination.features, arrays.destination_ids, destination_mask, masks, head_masks};
    } else if (has_destinations) {
      const Index count = c.graph.num_destinations();
      const auto ids =
          arrays.node_ids.empty() ? arrays.node_ids : arrays.node_ids.first(static_cast<std::size_t>(count));
      destination = {first_rows(in.source, count), ids, source_mask, masks, head_masks};
    }
    residual = destination;
    residual.head_masks = nullptr;
  }

  // Memory that backward reads again, or scratch memory where there is no backward.
  MatrixView keep(Slot slot, Index rows, Index cols) const {
    return c.tape != nullptr ? c.tape->matrix(slot, rows, cols) : c.workspace.matrix(rows, cols);
  }

  ConstMatrixView parameter(Index i) const { return c.weights[i]; }
  // Where the activation's slope cannot be told from its result, backward needs the argument.
  bool keeps_argument() const { return !slope_from_value(o.activation); }
  const Real* bias_or_null(Index i) const { return i < 0 ? nullptr : parameter(i).data; }

  AttentionInput attention_input(ConstMatrixView values, const Bf16Rows& rounded) const {
    AttentionInput input{c.graph, heads, values, in.edges, attention_mask, c.execution, c.workspace};
    input.bf16_values = rounded;
    return input;
  }

  void forward(MatrixView output) const;
  void backward(ConstMatrixView output, ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const;

  MatrixView forward_edge_scores() const;
  MatrixView forward_residual(Index rows) const;
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
  HeadLayout heads;
  SimdLevel level;
  bool rounds;  // the values that edges gather, to bf16
  bool own = false;
  bool has_destinations = true;
  DropoutMask value_mask, attention_mask;
  LinearInput source, destination, residual;
};

MatrixView GatLayer::Run::forward_edge_scores() const {
  const MatrixView query = keep(kEdgeQuery, o.num_heads, o.edge_features);
  edge_queries(parameter(layer.edge_weight_), parameter(layer.a_edge_), query, level);
  const MatrixView scores = keep(kScoreEdge, in.edge_features.rows, o.num_heads);
  edge_scores(in.edge_features, query, scores, c.execution);
  return scores;
}

// What is added to the merged heads; empty when nothing is.
MatrixView GatLayer::Run::forward_residual(Index rows) const {
  if (o.residual == Residual::none) return {};
  const Index width = layer.output_width();
  const MatrixView added = c.workspace.matrix(rows, width);
  if (o.residual == Residual::learned) {
    linear_forward(residual, parameter(layer.residual_weight_), added, c.execution, c.workspace);
  } else {
    const MatrixView identity = c.workspace.zeros(width, width);
    for (Index k = 0; k < width; ++k) identity(k, k) = 1;
    linear_forward(residual, identity, added, c.execution, c.workspace);
  }
  return added;
}

void GatLayer::Run::forward(MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  const Index destinations = c.graph.num_destinations();
  const MatrixView z_src = keep(kZSrc, c.graph.num_sources(), heads.width());
  ScoreInput score;
  score.negative_slope = o.negative_slope;
  const MatrixView s_src = keep(kScoreSrc, z_src.rows, heads.score_width());
  score.source = s_src;
  const NodeScores source_scores{heads, z_src, parameter(layer.a_src_), bias_or_null(layer.score_bias_src_),
                                 s_src};
  NodeScores destination_scores;
  if (has_destinations) {
    const MatrixView s_dst = keep(kScoreDst, destinations, heads.score_width());
    const MatrixView z_dst = own ? keep(kZDst, destinations, heads.width()) : z_src;
    destination_scores = {heads, z_dst, parameter(layer.a_dst_), bias_or_null(layer.score_bias_dst_), s_dst};
    score.destination = s_dst;
    if (own) {
      linear_forward(destination, parameter(layer.weight_dst_), z_dst, c.execution, c.workspace,
                     [&](Index first, Index last) { node_scores(destination_scores, first, last, level); });
    }
  }
  // Scores read z as it is. What edges gather, v = m ⊙ z under the original's second feature dropout, or z
  // itself, is dropped out and rounded while the rows are in the cache.
  const Bf16Rows rounded =
      rounds ? Bf16Rows(keep(kValues, z_src.rows, Bf16Rows::memory_cols(heads.width())), heads.width())
             : Bf16Rows();
  const MatrixView values = value_mask.active() && !rounds ? keep(kValues, z_src.rows, z_src.cols) : z_src;
  const DropHeads change{value_mask, c.graph, z_src, values, rounded};
  linear_forward(source, parameter(layer.weight_), z_src, c.execution, c.workspace,
                 [&](Index first, Index last) {
                   node_scores(source_scores, first, last, level);
                   if (has_destinations && !own) node_scores(destination_scores, first, last, level);
                   if (rounds || value_mask.active()) drop_heads(change, first, last, level);
                 });
  if (o.edge_features > 0) score.edge = forward_edge_scores();

  MergeHeads merge;
  merge.layout = heads;
  merge.mean = o.merge == HeadMerge::mean;
  const MatrixView out = keep(kHeads, destinations, heads.width());
  merge.heads = out;
  merge.bias = bias_or_null(layer.bias_);
  merge.added = forward_residual(destinations);
  merge.activation = o.activation;
  merge.output = output;
  merge.argument = keeps_argument() ? keep(kArgument, output.rows, output.cols) : output;
  const AttentionState state{keep(kRowMax, destinations, heads.score_width()),
                             keep(kInverseSum, destinations, heads.score_width())};
  attention_forward(attention_input(values, rounded), score, state, out, c.attention,
                    [&](Index first, Index last) { merge_heads(merge, first, last, level); });
}

// out = merged heads + residual(x) + bias
void GatLayer::Run::backward_residual(ConstMatrixView d_out, const InputGradient& d_input,
                                      const Gradients& gradients) const {
  if (o.residual == Residual::none) return;
  const Workspace::Scope scope(c.workspace);
  MatrixView d_rows = own ? d_input.destination : d_input.source;
  if (!own && d_input.source_is_new && !d_rows.empty()) d_rows.fill(0);
  if (!d_rows.empty()) d_rows.rows = d_out.rows;
  if (o.residual == Residual::learned) {
    linear_backward_weight(residual, d_out, gradients[layer.residual_weight_], c.execution, c.workspace);
    if (d_rows.empty()) return;
    linear_backward_input(residual, parameter(layer.residual_weight_), d_out, d_rows, c.execution,
                          c.workspace);
  } else if (!d_rows.empty()) {
    const MatrixView identity = c.workspace.zeros(d_out.cols, d_out.cols);
    for (Index k = 0; k < d_out.cols; ++k) identity(k, k) = 1;
    linear_backward_input(residual, identity, d_out, d_rows, c.execution, c.workspace);
  }
}

void GatLayer::Run::backward_edge_scores(ConstMatrixView d_edge, const InputGradient& d_input,
                                         const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const MatrixView d_query = c.workspace.zeros(o.num_heads, o.edge_features);
  edge_scores_backward(in.edge_features, (*c.tape)[kEdgeQuery], d_edge, d_query, d_input.edge_features,
                       c.execution, c.workspace);
  edge_queries_backward(parameter(layer.edge_weight_), parameter(layer.a_edge_), d_query,
                        gradients[layer.edge_weight_], gradients[layer.a_edge_], level);
}

// v = m ⊙ z, s_src = z_src a_src + b, s_dst = z_dst a_dst + b, z = X W. `d_values` becomes d_z, row by
// row as the gradient of W reads it.
void GatLayer::Run::backward_projections(MatrixView d_values, ConstMatrixView d_src, ConstMatrixView d_dst,
                                         const InputGradient& d_input, const Gradients& gradients) const {
  Tape& tape = *c.tape;
  const MatrixView d_z = d_values;
  const DropHeads drop{value_mask, c.graph, d_z, d_z};
  if (layer.score_bias_src_ >= 0) {
    add_column_sums(d_src.columns(0, o.num_heads), gradients[layer.score_bias_src_], c.execution,
                    c.workspace);
    if (has_destinations)
      add_column_sums(d_dst.columns(0, o.num_heads), gradients[layer.score_bias_dst_], c.execution,
                      c.workspace);
  }
  const MatrixView d_a_src = c.workspace.zeros(kSumBlocks, heads.width());
  const MatrixView d_a_dst = c.workspace.zeros(kSumBlocks, heads.width());
  const NodeScoreGradient of_source{heads, tape[kZSrc], parameter(layer.a_src_), d_src, d_z, d_a_src};
  NodeScoreGradient of_destination{heads, tape[kZSrc], parameter(layer.a_dst_), d_dst, d_z, d_a_dst};
  if (own) {
    const MatrixView d_z_dst = c.workspace.zeros(d_dst.rows, heads.width());
    of_destination.z = tape[kZDst];
    of_destination.d_z = d_z_dst;
    linear_backward_weight(
        destination, d_z_dst, gradients[layer.weight_dst_], c.execution, c.workspace,
        [&](Index first, Index last) { node_scores_backward(of_destination, first, last, level); });
    if (!d_input.destination.empty()) {
      linear_backward_input(destination, parameter(layer.weight_dst_), d_z_dst, d_input.destination,
                            c.execution, c.workspace);
    }
  }
  // Padding behind the last column has no gradient.
  const Index columns = heads.num_groups == 1 ? heads.head_dim * heads.lanes : heads.width();
  const bool add = !d_input.source_is_new || o.residual != Residual::none;
  linear_backward(source, parameter(layer.weight_).columns(0, columns), d_z.columns(0, columns),
                  gradients[layer.weight_].columns(0, columns), d_input.source, c.execution, c.workspace, add,
                  [&](Index first, Index last) {
                    if (value_mask.active()) drop_heads(drop, first, last, level);
                    node_scores_backward(of_source, first, last, level);
                    if (has_destinations && !own) node_scores_backward(of_destination, first, last, level);
                  });
  add_blocks(d_a_src, gradients[layer.a_src_]);
  if (has_destinations) add_blocks(d_a_dst, gradients[layer.a_dst_]);
}

void GatLayer::Run::backward(ConstMatrixView output, ConstMatrixView d_output, const InputGradient& d_input,
                             const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  Tape& tape = *c.tape;
  const Index destinations = c.graph.num_destinations();

  MergeHeadsGradient merge;
  merge.layout = heads;
  merge.mean = o.merge == HeadMerge::mean;
  merge.activation = o.activation;
  merge.argument = keeps_argument() ? ConstMatrixView(tape[kArgument]) : output;
  merge.d_output = d_output;
  if (o.residual != Residual::none) merge.d_argument = c.workspace.matrix(d_output.rows, d_output.cols);
  // Rows of heads are as wide as their merged row, unless padded.
  const bool in_place = !d_input.spent.empty() && d_input.spent.cols == heads.width();
  merge.d_heads = in_place ? d_input.spent : c.workspace.matrix(destinations, heads.width());
  if (layer.bias_ >= 0) merge.d_bias = c.workspace.zeros(kSumBlocks, d_output.cols);

  ScoreInput score;
  score.negative_slope = o.negative_slope;
  score.source = tape[kScoreSrc];
  ScoreGradient d_score;
  d_score.source = c.workspace.matrix(c.graph.num_sources(), heads.score_width());
  if (has_destinations) {
    score.destination = tape[kScoreDst];
    d_score.destination = c.workspace.matrix(destinations, heads.score_width());
  }
  if (o.edge_features > 0) {
    score.edge = tape[kScoreEdge];
    d_score.edge = c.workspace.zeros(in.edge_features.rows, o.num_heads);
  }
  const ConstMatrixView values = value_mask.active() && !rounds ? tape[kValues] : tape[kZSrc];
  const Bf16Rows rounded = rounds ? Bf16Rows(tape[kValues], heads.width()) : Bf16Rows();
  const MatrixView d_values = c.workspace.matrix(c.graph.num_sources(), heads.width());
  attention_backward(attention_input(values, rounded), score, {tape[kRowMax], tape[kInverseSum]},
                     tape[kHeads], merge.d_heads, d_score, {d_values, d_input.log_prior, d_input.factor},
                     [&](Index first, Index last) { merge_heads_backward(merge, first, last, level); });
  if (layer.bias_ >= 0) add_blocks(merge.d_bias, gradients[layer.bias_]);
  backward_residual(merge.d_argument, d_input, gradients);
  if (o.edge_features > 0) backward_edge_scores(d_score.edge, d_input, gradients);
  backward_projections(d_values, d_score.source, d_score.destination, d_input, gradients);
}

void GatLayer::forward(const Context& context, const LayerInput& input, MatrixView output) const {
  Run(*this, context, input).forward(output);
}

void GatLayer::backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                        ConstMatrixView d_output, const InputGradient& d_input,
                        const Gradients& gradients) const {
  Run(*this, context, input).backward(output, d_output, d_input, gradients);
}

}  // namespace gat::inline GAT_PRECISION
