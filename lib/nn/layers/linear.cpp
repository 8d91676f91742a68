#include "gat/nn/layers/linear.hpp"

#include <string>

#include "core/named_values.hpp"
#include "gat/core/row_callback.hpp"
#include "gat/kernels/bias_activation.hpp"
#include "gat/kernels/linear.hpp"
#include "nn/layers/checks.hpp"
#include "nn/layers/rows.hpp"
#include "nn/layers/sum_blocks.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<LinearInitial, 2> kInitials{
    {{LinearInitial::pytorch, "pytorch"}, {LinearInitial::glorot, "glorot"}}};

// Places that draw random numbers; the numbers are part of the meaning of a seed.
enum Site : std::uint64_t { kInputSite = 1, kArgumentSite = 2 };
enum Slot { kArgument };

LinearInput input_of(const Context& c, const LayerInput& input, double dropout) {
  const Index rows = c.graph.num_destinations();
  return {first_rows(input.source, rows), global_rows(c.graph, rows), dropout_mask(c, kInputSite, dropout)};
}

}  // namespace

std::string_view name_of(LinearInitial value) { return name_in(kInitials, value); }
LinearInitial linear_initial_named(std::string_view name) {
  return value_in(kInitials, name, "initial values of a linear layer");
}

void LinearLayerOptions::validate() const {
  if (in_features < 0) throw UsageError("linear layer: in_features cannot be negative");
  if (out_features < 1) {
    throw UsageError("linear layer: out_features is " + std::to_string(out_features) + "; it is at least 1");
  }
  check_probability("linear", "dropout", dropout);
  check_probability("linear", "argument_dropout", argument_dropout);
}

LinearLayer::LinearLayer(const LinearLayerOptions& options) : options_(options) {
  options_.validate();
  const Index in = options.in_features;
  const bool glorot = options.initial == LinearInitial::glorot;
  parameters_.push_back(matrix_spec("weight", options.out_features, in,
                                    glorot ? Initializer::glorot_joined : Initializer::uniform_fan_in));
  if (options.bias) {
    parameters_.push_back(vector_spec("bias", options.out_features, DecayGroup::bias,
                                      glorot ? Initializer::zeros : Initializer::uniform_fan_in, in));
  }
}

Index LinearLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_features("linear", graph, input, options_.in_features);
  return output_width();
}

void LinearLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  const LinearInput x = input_of(c, input, options_.dropout);
  BiasActivation end;
  end.bias = options_.bias ? c.weights[1].data : nullptr;
  end.dropout = dropout_mask(c, kArgumentSite, options_.argument_dropout);
  end.global_rows = x.global_rows;
  end.activation = options_.activation;
  end.output = end.argument = output;
  // Where the activation's slope cannot be told from its result, backward needs the argument.
  if (c.tape != nullptr && !slope_from_value(options_.activation))
    end.argument = c.tape->matrix(kArgument, output.rows, output.cols);
  linear_forward(x, c.weights[0], end.argument, c.execution, c.workspace,
                 [&](Index first, Index last) { bias_activation(end, first, last, c.execution.simd); });
}

void LinearLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView output,
                           ConstMatrixView d_output, const InputGradient& d_input,
                           const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const LinearInput x = input_of(c, input, options_.dropout);
  BiasActivationGradient end;
  end.dropout = dropout_mask(c, kArgumentSite, options_.argument_dropout);
  end.global_rows = x.global_rows;
  end.activation = options_.activation;
  end.argument = slope_from_value(options_.activation) ? output : ConstMatrixView((*c.tape)[kArgument]);
  end.d_output = d_output;
  if (end.dropout.active() || options_.activation.kind != ActivationKind::identity)
    end.d_argument = c.workspace.matrix(d_output.rows, d_output.cols);
  if (options_.bias) end.d_bias = c.workspace.zeros(kSumBlocks, d_output.cols);
  const ConstMatrixView d = end.d_argument.empty() ? d_output : ConstMatrixView(end.d_argument);
  linear_backward_weight(x, d, gradients[0], c.execution, c.workspace, [&](Index first, Index last) {
    bias_activation_backward(end, first, last, c.execution.simd);
  });
  if (options_.bias) add_blocks(end.d_bias, gradients[1]);
  const RowGradient d_x = first_rows(d_input.input(0), d.rows);
  if (!d_x.rows.empty())
    linear_backward_input(x, c.weights[0], d, d_x.rows, c.execution, c.workspace, !d_x.is_new);
}

std::unique_ptr<Layer> LinearLayer::from_description(const LayerDescription& description, Index in_features,
                                                     Index /*edge_features*/) {
  LinearLayerOptions o;
  o.in_features = in_features;
  OptionReader options(description);
  std::string activation(name_of(o.activation.kind)), initial(name_of(o.initial));
  options.read("out_features", o.out_features);
  options.read("bias", o.bias);
  options.read("activation", activation);
  options.read("activation_parameter", o.activation.parameter);
  options.read("dropout", o.dropout);
  options.read("argument_dropout", o.argument_dropout);
  options.read("initial", initial);
  options.finish();
  o.activation.kind = activation_named(activation);
  o.initial = linear_initial_named(initial);
  return std::make_unique<LinearLayer>(o);
}

LayerDescription LinearLayer::describe() const {
  return {"linear",
          {{"out_features", options_.out_features},
           {"bias", options_.bias},
           {"activation", std::string(name_of(options_.activation.kind))},
           {"activation_parameter", options_.activation.parameter},
           {"dropout", options_.dropout},
           {"argument_dropout", options_.argument_dropout},
           {"initial", std::string(name_of(options_.initial))}}};
}

}  // namespace gat::inline GAT_PRECISION
