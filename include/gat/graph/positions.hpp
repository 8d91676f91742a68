/// Named encodings of positions: what a model description, a file or an option can ask for.
///
/// Encodings are columns beside the features of nodes; they tell a layer where in the graph, or in a
/// sequence, a node is. (Learned positions are parameters of a layer, not columns of the input:
/// gat/nn/layers/learned_positions.hpp.)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gat/core/matrix.hpp"
#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

enum class PositionKind {
  sinusoidal,               ///< of the node's number, as in sequences; SinusoidalLayout::interleaved
  sinusoidal_concatenated,  ///< the same, SinusoidalLayout::concatenated
  laplacian,                ///< eigenvectors of the normalised Laplacian
  random_walk               ///< return probabilities
};

std::string_view name_of(PositionKind kind);
/// All names, in the order of the kinds.
std::vector<std::string_view> position_kind_names();
/// \throws UsageError for an unknown name
PositionKind position_kind_named(std::string_view name);

/// `laplacian:8` is eight eigenvectors, `random_walk:16` the return probabilities of steps 1 to 16.
struct PositionEncoding {
  PositionKind kind = PositionKind::laplacian;
  Index width = 8;  ///< columns, at least 1

  bool operator==(const PositionEncoding&) const = default;
};

/// "laplacian:8,random_walk:16"; empty for none.
std::string describe(std::span<const PositionEncoding> encodings);
/// The reverse; an empty text means none.
/// \throws UsageError that says what was expected
std::vector<PositionEncoding> parse_position_encodings(std::string_view text);

/// Columns of all encodings together.
Index position_width(std::span<const PositionEncoding> encodings);

/// The encodings side by side, num_nodes × position_width: what `sinusoidal_positions`, `laplacian_positions`
/// and `random_walk_positions` give for all edges but the self-loops that a policy added, each of weight 1.
/// The same bits for any number of threads.
/// \throws what these throw
Matrix encode_positions(const CsrGraph& graph, std::span<const PositionEncoding> encodings,
                        int num_threads = 1);

}  // namespace gat::inline GAT_PRECISION
