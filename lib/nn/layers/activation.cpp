#include "gat/nn/layers/activation.hpp"

#include <string>

#include "gat/kernels/combine.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

Index ActivationLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("activation", graph, input, {&in_features_, 1});
  return in_features_;
}

void ActivationLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  activation_forward(activation_, dense_rows(input.source, output.rows, c.workspace), output, c.execution);
}

void ActivationLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView /*output*/,
                               ConstMatrixView d_output, const InputGradient& d_input,
                               const Gradients& /*gradients*/) const {
  const Workspace::Scope scope(c.workspace);
  const RowGradient d_x = first_rows(d_input.input(0), d_output.rows);
  if (d_x.rows.empty()) return;
  const ConstMatrixView x = dense_rows(input.source, d_output.rows, c.workspace);
  const MatrixView d = d_x.is_new ? d_x.rows : c.workspace.matrix(d_output.rows, d_output.cols);
  activation_backward(activation_, x, d_output, d, c.execution);
  if (!d_x.is_new) copy_rows(d, d_x.rows, true, c.execution);
}

std::unique_ptr<Layer> ActivationLayer::from_description(const LayerDescription& description,
                                                         Index in_features, Index /*edge_features*/) {
  Activation activation{ActivationKind::relu, 1};
  OptionReader options(description);
  std::string kind(name_of(activation.kind));
  options.read("activation", kind);
  options.read("activation_parameter", activation.parameter);
  options.finish();
  activation.kind = activation_named(kind);
  return std::make_unique<ActivationLayer>(in_features, activation);
}

LayerDescription ActivationLayer::describe() const {
  return {"activation",
          {{"activation", std::string(name_of(activation_.kind))},
           {"activation_parameter", activation_.parameter}}};
}

}  // namespace gat::inline GAT_PRECISION
