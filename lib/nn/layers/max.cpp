#include "gat/nn/layers/max.hpp"

#include <string>

#include "gat/core/error.hpp"
#include "gat/kernels/combine.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

std::vector<ConstMatrixView> all_rows(const LayerInput& input, Index count, Workspace& workspace) {
  std::vector<ConstMatrixView> rows;
  for (Index k = 0; k < input.num_inputs(); ++k) rows.push_back(dense_rows(input.input(k), count, workspace));
  return rows;
}

}  // namespace

MaxLayer::MaxLayer(std::span<const Index> in_features) : widths_(in_features.begin(), in_features.end()) {
  for (const Index width : widths_) {
    if (width == widths_.front()) continue;
    throw UsageError("max layer: inputs of widths " + std::to_string(widths_.front()) + " and " +
                     std::to_string(width) + " cannot be compared; give them one width");
  }
}

Index MaxLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("max", graph, input, widths_);
  return output_width();
}

void MaxLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  max_rows(all_rows(input, output.rows, c.workspace), output, c.execution);
}

void MaxLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView output,
                        ConstMatrixView d_output, const InputGradient& d_input,
                        const Gradients& /*gradients*/) const {
  const Workspace::Scope scope(c.workspace);
  const std::vector<ConstMatrixView> rows = all_rows(input, d_output.rows, c.workspace);
  for (Index k = 0; k < input.num_inputs(); ++k) {
    const RowGradient d_x = first_rows(d_input.input(k), d_output.rows);
    if (!d_x.rows.empty()) max_rows_backward(rows, output, d_output, k, d_x.rows, !d_x.is_new, c.execution);
  }
}

std::unique_ptr<Layer> MaxLayer::from_description(const LayerDescription& description,
                                                  std::span<const Index> in_features) {
  OptionReader(description).finish();
  return std::make_unique<MaxLayer>(in_features);
}

}  // namespace gat::inline GAT_PRECISION
