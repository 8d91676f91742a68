#include "gat/train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "core/named_values.hpp"
#include "core/timed_scope.hpp"
#include "gat/kernels/loss.hpp"
#include "gat/train/probability_metrics.hpp"
#include "graph/edge_slots.hpp"
#include "train/part.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<LossKind, 3> kLossKinds{
    {{LossKind::automatic, "auto"}, {LossKind::softmax, "softmax"}, {LossKind::sigmoid, "sigmoid"}}};
constexpr NamedValues<ComputedRows, 3> kComputedRows{{{ComputedRows::whole, "whole"},
                                                      {ComputedRows::reordered, "reordered"},
                                                      {ComputedRows::pruned, "pruned"}}};

// Branches of the tree of random numbers that grows from a seed.
constexpr std::uint64_t kInitialStream = 1;
constexpr std::uint64_t kTrainingStream = 2;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double loss_of(ConstMatrixView logits, const Labels& labels, const LossRows& rows, const LossOptions& options,
               MatrixView d_logits, const Execution& execution) {
  if (labels.multi_label()) {
    return sigmoid_cross_entropy(logits, rows, labels.targets, options.positive_weights, d_logits, execution);
  }
  return softmax_cross_entropy(logits, rows, labels.classes, {options.class_weights, options.label_smoothing},
                               d_logits, execution);
}

// \param calibrated  the calibration error too, which costs an exponential per logit
Metrics metrics_of(ConstMatrixView logits, const Labels& labels, const LossRows& rows, bool calibrated) {
  const auto count = static_cast<Index>(rows.logit_rows.size());
  Matrix chosen(count, logits.cols);
  for (Index k = 0; k < count; ++k) {
    std::copy_n(logits.row(rows.logit_rows[static_cast<std::size_t>(k)]), logits.cols, chosen.row(k));
  }
  if (labels.multi_label()) {
    Matrix targets(count, logits.cols);
    for (Index k = 0; k < count; ++k) {
      std::copy_n(labels.targets.row(rows.target_rows[static_cast<std::size_t>(k)]), logits.cols,
                  targets.row(k));
    }
    return multi_label_metrics(targets, chosen);
  }
  std::vector<NodeId> truth;
  for (const NodeId node : rows.target_rows) truth.push_back(labels.classes[static_cast<std::size_t>(node)]);
  Metrics metrics = classification_metrics(truth, argmax_rows(chosen), logits.cols);
  if (logits.cols == 2) metrics.roc_auc = roc_auc(truth, chosen);
  if (calibrated) metrics.calibration_error = calibration(truth, chosen).error;
  return metrics;
}

void check_weights(std::span<const Real> weights, Index classes, const char* name) {
  if (weights.empty()) return;
  if (static_cast<Index>(weights.size()) != classes) {
    throw UsageError(std::string(name) + ": " + std::to_string(weights.size()) + " numbers for " +
                     std::to_string(classes) + " classes; give one per class");
  }
  for (const Real w : weights) {
    if (!(w >= 0) || !std::isfinite(w))
      throw UsageError(std::string(name) + " must be finite and at least 0");
  }
}

void check_nodes(std::span<const NodeId> part, Index nodes, const char* name) {
  for (const NodeId node : part) {
    if (node >= 0 && node < nodes) continue;
    throw UsageError("the split's " + std::string(name) + " node " + std::to_string(node) +
                     " is outside 0.." + std::to_string(nodes - 1));
  }
}

// The validation nodes of a binary task hold both classes: else no epoch would have a ROC-AUC.
void check_ranked(const Labels& labels, Index classes, std::span<const NodeId> validation) {
  if (labels.multi_label() || classes != 2) {
    throw UsageError("the stopping rule \"roc_auc\" needs two classes, one per node, but there are " +
                     std::to_string(classes) + (labels.multi_label() ? " labels" : " classes") +
                     "; use the rule \"accuracy\"");
  }
  for (const NodeId wanted : {0, 1}) {
    if (std::any_of(validation.begin(), validation.end(),
                    [&](NodeId node) { return labels.classes[static_cast<std::size_t>(node)] == wanted; }))
      continue;
    throw UsageError(
        "the stopping rule \"roc_auc\" needs both classes among the validation nodes, and class " +
        std::to_string(wanted) + " is not; use another split or the rule \"accuracy\"");
  }
}

