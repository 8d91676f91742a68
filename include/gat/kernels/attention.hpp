/// The operator that this library is about: attention over the in-neighbourhood of each destination.
///
///     e_ij  = score_ij + log_prior_ij                     one number per edge j → i and head
///     S_i   = the open edges of i (mask ≠ 0)
///     α_ij  = softmax over S_i of e_ij                    0 elsewhere; all 0 when S_i is empty
///     out_i = Σ_j m_ij c_ij α_ij v_j                      c the dropout factor, m an optional factor
///
/// The softmax is shifted by the row's own maximum over open edges, so nothing overflows at any score;
/// a row whose open logits are all −∞ has α = 0. NaN propagates. Nothing of size E × H × D exists, and
/// on stored graphs one array of E × H while backward runs, two of pair scores. Rows hold heads innermost
/// (`HeadLayout`). Each output row has one writer; rows of more than `kChunkEdges` edges are cut into
/// chunks that are merged in order, so the bits are the same for any number of threads.
///
/// Backward, with g_i = d_out_i and D_i = g_i · out_i per head (no pass over edges is needed for it):
///     dα_ij = c m (g_i · v_j)     de_ij = α_ij (dα_ij − D_i)     dv_j += Σ_i m c α_ij g_i
/// The division by the softmax's sum is folded into g_i and D_i once per destination, so that one pass
/// over the out-edges of each source needs p_ij = exp(e_ij − max_i) alone, gathers g_i once, and yields
/// dv_j and the gradient of the source's part of the score. The destination's part is a streaming sum
/// over the gradients of the edges, stored for that; implicit graphs, where nothing per edge may be
/// stored, and terms given as functions take a second pass over in-edges instead.
/// Pair scores need both rows of an edge in either direction. Their pass over in-edges goes first and
/// stores m c α_ij and the gradient of the score's sum, so that the one over out-edges only sums rows.
/// Where that cannot be, on implicit graphs, with edge features, wanted gradients of terms or scores that
/// read a number per node, the second pass works everything out again.
#pragma once

#include <cstdint>
#include <span>

#include "gat/core/bf16.hpp"
#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/random.hpp"
#include "gat/core/row_callback.hpp"
#include "gat/core/workspace.hpp"
#include "gat/graph/graph_view.hpp"
#include "gat/kernels/head_layout.hpp"
#include "gat/kernels/score.hpp"

namespace gat::inline GAT_PRECISION {

/// Longer rows are cut into chunks of this many edges, counted from the row's start.
inline constexpr Index kChunkEdges = 128;

/// A number per edge and head as a function of its ends; for implicit graphs, where nothing per edge
/// may be stored. Called from several threads at once; node numbers are global.
class EdgeFunction {
 public:
  virtual ~EdgeFunction() = default;
  virtual Real value(NodeId destination, NodeId source, int head) const = 0;
  /// Receives the gradient of `value`; called once per open edge and head, for one destination by one
  /// thread only and in the same order at any number of threads.
  virtual void add_gradient(NodeId destination, NodeId source, int head, Real d_value) const = 0;
};

/// An optional number per edge: an array, a function, or nothing.
struct EdgeTerm {
  ConstMatrixView array;                   ///< by edge id, E × 1 or E × H
  const EdgeFunction* function = nullptr;  ///< used when there is no array

  bool given() const { return !array.empty() || function != nullptr; }
};

/// What is known about edges besides the score.
struct EdgeTerms {
  std::span<const std::uint8_t> mask;  ///< by edge id, 0 = closed; empty = all open
  EdgeTerm log_prior;                  ///< added to the score, for example the logarithm of a weight
  EdgeTerm factor;                     ///< multiplied after the softmax, not renormalised
};

/// Receives the coefficients of one layer by edge id, E × H each; empty = not wanted. Closed edges
/// have coefficient 0 and logit −∞.
struct AttentionSink {
  MatrixView logits = {};     ///< e_ij
  MatrixView attention = {};  ///< α_ij; each row sums to 1
  MatrixView weighted = {};   ///< m_ij α_ij
  MatrixView dropped = {};    ///< m_ij c_ij α_ij, what the values are multiplied with
};

/// Which of a destination's open edges take part, per head, once the logits are known: those whose logit
/// lies above the threshold, and of those that equal it the ones up to a place in the row. So a
/// selection costs two numbers per destination and head, on implicit graphs too.
struct SelectedEdges {
  ConstMatrixView threshold;  ///< num_destinations × score width; empty = all open edges take part
  ConstMatrixView last;       ///< the place within the row of the last selected edge at the threshold
  /// By edge id: of equal logits the edge with the lowest number here comes first; empty = the order of
  /// the row.
  std::span<const EdgeId> order;
  /// Of backward, num_destinations × 1. Not empty: α is taken over all open edges and the gradient is that
  /// of the score function, de_ij = advantage_i ([ij is selected] − α_ij) (Williams 1992), whatever d_out is.
  ConstMatrixView advantage;

