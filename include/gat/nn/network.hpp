/// Layers in sequence over named intermediate results; a description without numbers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// One use of a layer: it reads `input` and its result is called `name`.
struct Step {
  LayerDescription layer;
  std::string name;   ///< empty = "layers.<number>"; also the prefix of the layer's parameters
  std::string input;  ///< an earlier name or "features"; empty = the result of the step before

  bool operator==(const Step&) const = default;
};

struct NetworkDescription {
  Index num_features = 0;   ///< width of the node features
  Index edge_features = 0;  ///< width of the edge features, 0 = none
  std::vector<Step> steps;

  bool operator==(const NetworkDescription&) const = default;
};

/// What a network reads, by the numbers of the whole graph.
struct NetworkInput {
  const Blocks& blocks;           ///< one view per step
  FeatureView features;           ///< one row per node of the whole graph
  ConstMatrixView edge_features;  ///< one row per edge of the whole graph; may be empty
  EdgeTerms edges;                ///< of every layer
  /// Of sparse features, optional: `columns_of` the rows that the first layer reads, for gradients.
  CsrView feature_columns = {};
};

/// Memory of one training run: results and tapes of all steps.
struct NetworkTape {
  ConstMatrixView class_logits;  ///< where forward wrote them; they must be there until backward
  std::vector<Tape> layers;
  std::vector<Matrix> results;
  std::vector<Matrix> d_results;
};

/// Seconds that each step took; rounds add to them.
struct StepTimes {
  std::vector<double> forward_seconds, backward_seconds;  ///< one per step
};

/// How one round runs.
struct Round {
  Mode mode = Mode::evaluation;
  RandomStream random;  ///< seed and epoch
  Execution execution;
  Workspace& workspace;
  NetworkTape* tape = nullptr;               ///< needed when backward follows
  std::span<const AttentionSink> attention;  ///< empty, or one per step
  std::span<const MatrixView> hidden;        ///< empty, or one per step: empty views and views that
                                             ///< receive a copy of the step's result
  StepTimes* times = nullptr;                ///< null: no clock is read
  std::span<const double> loss = {};         ///< of backward: as in `Context`
  std::span<const double> baseline = {};     ///< of backward: as in `Context`
};

class Network {
 public:
  /// \throws UsageError for an unknown kind of layer, option or name
  explicit Network(const NetworkDescription& description);

  const NetworkDescription& description() const { return description_; }
  int num_steps() const { return static_cast<int>(layers_.size()); }
  const Layer& layer(int step) const { return *layers_[static_cast<std::size_t>(step)]; }
  Index output_width() const { return layers_.back()->output_width(); }
  /// What each step's rows depend on; the argument of Blocks::receptive_field.
  std::vector<Reach> reach(Mode mode) const;
  /// Bytes of the widest row that attention gathers per edge; 0 without attention. The argument of
  /// order_that_pays (gat/graph/reorder.hpp).
  Index gathered_row_bytes() const;
  /// Zeros for all parameters, named "<step>.<parameter>".
  Weights make_weights() const;

  /// \param class_logits  blocks.num_outputs() × output_width(), overwritten
  /// \throws ShapeError, UsageError when the input does not fit
  void forward(const Round& round, const Weights& weights, const NetworkInput& input,
               MatrixView class_logits) const;
  /// Adds the gradients of all parameters; follows a forward with the same arguments and a tape.
  void backward(const Round& round, const Weights& weights, const NetworkInput& input,
                ConstMatrixView d_class_logits, Weights& gradients) const;

 private:
  static constexpr int kFeatures = -1;

  void add_step(const Step& step, int number);
  Index num_readers(int step) const;
  Context context(const Round& round, const Weights& weights, const NetworkInput& input, int step) const;
  LayerInput layer_input(const NetworkInput& input, const std::vector<ConstMatrixView>& results,
                         int step) const;

  NetworkDescription description_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<int> reads_;              // step whose result each step reads, or kFeatures
  std::vector<Index> first_parameter_;  // of each step
};

}  // namespace gat::inline GAT_PRECISION
