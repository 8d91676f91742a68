/// What layers of plain rows have in common: their inputs, gradients, masks and parameters.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// \throws ShapeError unless the input has these widths and one row per source, all of them dense
/// \param kind  of the layer, for the message
void check_dense_inputs(const char* kind, const GraphView& graph, const LayerInput& input,
                        std::span<const Index> widths);

/// The same for one input that may be sparse.
void check_features(const char* kind, const GraphView& graph, const LayerInput& input, Index width);

/// The first rows of a dense input where they lie or, where they are read through row ids, copied.
ConstMatrixView dense_rows(const FeatureView& rows, Index count, Workspace& workspace);
/// The global ids of the first rows of a view; empty = their own numbers.
std::span<const NodeId> global_rows(const GraphView& graph, Index count);

/// The part of a gradient that belongs to the first rows; those behind it get zeros where they are new.
RowGradient first_rows(RowGradient gradient, Index count);

/// A place of a layer that draws random numbers; inactive outside training.
DropoutMask dropout_mask(const Context& context, std::uint64_t site, double probability);

/// Memory that backward reads again, or scratch memory where there is no backward.
inline MatrixView keep(const Context& context, int slot, Index rows, Index cols) {
  return context.tape != nullptr ? context.tape->matrix(slot, rows, cols)
                                 : context.workspace.matrix(rows, cols);
}

/// A map in → out, in memory as its transpose. Initial values of `glorot_joined` and `uniform_fan_in` are
/// those of plain linear layers.
ParameterSpec matrix_spec(std::string name, Index out, Index in, Initializer initializer);
/// One number per column. \param in_width  of the map that a bias belongs to
ParameterSpec vector_spec(std::string name, Index width, DecayGroup group, Initializer initializer,
                          Index in_width = 1);

}  // namespace gat::inline GAT_PRECISION