  bool given() const { return !threshold.empty(); }
};

struct AttentionInput {
  const GraphView& graph;
  HeadLayout heads;
  ConstMatrixView values;  ///< num_sources × width of the layout, padding zero
  EdgeTerms edges;
  DropoutMask dropout;  ///< of coefficients; element = edge id · H + head
  Execution execution;
  Workspace& workspace;
  SelectedEdges selected = {};
  /// E × D_e by edge id, what `ScoreInput::edge_weight` and `value_edge_weight` multiply.
  ConstMatrixView edge_features = {};
  ConstMatrixView value_edge_weight = {};  ///< D_e × width: values are v_j + W_v x_ij; empty = v_j
  /// The values as bf16: not empty, these are gathered instead (half the bytes), `values` is not read, and
  /// backward rounds the rows of the gradient that it gathers, g_i / Σ, likewise; sums stay sums of Reals.
  /// So the gradient is exactly that of the rounded values, for the rounded g_i. For separable scores and
  /// values without a part of the edge, in float.
  Bf16Rows bf16_values = {};
};

/// How edges are selected.
struct SelectionRule {
  enum class Kind {
    top,     ///< the `count` edges with the largest logits; 1 = hard attention by argmax
    sampled  ///< one edge per head, drawn with the probabilities α over all open edges
  } kind = Kind::top;
  Index count = 1;
  RandomStream random;  ///< of `sampled`; index = global destination · H + head
};

/// What backward needs of forward besides its result; num_destinations × score width each.
struct AttentionState {
  MatrixView row_max;      ///< the maximum over open edges, −∞ when there is none
  MatrixView inverse_sum;  ///< 1 / Σ exp(e_ij − row_max), 0 when there is no open edge
};

/// Which gradients are wanted (empty = not).
struct AttentionGradient {
  MatrixView values;                  ///< num_sources × width, overwritten
  MatrixView log_prior;               ///< shape of the array of the term, added to
  MatrixView factor;                  ///< shape of the array of the term, added to
  MatrixView edge_features = {};      ///< by edge id, added to
  MatrixView value_edge_weight = {};  ///< added to
};

/// Selects among the open edges of every destination; closed edges and logits of −∞ are never selected,
/// NaN always is. A row with fewer open edges than asked for keeps them all.
/// \param threshold, last  num_destinations × score width, the numbers of `SelectedEdges`
/// \pre rows have at most 2^24 edges (`last` is a Real)
void attention_select(const AttentionInput& input, const ScoreInput& score, const SelectionRule& rule,
                      MatrixView threshold, MatrixView last);

/// \param out  num_destinations × width, overwritten: the result per head, neither merged nor biased
/// \param sink null, or where coefficients go
/// \param done called for rows of `out` as they become complete, while they are in the cache
void attention_forward(const AttentionInput& input, const ScoreInput& score, const AttentionState& state,
                       MatrixView out, const AttentionSink* sink, const RowCallback& done = {});

/// \param out     the result of forward
/// \param d_out   its gradient, num_destinations × width with zero padding; scaled in place, unless it is
///                rounded to bf16.
/// \param wanted  called for rows of `d_out` before they are read, so that it can write them then.
///                Every call lies in one block of `sum_block_rows(num_destinations)` rows, and those of
///                one block come in order from one thread
/// Score gradients that are not empty are given. Terms given as functions always get theirs.
void attention_backward(const AttentionInput& input, const ScoreInput& score, const AttentionState& state,
                        ConstMatrixView out, MatrixView d_out, const ScoreGradient& d_score,
                        const AttentionGradient& gradient, const RowCallback& wanted = {});

}  // namespace gat::inline GAT_PRECISION
