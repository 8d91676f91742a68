#include "gat/nn/layers/dropout.hpp"

#include <string>

#include "gat/kernels/combine.hpp"
#include "gat/kernels/dropout.hpp"
#include "nn/layers/checks.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Places that draw random numbers; the numbers are part of the meaning of a seed.
enum Site : std::uint64_t { kInputSite = 1 };

}  // namespace

DropoutLayer::DropoutLayer(Index in_features, double dropout) : in_features_(in_features), dropout_(dropout) {
  check_probability("dropout", "dropout", dropout);
}

Index DropoutLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("dropout", graph, input, {&in_features_, 1});
  return in_features_;
}

// to (+)= m ⊙ from
void DropoutLayer::drop(const Context& c, ConstMatrixView from, RowGradient to) const {
  const DropoutMask mask = dropout_mask(c, kInputSite, dropout_);
  if (!mask.active()) return copy_rows(from, to.rows, !to.is_new, c.execution);
  drop_rows({mask, global_rows(c.graph, from.rows), from, to.rows, !to.is_new}, c.execution);
}

void DropoutLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  drop(c, dense_rows(input.source, output.rows, c.workspace), {output, true});
}

void DropoutLayer::backward(const Context& c, const LayerInput& /*input*/, ConstMatrixView /*output*/,
                            ConstMatrixView d_output, const InputGradient& d_input,
                            const Gradients& /*gradients*/) const {
  const RowGradient d_x = first_rows(d_input.input(0), d_output.rows);
  if (!d_x.rows.empty()) drop(c, d_output, d_x);
}

std::unique_ptr<Layer> DropoutLayer::from_description(const LayerDescription& description, Index in_features,
                                                      Index /*edge_features*/) {
  double dropout = 0.5;
  OptionReader options(description);
  options.read("dropout", dropout);
  options.finish();
  return std::make_unique<DropoutLayer>(in_features, dropout);
}

LayerDescription DropoutLayer::describe() const { return {"dropout", {{"dropout", dropout_}}}; }

}  // namespace gat::inline GAT_PRECISION
