// The general attention layer between the merged heads and the output: linear map, residual, gate, bias,
// activation; both directions.
#include "core/parallel.hpp"
#include "nn/layers/attention_run.hpp"
#include "nn/layers/gated_residual.hpp"
#include "nn/layers/sum_blocks.hpp"

namespace gat::inline GAT_PRECISION {

// What is added to the heads or mixed with them; empty when nothing is. The residual reads features after
// dropout.
MatrixView AttentionLayer::Run::forward_residual() const {
  if (residual_kind == Residual::none) return {};
  const Index width = o.output_width();
  const MatrixView added = o.gate ? keep(kResidual, c.graph.num_destinations(), width)
                                  : c.workspace.matrix(c.graph.num_destinations(), width);
  row_map(receivers, HeadLayout(1, width), n.residual_weight, n.residual_bias)
      .forward(added, c.execution, c.workspace);
  return added;
}

// The merging of heads inside the operator: all the way to the output where nothing stands between.
MergeHeads AttentionLayer::Run::merge_of(ConstMatrixView merged_heads, MatrixView added,
                                         MatrixView output) const {
  MergeHeads merge;
  merge.layout = heads;
  merge.mean = o.merge == HeadMerge::mean;
  merge.heads = merged_heads;
  merge.output = merge.argument = output;
  if (!plain_output()) return merge;
  if (n.bias >= 0) merge.bias = parameter(n.bias).data;
  merge.added = added;
  merge.activation = o.activation;
  // Where the activation's slope cannot be told from its result, backward needs the argument.
  if (!slope_from_value(o.activation)) merge.argument = keep(kArgument, output.rows, output.cols);
  return merge;
}

void AttentionLayer::Run::finish_output(ConstMatrixView merged, MatrixView added, MatrixView output) const {
  const Index rows = output.rows, width = o.output_width();
  ConstMatrixView result = merged;
  if (o.output_dim > 0) {
    const MatrixView projected = keep(kProjected, rows, width);
    LinearInput input;
    input.rows = FeatureView(merged);
    linear_forward(input, parameter(n.output_weight), projected, c.execution, c.workspace);
    result = projected;
  }
  if (o.gate) {
    const MatrixView mixed = keep(kGated, rows, width);
    GatedResidual{result, added, parameter(n.gate_weight), keep(kGateShare, rows, 1)}.forward(mixed,
                                                                                              c.execution);
    result = mixed;
  }
  MergeHeads merge;
  merge.layout = HeadLayout(1, width);
  merge.heads = result;
  if (n.bias >= 0) merge.bias = parameter(n.bias).data;
  if (!o.gate) merge.added = added;
  merge.activation = o.activation;
  merge.output = output;
  merge.argument = slope_from_value(o.activation) ? output : keep(kArgument, rows, width);
  parallel_for(c.execution.num_threads, rows, 4 * width,
               [&](Index first, Index last, int) { merge_heads(merge, first, last, level); });
}

// Of the last step: bias, activation and, where nothing stands between, the merging of heads.
MergeHeadsGradient AttentionLayer::Run::merge_gradient(ConstMatrixView output,
                                                       ConstMatrixView d_output) const {
  MergeHeadsGradient merge;
  merge.layout = plain_output() ? heads : HeadLayout(1, o.output_width());
  merge.mean = plain_output() && o.merge == HeadMerge::mean;
  merge.activation = o.activation;
  merge.argument = slope_from_value(o.activation) ? output : ConstMatrixView((*c.tape)[kArgument]);
  merge.d_output = d_output;
  if (residual_kind != Residual::none && !o.gate)
    merge.d_argument = c.workspace.matrix(d_output.rows, d_output.cols);
  merge.d_heads = c.workspace.matrix(d_output.rows, merge.layout.width());
  if (n.bias >= 0) merge.d_bias = c.workspace.zeros(kSumBlocks, d_output.cols);
  return merge;
}

// The gradient of the merged heads where a map or a gate stands between them and the output.
MatrixView AttentionLayer::Run::backward_output(ConstMatrixView output, ConstMatrixView d_output,
                                                MatrixView& d_residual, const Gradients& gradients) const {
  const Index rows = d_output.rows, width = o.output_width();
  Tape& tape = *c.tape;
  const MergeHeadsGradient merge = merge_gradient(output, d_output);
  for_sum_blocks(c.execution, rows, 4 * width,
                 [&](Index, Index first, Index last) { merge_heads_backward(merge, first, last, level); });
  if (n.bias >= 0) add_blocks(merge.d_bias, gradients[n.bias]);
  d_residual = merge.d_argument;
  MatrixView d_result = merge.d_heads.columns(0, width);
  if (o.gate) {
    const MatrixView d_m = c.workspace.matrix(rows, width);
    d_residual = c.workspace.matrix(rows, width);
    const ConstMatrixView m = tape[o.output_dim > 0 ? kProjected : kMerged];
    GatedResidual{m, tape[kResidual], parameter(n.gate_weight), tape[kGateShare]}.backward(
        d_result, d_m, d_residual, gradients[n.gate_weight], c.execution, c.workspace);
    d_result = d_m;
  }
  if (o.output_dim == 0) return d_result;
  LinearInput merged;
  merged.rows = FeatureView(tape[kMerged]);
  const MatrixView d_merged = c.workspace.matrix(rows, o.merged_width());
  linear_backward_weight(merged, d_result, gradients[n.output_weight], c.execution, c.workspace);
  linear_backward_input(merged, parameter(n.output_weight), d_result, d_merged, c.execution, c.workspace,
                        false);
  return d_merged;
}

void AttentionLayer::Run::backward_residual(ConstMatrixView d_residual, InputTargets& targets,
                                            const Gradients& gradients) const {
  if (residual_kind == Residual::none) return;
  row_map(receivers, HeadLayout(1, o.output_width()), n.residual_weight, n.residual_bias)
      .backward(d_residual, gradient_of(gradients, n.residual_weight),
                gradient_of(gradients, n.residual_bias), targets.receivers(own), c.execution, c.workspace);
}

}  // namespace gat::inline GAT_PRECISION
