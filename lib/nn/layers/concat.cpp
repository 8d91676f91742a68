#include "gat/nn/layers/concat.hpp"

#include <numeric>

#include "gat/kernels/combine.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

ConcatLayer::ConcatLayer(std::span<const Index> in_features)
    : widths_(in_features.begin(), in_features.end()),
      output_width_(std::accumulate(widths_.begin(), widths_.end(), Index(0))) {}

Index ConcatLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("concat", graph, input, widths_);
  return output_width_;
}

void ConcatLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  Index column = 0;
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    const Workspace::Scope scope(c.workspace);
    const ConstMatrixView rows = dense_rows(input.input(static_cast<Index>(k)), output.rows, c.workspace);
    copy_rows(rows, output.columns(column, widths_[k]), false, c.execution);
    column += widths_[k];
  }
}

void ConcatLayer::backward(const Context& c, const LayerInput& /*input*/, ConstMatrixView /*output*/,
                           ConstMatrixView d_output, const InputGradient& d_input,
                           const Gradients& /*gradients*/) const {
  Index column = 0;
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    const RowGradient d_x = first_rows(d_input.input(static_cast<Index>(k)), d_output.rows);
    if (!d_x.rows.empty())
      copy_rows(d_output.columns(column, widths_[k]), d_x.rows, !d_x.is_new, c.execution);
    column += widths_[k];
  }
}

std::unique_ptr<Layer> ConcatLayer::from_description(const LayerDescription& description,
                                                     std::span<const Index> in_features) {
  OptionReader(description).finish();
  return std::make_unique<ConcatLayer>(in_features);
}

}  // namespace gat::inline GAT_PRECISION