void check_task(const Network& network, const PreparedGraph& graph, const Labels& labels, const Split& split,
                const TrainOptions& options) {
  options.validate();
  if (labels.empty()) throw UsageError("the data set has no labels; training needs a class for some nodes");
  const bool multi = labels.multi_label();
  if (options.loss.kind == LossKind::softmax && multi) {
    throw UsageError("softmax cross-entropy needs one class per node, but the labels are a matrix of " +
                     std::to_string(labels.targets.cols()) + " columns; use the sigmoid loss");
  }
  if (options.loss.kind == LossKind::sigmoid && !multi) {
    throw UsageError(
        "sigmoid cross-entropy needs a matrix of targets, but each node has one class; use the softmax loss");
  }
  if (network.per_graph(network.num_steps() - 1)) {
    throw UsageError("the network ends in one row per graph, but the labels are those of nodes");
  }
  const Index nodes = graph.graph().num_nodes();
  const Index labelled = multi ? labels.targets.rows() : static_cast<Index>(labels.classes.size());
  if (labelled != nodes) {
    throw ShapeError(std::to_string(labelled) + " labels for " + std::to_string(nodes) + " nodes");
  }
  const Index classes = network.output_width();
  if (multi && labels.targets.cols() != classes) {
    throw ShapeError("the labels have " + std::to_string(labels.targets.cols()) + " columns, the network " +
                     std::to_string(classes) + " outputs");
  }
  for (const NodeId c : labels.classes) {
    if (c >= classes) {
      throw ShapeError("class " + std::to_string(c) + " is outside the network's " + std::to_string(classes) +
                       " outputs");
    }
  }
  network.check_num_nodes(nodes);
  check_weights(options.loss.class_weights, classes, "class_weights");
  check_weights(options.loss.positive_weights, classes, "positive_weights");
  if (split.train.empty()) throw UsageError("the split has no training nodes");
  check_nodes(split.train, nodes, "training");
  check_nodes(split.validation, nodes, "validation");
  if (std::none_of(split.train.begin(), split.train.end(),
                   [&](NodeId node) { return labels.labelled(node); })) {
    throw UsageError("none of the " + std::to_string(split.train.size()) + " training nodes has a label");
  }
  if (split.validation.empty() && options.stop != StopRule::none) {
    throw UsageError("the stopping rule \"" + std::string(name_of(options.stop)) +
                     "\" needs validation nodes, and the split has none; use the rule \"none\"");
  }
  if (options.stop == StopRule::roc_auc) check_ranked(labels, classes, split.validation);
}

// The state of one run; `epoch` is one pass of forward, backward, step and validation. Times are added to
// `phases` where it is given.
class Run {
 public:
  Run(const Network& network, const PreparedGraph& graph, const Labels& labels, const Split& split,
      const TrainOptions& options, PhaseTimes* phases)
      : network_(network),
        graph_(graph),
        labels_(labels),
        options_(options),
        phases_(phases),
        whole_(network, graph, options.reorder),
        train_(whole_, split.train, Mode::training, options.prune),
        validation_(whole_, split.validation, Mode::evaluation, options.prune),
        random_(RandomStream(options.seed).derive(kTrainingStream)),
        optimizer_(options.adam),
        weights_(initial_weights(network, options.seed)),
        gradients_(network.make_weights()) {}

  const Weights& weights() const { return weights_; }
  const Part& training() const { return train_; }
  const Part& validation() const { return validation_; }

  EpochRecord epoch(int number) {
    EpochRecord record;
    record.epoch = number;
    record.train_loss = training_step(number);
    require_finite(record.train_loss, "training", number);
    if (!validation_.nodes.empty()) validate(record);
    return record;
  }

 private:
  NetworkInput input(const Part& part) const {
    return {part.blocks, graph_.features(), graph_.edge_features(), {}, part.feature_columns.view()};
  }

  // Where a phase adds its time; null when nobody asks.
  double* time_of(double PhaseTimes::*phase) { return phases_ == nullptr ? nullptr : &(phases_->*phase); }

  double training_step(int number) {
    Round round{.workspace = workspace_,
                .mode = Mode::training,
                .random = random_.derive(static_cast<std::uint64_t>(number)),
                .execution = options_.execution,
                .tape = &tape_,
                .times = phases_ == nullptr ? nullptr : &phases_->steps};
    {
      const TimedScope timed(time_of(&PhaseTimes::forward_seconds));
      network_.forward(round, weights_, input(train_), train_.logits);
    }
    const double loss = training_loss() + network_.added_loss(tape_);
    round.loss = {&loss, 1};
    if (number > 1) round.baseline = {&mean_loss_, 1};
    {
      const TimedScope timed(time_of(&PhaseTimes::backward_seconds));
      gradients_.fill(0, options_.execution.num_threads);
      network_.backward(round, weights_, input(train_), d_logits_, gradients_);
    }
    const TimedScope timed(time_of(&PhaseTimes::update_seconds));
    optimizer_.step(weights_, gradients_, options_.execution);
    network_.commit(tape_, weights_);
    mean_loss_ += (number == 1 ? 1 : 1 - options_.baseline_decay) * (loss - mean_loss_);
    return loss;
  }

