#include "nn/layers/rows.hpp"

#include <algorithm>
#include <utility>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

void check_dense_inputs(const char* kind, const GraphView& graph, const LayerInput& input,
                        std::span<const Index> widths) {
  const std::string layer = std::string(kind) + " layer: ";
  if (input.num_inputs() != static_cast<Index>(widths.size())) {
    throw ShapeError(layer + "made for " + std::to_string(widths.size()) + " inputs, but got " +
                     std::to_string(input.num_inputs()));
  }
  if (graph.bipartite()) throw UsageError(layer + "destinations must be the first sources");
  for (Index i = 0; i < input.num_inputs(); ++i) {
    const FeatureView& rows = input.input(i);
    const Index width = widths[static_cast<std::size_t>(i)];
    if (rows.is_sparse())
      throw UsageError(layer + "reads dense rows, but the features are sparse; put a linear layer before it");
    if (rows.rows() == graph.num_sources() && rows.cols() == width) continue;
    throw ShapeError(layer + "input " + std::to_string(i + 1) + " has the shape " +
                     std::to_string(rows.rows()) + " × " + std::to_string(rows.cols()) + ", expected " +
                     std::to_string(graph.num_sources()) + " × " + std::to_string(width));
  }
}

void check_features(const char* kind, const GraphView& graph, const LayerInput& input, Index width) {
  if (!input.source.is_sparse()) return check_dense_inputs(kind, graph, input, {&width, 1});
  const std::string layer = std::string(kind) + " layer: ";
  if (graph.bipartite()) throw UsageError(layer + "destinations must be the first sources");
  if (input.source.rows() == graph.num_sources() && input.source.cols() == width) return;
  throw ShapeError(layer + "sparse features have the shape " + std::to_string(input.source.rows()) + " × " +
                   std::to_string(input.source.cols()) + ", expected " + std::to_string(graph.num_sources()) +
                   " × " + std::to_string(width));
}

ConstMatrixView dense_rows(const FeatureView& rows, Index count, Workspace& workspace) {
  if (rows.row_ids.empty()) return {rows.dense.data, count, rows.dense.cols, rows.dense.stride};
  const MatrixView copy = workspace.matrix(count, rows.dense.cols);
  for (Index r = 0; r < count; ++r) std::copy_n(rows.dense.row(rows.stored_row(r)), copy.cols, copy.row(r));
  return copy;
}

std::span<const NodeId> global_rows(const GraphView& graph, Index count) {
  const auto ids = graph.arrays().node_ids;
  return ids.empty() ? ids : ids.first(static_cast<std::size_t>(count));
}

RowGradient first_rows(RowGradient gradient, Index count) {
  if (gradient.rows.empty()) return gradient;
  if (gradient.is_new) {
    for (Index r = count; r < gradient.rows.rows; ++r)
      std::fill_n(gradient.rows.row(r), gradient.rows.cols, Real(0));
  }
  gradient.rows.rows = count;
  return gradient;
}

DropoutMask dropout_mask(const Context& context, std::uint64_t site, double probability) {
  if (context.mode != Mode::training) return {};
  const RandomStream use = context.random.derive(static_cast<std::uint64_t>(context.layer))
                               .derive(static_cast<std::uint64_t>(context.call));
  return DropoutMask(use.derive(site), probability);
}

ParameterSpec matrix_spec(std::string name, Index out, Index in, Initializer initializer) {
  ParameterSpec spec{std::move(name), {out, in}, in, out, true, false, DecayGroup::weight, initializer, in};
  spec.head_dim = out;
  return spec;
}

ParameterSpec vector_spec(std::string name, Index width, DecayGroup group, Initializer initializer,
                          Index in_width) {
  return {std::move(name), {width}, 1, width, false, false, group, initializer, in_width};
}

}  // namespace gat::inline GAT_PRECISION
