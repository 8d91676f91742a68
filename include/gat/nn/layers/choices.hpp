/// Choices that the attention layers share: how heads merge, what a residual is, whose initial values.
#pragma once

#include <string_view>

#include "gat/nn/parameters.hpp"

namespace gat::inline GAT_PRECISION {

/// How the heads of a layer become one row: side by side (width H·D), or their mean (width D).
enum class HeadMerge { concat, mean };

/// What is added to the merged heads, before the bias. PyG's layers have `learned` (GATConv and GATv2Conv
/// without a bias of its own), DGL's `identity_or_learned`.
enum class Residual {
  none,
  identity,
  learned,
  identity_or_learned  ///< the identity where widths agree, else learned
};

/// Whose initial values.
///
/// | | weights | attention vectors | biases of projections | output bias |
/// |---|---|---|---|---|
/// | `original`, the code of Veličković et al. | Glorot, one map per head | Glorot, each half a map D → 1 | 0
/// | 0 | | `pyg`, GATConv, GATv2Conv, SuperGATConv | Glorot on the joined map | Glorot over H + D | U(±1/√F)
/// | 0 | | `dgl`, GATConv, GATv2Conv | Xavier normal, gain of ReLU | Xavier normal, gain of ReLU | 0 | 0 | |
/// `fan_in`, PyTorch's Linear, PyG's TransformerConv | U(±1/√F) | Glorot over H + D | U(±1/√F) | 0 |
enum class InitialScheme { original, pyg, dgl, fan_in };

/// `identity_or_learned` decided, other kinds as they are.
Residual residual_for(Residual residual, Index in_width, Index out_width);

/// The rule for a map F → H·D, for an attention vector, and for the bias of a projection.
Initializer weight_initializer(InitialScheme scheme);
Initializer attention_initializer(InitialScheme scheme);
Initializer bias_initializer(InitialScheme scheme);

std::string_view name_of(HeadMerge value);
std::string_view name_of(Residual value);
std::string_view name_of(InitialScheme value);
/// \throws UsageError for an unknown name, with the known ones
HeadMerge head_merge_named(std::string_view name);
Residual residual_named(std::string_view name);
InitialScheme initial_scheme_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
