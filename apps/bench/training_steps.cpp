#include "bench/training_steps.hpp"

#include <cmath>
#include <unordered_map>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/kernels/loss.hpp"

namespace gat::app {

namespace {

// The output row of each node.
std::vector<NodeId> output_rows(const Blocks& blocks, std::span<const NodeId> nodes) {
  const GraphView& last = blocks.layer(blocks.num_layers() - 1);
  std::unordered_map<Index, NodeId> row_of;
  for (Index row = 0; row < last.num_destinations(); ++row)
    row_of[last.global_destination(row)] = static_cast<NodeId>(row);
  std::vector<NodeId> rows;
  for (const NodeId node : nodes) rows.push_back(row_of.at(node));
  return rows;
}

// The rows of the features that the first layer reads.
FeatureView rows_read(const StepTask& task, const Blocks& blocks) {
  FeatureView rows = task.features;
  rows.row_ids = blocks.input_rows();
  return rows;
}

}  // namespace

TrainingSteps::TrainingSteps(const StepTask& task, Blocks blocks)
    : task_(task),
      blocks_(std::move(blocks)),
      logit_rows_(output_rows(blocks_, task.train)),
      feature_columns_(task.features.is_sparse() ? columns_of(rows_read(task, blocks_)) : CsrMatrix()),
      optimizer_(task.options.adam),
      weights_(initial_weights(task.network, task.options.seed)),
      gradients_(task.network.make_weights()),
      logits_(blocks_.num_outputs(), task.network.output_width()) {}

void TrainingSteps::training_step(const Execution& execution) {
  const NetworkInput input{blocks_, task_.features, task_.edge_features, {}, feature_columns_.view()};
  const RandomStream random = RandomStream(task_.options.seed).derive(++epoch_);
  const Round round{.workspace = workspace_,
                    .mode = Mode::training,
                    .random = random,
                    .execution = execution,
                    .tape = &tape_};
  task_.network.forward(round, weights_, input, logits_);
  d_logits_.resize(logits_.rows(), logits_.cols());
  const LossRows rows{logit_rows_, task_.train};
  const LossOptions& loss = task_.options.loss;
  const double value =
      task_.labels.multi_label()
          ? sigmoid_cross_entropy(logits_, rows, task_.labels.targets, loss.positive_weights, d_logits_,
                                  execution)
          : softmax_cross_entropy(logits_, rows, task_.labels.classes,
                                  {loss.class_weights, loss.label_smoothing}, d_logits_, execution);
  if (!std::isfinite(value)) throw NumericError("the training loss is no longer finite");
  gradients_.fill(0, execution.num_threads);
  task_.network.backward(round, weights_, input, d_logits_, gradients_);
  optimizer_.step(weights_, gradients_, execution);
}

void TrainingSteps::evaluation(const Execution& execution) {
  const Round round{.workspace = workspace_, .execution = execution, .tape = &tape_};
  task_.network.forward(round, weights_, {blocks_, task_.features, task_.edge_features, {}}, logits_);
}

}  // namespace gat::app
