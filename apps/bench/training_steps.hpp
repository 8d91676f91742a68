/// Whole training steps and evaluations of a network, taken one at a time.
#pragma once

#include <span>

#include "gat/data/dataset.hpp"
#include "gat/train/trainer.hpp"

namespace gat::app {

/// What a network is trained on; everything is borrowed and outlives the steps.
struct StepTask {
  const Network& network;
  GraphView graph;
  FeatureView features;
  ConstMatrixView edge_features;
  const Labels& labels;
  std::span<const NodeId> train;
  TrainOptions options;  ///< optimiser, loss and seed
};

/// One state of training. A step is what `gat::train` does in an epoch without validation: forward with
/// dropout, loss, backward, update of all weights. Each step is an epoch of its own.
class TrainingSteps {
 public:
  /// \param blocks  whose outputs hold the training nodes: the whole graph, in any order, or their field
  TrainingSteps(const StepTask& task, Blocks blocks);

  /// \throws NumericError when the loss is no longer finite
  void training_step(const Execution& execution);
  /// Class logits of every node of the blocks, in evaluation mode.
  void evaluation(const Execution& execution);

 private:
  StepTask task_;
  Blocks blocks_;
  std::vector<NodeId> logit_rows_;
  CsrMatrix feature_columns_;
  Adam optimizer_;
  Weights weights_, gradients_;
  Matrix logits_, d_logits_;
  Workspace workspace_;
  NetworkTape tape_;
  std::uint64_t epoch_ = 0;
};

}  // namespace gat::app