  double training_loss() {
    const TimedScope timed(time_of(&PhaseTimes::loss_seconds));
    d_logits_.resize(train_.logits.rows(), train_.logits.cols());
    return loss_of(train_.logits, labels_, train_.rows(), options_.loss, d_logits_, options_.execution);
  }

  void validate(EpochRecord& record) {
    const TimedScope timed(time_of(&PhaseTimes::validation_seconds));
    // Nobody reads the tape any more: its memory serves the results.
    const Round round{.workspace = workspace_, .execution = options_.execution, .tape = &tape_};
    network_.forward(round, weights_, input(validation_), validation_.logits);
    record.validation_loss =
        loss_of(validation_.logits, labels_, validation_.rows(), {}, {}, options_.execution);
    require_finite(record.validation_loss, "validation", record.epoch);
    const Metrics metrics = metrics_of(validation_.logits, labels_, validation_.rows(), false);
    record.validation_accuracy = metrics.score(labels_.multi_label());
    record.validation_roc_auc = metrics.roc_auc;
  }

  static void require_finite(double loss, const char* part, int epoch) {
    if (std::isfinite(loss)) return;
    throw NumericError("the " + std::string(part) + " loss is no longer finite in epoch " +
                       std::to_string(epoch) + "; try a smaller learning rate or normalised features");
  }

  const Network& network_;
  const PreparedGraph& graph_;
  const Labels& labels_;
  const TrainOptions& options_;
  PhaseTimes* phases_;
  WholeGraph whole_;
  Part train_, validation_;
  RandomStream random_;
  Adam optimizer_;
  Weights weights_;
  Weights gradients_;
  Matrix d_logits_;
  double mean_loss_ = 0;  // of the epochs so far: the baseline of score-function gradients
  Workspace workspace_;
  NetworkTape tape_;
};

}  // namespace

std::string_view name_of(LossKind kind) { return name_in(kLossKinds, kind); }
LossKind loss_kind_named(std::string_view name) { return value_in(kLossKinds, name, "loss"); }
std::string_view name_of(ComputedRows rows) { return name_in(kComputedRows, rows); }

void TrainOptions::validate() const {
  adam.validate();
  if (epochs < 1) throw UsageError("epochs is " + std::to_string(epochs) + "; train for at least one epoch");
  if (patience < 1) throw UsageError("patience is " + std::to_string(patience) + "; it is at least 1 epoch");
  if (!(baseline_decay >= 0 && baseline_decay < 1)) {
    throw UsageError("baseline_decay is " + std::to_string(baseline_decay) + "; it lies in [0, 1)");
  }
  if (execution.num_threads < 1) {
    throw UsageError("num_threads is " + std::to_string(execution.num_threads) +
                     "; at least 1 thread is needed");
  }
  if (!(loss.label_smoothing >= 0 && loss.label_smoothing < 1)) {
    throw UsageError("label_smoothing is " + std::to_string(loss.label_smoothing) + "; it lies in [0, 1)");
  }
}

Weights initial_weights(const Network& network, std::uint64_t seed) {
  Weights weights = network.make_weights();
  weights.initialize(RandomStream(seed).derive(kInitialStream));
  return weights;
}

TrainResult train(const Network& network, const PreparedGraph& graph, const Labels& labels,
                  const Split& split, const TrainOptions& options,
                  std::span<TrainObserver* const> observers) {
  check_task(network, graph, labels, split, options);
  const auto start = Clock::now();
  TrainResult result;
  if (options.profile) result.phases.emplace();
  PhaseTimes* const phases = result.phases ? &*result.phases : nullptr;
  Run run(network, graph, labels, split, options, phases);
  if (phases != nullptr) phases->preparation_seconds = seconds_since(start);
  EarlyStopping stopping(options.stop, options.patience);
  result.training_rows = run.training().computed;
  result.validation_rows = run.validation().computed;
  for (int number = 1; number <= options.epochs; ++number) {
    EpochRecord record = run.epoch(number);
    record.seconds = seconds_since(start);
    const TimedScope timed(phases == nullptr ? nullptr : &phases->observer_seconds);
    TrainControl control;
    stopping.epoch_finished(record, run.weights(), control);
    if (control.keep_weights) {
      result.weights = run.weights();
      result.best_epoch = number;
    }
    for (TrainObserver* observer : observers) observer->epoch_finished(record, run.weights(), control);
    result.epochs = number;
    if (control.stop) {
      result.stop_reason = control.stop_reason;
      break;
    }
  }
  if (result.stop_reason.empty())
    result.stop_reason = "all " + std::to_string(options.epochs) + " epochs run";
  result.seconds = seconds_since(start);
  return result;
}

