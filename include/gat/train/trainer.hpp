/// Training of a network on one graph, and scoring of models.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gat/data/dataset.hpp"
#include "gat/nn/model.hpp"
#include "gat/train/metrics.hpp"
#include "gat/train/observer.hpp"
#include "gat/train/optimizer.hpp"

namespace gat::inline GAT_PRECISION {

/// Which loss; the shape of the labels decides, asking for another one is an error.
enum class LossKind { automatic, softmax, sigmoid };

struct LossOptions {
  LossKind kind = LossKind::automatic;
  std::vector<Real> class_weights;     ///< softmax: one per class; empty = all 1
  double label_smoothing = 0;          ///< softmax: ε in [0, 1)
  std::vector<Real> positive_weights;  ///< sigmoid: one per label; empty = all 1
};

struct TrainOptions {
  int epochs = 1000;  ///< at most
  StopRule stop = StopRule::paper;
  int patience = 100;  ///< Veličković et al. 2018
  AdamOptions adam;
  LossOptions loss;
  std::uint64_t seed = 0;  ///< of initial weights and of every dropout mask
  Execution execution;     ///< threads and instruction level
  /// Compute only the rows that the loss, or the validation score, can reach, unless that is most of the
  /// graph. The gradients are the same up to the order of sums; scores are the same bits.
  bool prune = true;
  /// Hold the rows of passes over the whole graph in an order that gathers them faster, where there is one.
  /// An order that the graph is laid out in already is taken. Dropout masks and scores stay the same, the
  /// gradients are the same up to the order of sums.
  Reorder reorder = Reorder::automatic;
  bool profile = false;  ///< measure `TrainResult::phases`
  /// Score-function gradients of drawn edges subtract a running mean of the losses of earlier epochs, which
  /// keeps this share of itself in each epoch; 0 in the first. Nothing else reads it.
  double baseline_decay = 0.9;

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// Which rows of each layer are computed for a part of the split.
enum class ComputedRows {
  whole,      ///< those of every node
  reordered,  ///< those of every node, in an order that gathers them faster
  pruned      ///< those that the part's outputs depend on
};

/// Where the time of a run went, in seconds over all epochs.
struct PhaseTimes {
  double preparation_seconds = 0;  ///< once: rows to compute and their order, initial weights
  double forward_seconds = 0;
  double loss_seconds = 0;  ///< with its gradient
  double backward_seconds = 0;
  double update_seconds = 0;
  double validation_seconds = 0;  ///< forward, loss and metrics
  double observer_seconds = 0;    ///< stopping rule, copies of the best weights, observers
  StepTimes steps;                ///< of the network, in the forward and backward of training
};

/// What a run gave.
struct TrainResult {
  Weights weights;     ///< of the kept epoch
  int best_epoch = 0;  ///< counted from 1
  int epochs = 0;      ///< epochs that were run
  std::string stop_reason;
  double seconds = 0;
  ComputedRows training_rows = ComputedRows::whole;
  ComputedRows validation_rows = ComputedRows::whole;
  std::optional<PhaseTimes> phases;  ///< where they were asked for
};

/// Initial weights of a seed.
Weights initial_weights(const Network& network, std::uint64_t seed);

/// Trains on the nodes of split.train and watches split.validation; split.test is never read. Weights,
/// masks and results depend on the options and the data alone, not on threads or load.
/// \param observers  called after each epoch, after early stopping; may ask to stop
/// \throws UsageError when labels do not fit the loss or the network, when nodes to train on are
///         missing, or when a stopping rule has no validation nodes; ShapeError when labels or learned
///         positions do not fit the graph; NumericError when the loss is no longer finite
TrainResult train(const Network& network, const PreparedGraph& graph, const Labels& labels,
                  const Split& split, const TrainOptions& options,
                  std::span<TrainObserver* const> observers = {});

/// Loss (without class weights, smoothing or L2, as in EpochRecord) and metrics of some nodes.
struct Evaluation {
  double loss = 0;
  Metrics metrics;
};
/// \param class_logits  of all nodes, N × C
Evaluation evaluate(ConstMatrixView class_logits, const Labels& labels, std::span<const NodeId> nodes);

/// Bytes that training will need at its peak, besides the data set: features and graph as prepared and, of
/// whichever is more, the builder's lists or results and tapes of all layers, weights, gradients, moments.
/// \param num_edges  of the prepared graph
Index training_memory_bytes(const Network& network, const GraphData& data, Index num_edges);

std::string_view name_of(LossKind kind);
LossKind loss_kind_named(std::string_view name);
std::string_view name_of(ComputedRows rows);

}  // namespace gat::inline GAT_PRECISION
