/// The interface of layers, and what one round of forward and backward carries through them.
///
/// A layer is a description: it is immutable, holds no numbers, and serves any number of threads at
/// once. Numbers come in through the context, gradients go out through sinks.
#pragma once

#include <deque>
#include <span>

#include "gat/core/csr_matrix.hpp"
#include "gat/core/execution.hpp"
#include "gat/core/random.hpp"
#include "gat/core/workspace.hpp"
#include "gat/graph/blocks.hpp"
#include "gat/graph/graph_view.hpp"
#include "gat/kernels/attention.hpp"
#include "gat/nn/description.hpp"
#include "gat/nn/parameters.hpp"

namespace gat::inline GAT_PRECISION {

enum class Mode {
  training,   ///< dropout acts, the tape is written
  evaluation  ///< no dropout of any kind
};

/// Who receives: the first rows of the sources, nodes with features of their own, or nodes without.
struct Destinations {
  enum class Kind { prefix, own, none } kind = Kind::prefix;
  FeatureView features;  ///< of kind `own`: one row per destination

  static Destinations prefix() { return {}; }
  static Destinations own(FeatureView rows) { return {Kind::own, rows}; }
  static Destinations none() { return {Kind::none, {}}; }
};

/// What a layer reads: `{.source = features}` is the least.
struct LayerInput {
  FeatureView source = {};  ///< one row per source node: dense or CSR
  Destinations destination = {};
  FeatureView values = {};                    ///< empty: the keys' source
  ConstMatrixView edge_features = {};         ///< by edge id, E × D; may be empty
  EdgeTerms edges = {};                       ///< mask, log-prior, factor
  const CustomScore* custom_score = nullptr;  ///< what the score "custom" calls
  /// What layers of several inputs read besides `source`, with as many rows.
  std::span<const FeatureView> others = {};

  Index num_inputs() const { return 1 + static_cast<Index>(others.size()); }
  const FeatureView& input(Index i) const {
    return i == 0 ? source : others[static_cast<std::size_t>(i - 1)];
  }
};

/// Where the gradient of the rows of one input goes.
struct RowGradient {
  MatrixView rows;      ///< empty = not wanted
  bool is_new = false;  ///< they hold nothing yet: they are overwritten, not added to
};

/// Where the gradients of a layer's input go; empty = not wanted, all are added to.
struct InputGradient {
  MatrixView source = {};       ///< only for dense sources; one row per source row
  bool source_is_new = false;   ///< `source` holds nothing yet: it is overwritten, not added to
  MatrixView spent = {};        ///< where `d_output` lies, if nobody reads it any more: it may be overwritten
  MatrixView destination = {};  ///< of destinations with features of their own
  MatrixView values = {};
  MatrixView edge_features = {};             ///< by edge id
  MatrixView log_prior = {};                 ///< shape of the array
  MatrixView factor = {};                    ///< shape of the array
  std::span<const RowGradient> others = {};  ///< one per other input, or none at all

  RowGradient input(Index i) const {
    if (i == 0) return {source, source_is_new};
    return others.empty() ? RowGradient() : others[static_cast<std::size_t>(i - 1)];
  }
};

/// What one use of a layer remembers from forward to backward and to `Layer::commit`. Matrices keep their
/// memory from round to round; layers made of layers use children.
class Tape {
 public:
  /// The matrix of a slot with a new shape; its contents are unspecified.
  MatrixView matrix(int slot, Index rows, Index cols) {
    while (matrices_.size() <= static_cast<std::size_t>(slot)) matrices_.emplace_back();
    Matrix& matrix = matrices_[static_cast<std::size_t>(slot)];
    matrix.reshape(rows, cols);
    return matrix.view();
  }
  /// Whether a slot has ever had a matrix.
  bool has(int slot) const { return static_cast<std::size_t>(slot) < matrices_.size(); }
  /// What forward left in a slot.
  MatrixView operator[](int slot) { return matrices_[static_cast<std::size_t>(slot)].view(); }

  Tape& child(int number) {
    while (children_.size() <= static_cast<std::size_t>(number)) children_.emplace_back();
    return children_[static_cast<std::size_t>(number)];
  }

 private:
  std::deque<Matrix> matrices_;
  std::deque<Tape> children_;
};

/// Where and how one round runs. By name, a call by hand states what it needs:
///     layer.forward({.graph = view, .weights = weights, .workspace = workspace}, {.source = x}, output);
struct Context {
  const GraphView& graph;     ///< of this layer
  ConstWeights weights = {};  ///< this layer's slice, or all of them where they are this layer's alone
  Workspace& workspace;
  Mode mode = Mode::evaluation;
  RandomStream random = {};  ///< of the round: seed and epoch
  int layer = 0;             ///< number of the layer and of its use within the round, so
  int call = 0;              ///< that each use has its own dropout masks
  Execution execution = {};  ///< one thread, the best instructions
  Tape* tape = nullptr;      ///< null outside training
  const AttentionSink* attention = nullptr;
  /// Per graph of the batch, known in backward: for score-function gradients.
  std::span<const double> loss = {};
  std::span<const double> baseline = {};  ///< what is subtracted from the loss there; empty = 0
};

class Layer {
 public:
  virtual ~Layer() = default;

  /// Columns of the result. \throws ShapeError or UsageError when the input does not fit the layer
  virtual Index check_input(const GraphView& graph, const LayerInput& input) const = 0;
  /// For those who hold the whole graph, of which a call sees a part. \throws ShapeError when the layer does
  /// not serve so many nodes
  virtual void check_num_nodes(Index /*num_nodes*/) const {}
  /// \param output num_destinations × output width, or num_segments × output width where the result is
  ///               per graph; overwritten
  virtual void forward(const Context& context, const LayerInput& input, MatrixView output) const = 0;
  /// Follows a forward in training mode with the same context and input.
  /// \param output  its result
  virtual void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                        ConstMatrixView d_output, const InputGradient& d_input,
                        const Gradients& gradients) const = 0;
  /// Writes what a forward in training mode learned without gradients (running statistics) from its tape to
  /// the weights.
  virtual void commit(Tape& /*tape*/, const WeightsSlice& /*weights*/) const {}
  /// What the layer adds to the loss, from the tape of a forward in training mode. `backward` adds its
  /// gradient to that of the result.
  virtual double added_loss(Tape& /*tape*/) const { return 0; }
  /// Whether training needs every row and edge of the graph, whichever rows are wanted.
  virtual bool trains_on_whole_graph() const { return false; }

  /// Whether `d_input.source` may be given the memory of `d_output` where it is new: backward reads nothing
  /// of `d_output` once it has written there. Then one buffer serves the gradients of a chain of layers.
  virtual bool overlays_gradients() const { return false; }

  virtual Index output_width() const = 0;
  virtual std::span<const ParameterSpec> parameters() const = 0;
  /// Zeros for all parameters: where gradients go, and weights before `Weights::initialize` draws them.
  Weights make_weights() const { return Weights({parameters().begin(), parameters().end()}); }
  virtual Reach reach(Mode mode) const = 0;
  /// Whether the result has one row per graph of a batch instead of one per destination.
  virtual bool per_graph() const { return false; }
  /// Attention heads whose coefficients a sink can receive; 0 = none.
  virtual int num_heads() const { return 0; }
  /// The options that make this layer again.
  virtual LayerDescription describe() const = 0;
};

}  // namespace gat::inline GAT_PRECISION
