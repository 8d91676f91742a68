/// Scores: how strongly a destination attends to a source, e_ij, before the softmax.
///
/// A *separable* score is a function of one number per source, one per destination and one per edge.
/// A *pair* score is a function of a row of numbers per destination (its query) and per source (its
/// key), summed over the features of each head. The known scores stand in a closed table; a score of
/// the user's own enters through `CustomScore`.
#pragma once

#include <span>
#include <string_view>

#include "gat/core/matrix.hpp"
#include "gat/kernels/head_layout.hpp"

namespace gat::inline GAT_PRECISION {

/// One parameter of a score, beside the projections that make queries and keys.
struct ScoreParameter {
  enum class Shape {
    per_head,     ///< H numbers; memory 1 × HeadLayout(H, 1).width()
    per_feature,  ///< H × D_k numbers; memory 1 × width of the keys' layout
    matrix        ///< H × D_q × D_k numbers; memory D_q × width of the keys' layout
  };
  enum class Start { attention, weight, zeros, ones };  ///< how it is initialised

  std::string_view name;
  Shape shape = Shape::per_head;
  Start start = Start::ones;
};

/// Which projections of node features a score's authors make queries, keys and values from.
enum class ScoreMaps {
  three,            ///< one each, with biases
  values_are_keys,  ///< one for queries, one for keys that also are the values, with biases
  one               ///< the same for all three, without bias
};

struct ScoreDescription {
  std::string_view name;
  std::string_view alias = {};    ///< another name for it
  std::string_view formula = {};  ///< for help texts
  bool separable = false;
  bool equal_widths = true;    ///< queries are as wide as keys
  bool leaky = false;          ///< has a negative slope
  bool reads_rows = true;      ///< of queries and keys
  bool node_numbers = false;   ///< reads one number per node and head
  bool edge_features = false;  ///< keys may be k_j + W_e x_ij
  ScoreMaps maps = ScoreMaps::three;
  std::span<const ScoreParameter> parameters = {};
};

/// All scores; a score is called by its position here.
std::span<const ScoreDescription* const> score_table();
/// The position of the score with this name or alias. \throws UsageError naming the known ones
int score_named(std::string_view name);

/// A score of the user's own, on whatever data it holds. Called with edges of whole rows or of pieces
/// of long rows; node numbers are global, edge ids those of the graph. Called from several threads at
/// once, but never for one destination, nor in `add_source_gradient` for one source, by two.
class CustomScore {
 public:
  /// Edges that are worked on together.
  struct Edges {
    std::span<const NodeId> destinations, sources;
    std::span<const EdgeId> ids;
    int first_head = 0, num_heads = 1;  ///< the heads asked for
  };

  virtual ~CustomScore() = default;
  /// \param e  one row per edge, one column per head asked for, overwritten. The value of an edge must not
  ///           depend on which edges it is asked with
  virtual void logits(const Edges& edges, MatrixView e) const = 0;
  /// Receive the gradients of the logits: once ordered by destination, once by source, so that each side
  /// can be summed by one writer.
  virtual void add_destination_gradient(const Edges& edges, ConstMatrixView d_e) const = 0;
  virtual void add_source_gradient(const Edges& edges, ConstMatrixView d_e) const = 0;
};

/// What a score is computed from.
struct ScoreInput {
  /// Separable scores: one number per node and head, in the score width of the layout; empty = 0.
  ConstMatrixView source;       ///< num_sources × score width
  ConstMatrixView destination;  ///< num_destinations × score width
  ConstMatrixView edge;         ///< by edge id, E × H
  double negative_slope = 0.2;  ///< of leaky scores
  int score = 0;                ///< position in the table; 0 = gat

  /// Pair scores: rows of heads in kernel order, padding zero. The layouts have the heads of the values.
  HeadLayout query_heads = {}, key_heads = {};
  ConstMatrixView queries = {};  ///< num_destinations × query width
  ConstMatrixView keys = {};     ///< num_sources × key width
  /// As many as the score has parameters.
  std::span<const ConstMatrixView> parameters = {};
  /// D_e × key width: keys are k_j + W_e x_ij; empty = k_j.
  ConstMatrixView edge_weight = {};
  const CustomScore* custom = nullptr;
};

/// Where its gradients go; empty = not wanted.
struct ScoreGradient {
  MatrixView source, destination;      ///< overwritten
  MatrixView edge;                     ///< added to
  MatrixView queries = {}, keys = {};  ///< overwritten
  /// As many as the score has parameters, or none; added to.
  std::span<const MatrixView> parameters = {};
  MatrixView edge_weight = {};  ///< added to
  /// By edge id, added to: what edge features get through the score alone. Used where
  /// `AttentionGradient::edge_features`, which receives all of it, is empty.
  MatrixView edge_features = {};
};

}  // namespace gat::inline GAT_PRECISION