Evaluation evaluate(ConstMatrixView class_logits, const Labels& labels, std::span<const NodeId> nodes) {
  Evaluation evaluation;
  const LossRows rows{nodes, nodes};
  evaluation.loss = loss_of(class_logits, labels, rows, {}, {}, 1);
  evaluation.metrics = metrics_of(class_logits, labels, rows, true);
  return evaluation;
}

Index training_memory_bytes(const Network& network, const GraphData& data, Index num_edges) {
  const Index nodes = data.num_nodes();
  const Index user_edges = data.graph.num_user_edges();
  const Index features = data.features.is_sparse
                             ? data.features.sparse.num_entries() * Index(sizeof(Real) + sizeof(NodeId)) +
                                   nodes * Index(sizeof(EdgeId))
                             : data.features.dense.size() * Index(sizeof(Real));
  const Index columns = std::max<Index>(network.description().num_features - data.num_features(), 0);
  const Index positions =
      nodes * columns * Index(sizeof(Real) + (data.features.is_sparse ? sizeof(NodeId) : 0));
  // Edge by edge: both directions with ids, slots and flags, and the maps from the user's edges.
  const Index graph = num_edges * Index(2 * sizeof(NodeId) + 2 * sizeof(EdgeId) + 1) +
                      edge_slot_bytes(num_edges) + user_edges * Index(2 * sizeof(EdgeId)) +
                      2 * nodes * Index(sizeof(EdgeId));
  // While it is built: the items of both lists and their order.
  const Index building =
      (user_edges + num_edges) * Index(24 + sizeof(EdgeId)) + num_edges * Index(sizeof(EdgeId));
  // Two parts of the split: receptive fields of at most half of all edges, or the whole graph, which may be
  // laid out anew, once for both, with the place of each edge meanwhile.
  const Index edge_bytes = Index(2 * sizeof(NodeId) + 3 * sizeof(EdgeId));
  const Index field = network.num_edge_steps() * num_edges * edge_bytes / 2;
  const bool is_small = nodes * network.gathered_row_bytes() <= ReorderRule{}.small_bytes;
  const Index layout = is_small ? 0 : num_edges * (edge_bytes + Index(sizeof(EdgeId)));
  const Index fields = field + std::max(field, layout);
  Index numbers = 2 * nodes * network.output_width();
  for (int k = 0; k < network.num_steps(); ++k) {
    const Layer& layer = network.layer(k);
    const std::string& kind = network.description().steps[static_cast<std::size_t>(k)].layer.kind;
    if (layer.num_heads() == 0) {
      // Result and its gradient; what lies between two maps, its argument and its gradient. An LSTM works
      // on a few rows at a time.
      Index widest = layer.output_width();
      if (kind != "lstm_attention") {
        for (const ParameterSpec& spec : layer.parameters()) widest = std::max(widest, spec.cols);
      }
      numbers += nodes * (2 * layer.output_width() + 3 * widest);
      continue;
    }
    Index joined = layer.output_width();
    for (const ParameterSpec& spec : layer.parameters()) {
      joined = std::max(joined, spec.num_heads * spec.head_dim);
      if (spec.name == "edge_weight") numbers += 2 * num_edges * layer.num_heads();
    }
    // Kept for backward: projection, dropped-out values, heads, argument, result; then two gradients. With
    // queries and keys beside the values: each of the three, made ready for the score, and its gradient.
    numbers +=
        nodes * ((kind == "attention" ? 13 : 5) * joined + 2 * layer.output_width() + 4 * layer.num_heads());
  }
  // Weights, best weights, gradients, two moments, and the block sums of the largest gradient.
  numbers += 13 * network.make_weights().num_values();
  return features + positions + graph + std::max(building, fields + numbers * Index(sizeof(Real)));
}

}  // namespace gat::inline GAT_PRECISION
