/// One use of the general attention layer: what forward and backward both need.
///
/// attention_run.cpp  rows of queries, keys and values, what edges bring, which edges take part, forward
/// attention_gradient.cpp  from the gradient of the heads back to inputs and parameters
/// attention_output.cpp  between merged heads and output, both directions
/// attention_edge_loss.cpp  SuperGAT's edge loss, both directions
#pragma once

#include <optional>
#include <vector>

#include "gat/kernels/heads.hpp"
#include "gat/nn/layers/attention.hpp"
#include "nn/layers/edge_loss.hpp"
#include "nn/layers/head_rows.hpp"
#include "nn/layers/position_window.hpp"

namespace gat::inline GAT_PRECISION {

struct AttentionLayer::Run {
  // Places that draw random numbers; the numbers are part of the meaning of a seed.
  enum Site : std::uint64_t {
    kFeatureSite = 1,
    kDestinationSite = 2,
    kValueSite = 3,
    kAttentionSite = 4,
    kSelectionSite = 5,
    kEdgeLossSite = 6
  };
  // What is kept from forward to backward.
  enum Slot {
    kQueries,
    kKeys,
    kValues,
    kSourceNumbers,
    kDestinationNumbers,
    kEdgeQuery,
    kEdgeNumbers,
    kHidden,
    kShare,
    kPositions,
    kThreshold,
    kLast,
    kRowMax,
    kInverseSum,
    kHeads,
    kMerged,
    kProjected,
    kResidual,
    kGateShare,
    kGated,
    kArgument,
    kEdgeLoss
  };
  // Rows of heads and numbers per node; empty = not there.
  struct Rows {
    ConstMatrixView queries, keys, values, source_numbers, destination_numbers, edge_numbers;
  };
  // Where gradients of rows go while the operator's backward runs; empty = not wanted.
  struct RowGradients {
    MatrixView queries, keys, values, source_numbers, destination_numbers, edge_numbers, log_prior;
  };
  // The gradients of the layer's inputs, each with several writers.
  struct InputTargets {
    AddedRows source, destination, values;
    AddedRows& receivers(bool own) { return own ? destination : source; }
    AddedRows& of_values(bool given) { return given ? values : source; }
  };

  Run(const AttentionLayer& layer_in, const Context& context, const LayerInput& input);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void forward(MatrixView output);
  void backward(ConstMatrixView output, ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients);

  // Memory that backward reads again, or scratch memory where there is no backward.
  MatrixView keep(Slot slot, Index rows, Index cols) const {
    return c.tape != nullptr ? c.tape->matrix(slot, rows, cols) : c.workspace.matrix(rows, cols);
  }
  ConstMatrixView parameter(Index number) const { return number < 0 ? ConstMatrixView() : c.weights[number]; }
  static MatrixView gradient_of(const Gradients& gradients, Index number) {
    return number < 0 ? MatrixView() : gradients[number];
  }

  // Rows and numbers.
  void set_up_rows(const RandomStream& random);
  HeadRows row_map(const LinearInput& features, const HeadLayout& layout, Index weight, Index bias) const {
    return {features, layout, parameter(weight), parameter(bias)};
  }
  HeadRows query_map() const;
  HeadRows key_map() const { return row_map(source, key_heads, n.key_weight, n.key_bias); }
  HeadRows value_map() const { return row_map(values, heads, n.value_weight, n.value_bias); }
  Rows make_rows() const;
  Rows kept_rows() const;
  void make_numbers(Rows& rows) const;

  // Edges.
  void make_positions();
  void set_up_edges(MatrixView d_positions);
  EdgeTerm weight_prior() const;
  ScoreInput score_input(const Rows& rows) const;
  AttentionInput attention_input(const Rows& rows, const EdgeTerms& terms) const;
  bool draws() const { return o.selection == Selection::sampled && c.mode == Mode::training; }
  SelectedEdges select(const AttentionInput& input, const ScoreInput& score) const;
  SelectedEdges kept_selection() const;
  void close_edges_of(const AttentionSink& sink) const;

  // The edge loss.
  bool has_edge_loss() const { return o.edge_loss > 0 && c.mode == Mode::training && c.tape != nullptr; }
  NodePairs edge_loss_pairs() const;
  EdgeLoss edge_loss(const NodePairs& pairs, const Rows& rows) const;
  void forward_edge_loss(const Rows& rows) const;
  void backward_edge_loss(const Rows& rows, const RowGradients& d_rows) const;

  // Output.
  bool plain_output() const { return o.output_dim == 0 && !o.gate; }
  MatrixView forward_residual() const;
  MergeHeads merge_of(ConstMatrixView merged_heads, MatrixView added, MatrixView output) const;
  void finish_output(ConstMatrixView merged, MatrixView added, MatrixView output) const;
  MergeHeadsGradient merge_gradient(ConstMatrixView output, ConstMatrixView d_output) const;
  MatrixView backward_output(ConstMatrixView output, ConstMatrixView d_output, MatrixView& d_residual,
                             const Gradients& gradients) const;
  void backward_residual(ConstMatrixView d_residual, InputTargets& targets, const Gradients& gradients) const;

  // Backward.
  RowGradients row_gradients() const;
  void backward_attention(const Rows& rows, MatrixView d_heads, const RowCallback& wanted,
                          const RowGradients& d_rows, const InputGradient& d_input,
                          const Gradients& gradients) const;
  void backward_drawn(const AttentionInput& input, const ScoreInput& score, MatrixView d_heads,
                      const RowCallback& wanted, const ScoreGradient& d_score,
                      const AttentionGradient& gradient) const;
  MatrixView advantages() const;
  void backward_numbers(const Rows& rows, const RowGradients& d_rows, const InputGradient& d_input,
                        const Gradients& gradients) const;
  void backward_rows(const RowGradients& d_rows, InputTargets& targets, const Gradients& gradients) const;
  void backward_positions(MatrixView d_positions, InputTargets& targets, const Gradients& gradients) const;
  void backward_weight_prior(ConstMatrixView d_prior, const InputGradient& d_input) const;

  const AttentionLayer& layer;
  const AttentionLayerOptions& o;
  const Numbers& n;
  const ScoreDescription& description;
  const Context& c;
  const LayerInput& in;
  HeadLayout heads, key_heads, query_heads;
  SimdLevel level;
  Residual residual_kind = Residual::none;
  bool own = false, has_destinations = true, has_keys = false, queries_are_keys = false,
       values_are_keys = false, edges_in_score = false, edges_in_values = false;
  DropoutMask attention_mask;
  RandomStream selection_random, edge_loss_random;
  LinearInput source, receivers, values;  // features of sources, of what receives, of values
  std::vector<ConstMatrixView> score_parameters;

  ConstMatrixView predicted;  // positions of a predictive window
  std::optional<PositionWindow> window;
  std::optional<WindowEdges> window_edges;
  EdgeTerms terms;
  const GraphView* graph;  // the layer's, or the edges inside the windows
};

}  // namespace gat::inline GAT_PRECISION
