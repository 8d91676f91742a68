#include "gat/train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "core/named_values.hpp"
#include "gat/kernels/loss.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<LossKind, 3> kLossKinds{
    {{LossKind::automatic, "auto"}, {LossKind::softmax, "softmax"}, {LossKind::sigmoid, "sigmoid"}}};

// Branches of the tree of random numbers that grows from a seed.
constexpr std::uint64_t kInitialStream = 1;
constexpr std::uint64_t kTrainingStream = 2;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double loss_of(ConstMatrixView logits, const Labels& labels, std::span<const NodeId> nodes, const LossOptions& options,
               MatrixView d_logits, int num_threads) {
  const LossRows rows{nodes, nodes};
  if (labels.multi_label()) {
    return sigmoid_cross_entropy(logits, rows, labels.targets, options.positive_weights, d_logits, num_threads);
  }
  return softmax_cross_entropy(logits, rows, labels.classes, {options.class_weights, options.label_smoothing}, d_logits,
                               num_threads);
}

Metrics metrics_of(ConstMatrixView logits, const Labels& labels, std::span<const NodeId> nodes) {
  const auto count = static_cast<Index>(nodes.size());
  Matrix chosen(count, logits.cols);
  for (Index k = 0; k < count; ++k) {
    for (Index c = 0; c < logits.cols; ++c) chosen(k, c) = logits(nodes[static_cast<std::size_t>(k)], c);
  }
  if (labels.multi_label()) {
    Matrix targets(count, logits.cols);
    for (Index k = 0; k < count; ++k) {
      for (Index c = 0; c < logits.cols; ++c) targets(k, c) = labels.targets(nodes[static_cast<std::size_t>(k)], c);
    }
    return multi_label_metrics(targets, chosen);
  }
  std::vector<NodeId> truth;
  for (const NodeId node : nodes) truth.push_back(labels.classes[static_cast<std::size_t>(node)]);
  return classification_metrics(truth, argmax_rows(chosen), logits.cols);
}

void check_weights(std::span<const Real> weights, Index classes, const char* name) {
  if (weights.empty()) return;
  if (static_cast<Index>(weights.size()) != classes) {
    throw UsageError(std::string(name) + ": " + std::to_string(weights.size()) + " numbers for " + std::to_string(classes) +
                     " classes; give one per class");
  }
  for (const Real w : weights) {
    if (!(w >= 0) || !std::isfinite(w)) throw UsageError(std::string(name) + " must be finite and at least 0");
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
    throw UsageError("sigmoid cross-entropy needs a matrix of targets, but each node has one class; use the softmax loss");
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
      throw ShapeError("class " + std::to_string(c) + " is outside the network's " + std::to_string(classes) + " outputs");
    }
  }
  check_weights(options.loss.class_weights, classes, "class_weights");
  check_weights(options.loss.positive_weights, classes, "positive_weights");
  if (split.train.empty()) throw UsageError("the split has no training nodes");
  if (split.validation.empty() && options.stop != StopRule::none) {
    throw UsageError("the stopping rule \"" + std::string(name_of(options.stop)) +
                     "\" needs validation nodes, and the split has none; use the rule \"none\"");
  }
}

// The state of one run; `epoch` is one pass of forward, backward, step and validation.
class Run {
 public:
  Run(const Network& network, const PreparedGraph& graph, const Labels& labels, const Split& split,
      const TrainOptions& options)
      : network_(network),
        graph_(graph),
        labels_(labels),
        split_(split),
        options_(options),
        blocks_(Blocks::whole(graph.graph().view(), network.num_steps())),
        input_{blocks_, graph.features(), graph.edge_features(), {}},
        random_(RandomStream(options.seed).derive(kTrainingStream)),
        optimizer_(options.adam),
        weights_(initial_weights(network, options.seed)),
        gradients_(network.make_weights()),
        logits_(graph.graph().num_nodes(), network.output_width()),
        d_logits_(logits_.rows(), logits_.cols()) {}

  const Weights& weights() const { return weights_; }

  EpochRecord epoch(int number) {
    EpochRecord record;
    record.epoch = number;
    record.train_loss = training_step(number);
    if (!std::isfinite(record.train_loss)) {
      throw NumericError("the training loss is no longer finite in epoch " + std::to_string(number) +
                         "; try a smaller learning rate or normalised features");
    }
    record.validation_loss = record.validation_accuracy = std::numeric_limits<double>::quiet_NaN();
    if (!split_.validation.empty()) validate(record);
    return record;
  }

 private:
  double training_step(int number) {
    const Round round{Mode::training, random_.derive(static_cast<std::uint64_t>(number)),
                      options_.num_threads, workspace_, &tape_, {}, {}};
    network_.forward(round, weights_, input_, logits_);
    d_logits_.resize(logits_.rows(), logits_.cols());
    const double loss = loss_of(logits_, labels_, split_.train, options_.loss, d_logits_, options_.num_threads);
    gradients_.fill(0);
    network_.backward(round, weights_, input_, d_logits_, gradients_);
    optimizer_.step(weights_, gradients_, options_.num_threads);
    return loss;
  }

  void validate(EpochRecord& record) {
    const Round round{Mode::evaluation, {}, options_.num_threads, workspace_, nullptr, {}, {}};
    network_.forward(round, weights_, input_, logits_);
    record.validation_loss = loss_of(logits_, labels_, split_.validation, options_.loss, {}, options_.num_threads);
    record.validation_accuracy = metrics_of(logits_, labels_, split_.validation).score(labels_.multi_label());
    if (!std::isfinite(record.validation_loss)) {
      throw NumericError("the validation loss is no longer finite in epoch " + std::to_string(record.epoch) +
                         "; try a smaller learning rate or normalised features");
    }
  }

  const Network& network_;
  const PreparedGraph& graph_;
  const Labels& labels_;
  const Split& split_;
  const TrainOptions& options_;
  Blocks blocks_;
  NetworkInput input_;
  RandomStream random_;
  Adam optimizer_;
  Weights weights_;
  Weights gradients_;
  Matrix logits_, d_logits_;
  Workspace workspace_;
  NetworkTape tape_;
};

}  // namespace

std::string_view name_of(LossKind kind) { return name_in(kLossKinds, kind); }
LossKind loss_kind_named(std::string_view name) { return value_in(kLossKinds, name, "loss"); }

void TrainOptions::validate() const {
  adam.validate();
  if (epochs < 1) throw UsageError("epochs is " + std::to_string(epochs) + "; train for at least one epoch");
  if (patience < 1) throw UsageError("patience is " + std::to_string(patience) + "; it is at least 1 epoch");
  if (num_threads < 1) throw UsageError("num_threads is " + std::to_string(num_threads) + "; at least 1 thread is needed");
  if (!(loss.label_smoothing >= 0 && loss.label_smoothing < 1)) {
    throw UsageError("label_smoothing is " + std::to_string(loss.label_smoothing) + "; it lies in [0, 1)");
  }
}

Weights initial_weights(const Network& network, std::uint64_t seed) {
  Weights weights = network.make_weights();
  weights.initialize(RandomStream(seed).derive(kInitialStream));
  return weights;
}

TrainResult train(const Network& network, const PreparedGraph& graph, const Labels& labels, const Split& split,
                  const TrainOptions& options, std::span<TrainObserver* const> observers) {
  check_task(network, graph, labels, split, options);
  const auto start = Clock::now();
  Run run(network, graph, labels, split, options);
  EarlyStopping stopping(options.stop, options.patience);
  TrainResult result;
  for (int number = 1; number <= options.epochs; ++number) {
    EpochRecord record = run.epoch(number);
    record.seconds = seconds_since(start);
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
  // Without any kept epoch (no epoch was both best in loss and in accuracy) the last one is the result.
  if (result.best_epoch == 0) {
    result.weights = run.weights();
    result.best_epoch = result.epochs;
  }
  if (result.stop_reason.empty()) result.stop_reason = "all " + std::to_string(options.epochs) + " epochs run";
  result.seconds = seconds_since(start);
  return result;
}

Evaluation evaluate(ConstMatrixView class_logits, const Labels& labels, std::span<const NodeId> nodes) {
  Evaluation evaluation;
  evaluation.loss = loss_of(class_logits, labels, nodes, {}, {}, 1);
  evaluation.metrics = metrics_of(class_logits, labels, nodes);
  return evaluation;
}

Index training_memory_bytes(const Network& network, const GraphData& data, Index num_edges, int num_threads) {
  const Index nodes = data.num_nodes();
  Index numbers = data.features.is_sparse ? 2 * data.features.sparse.num_entries() : data.features.dense.size();
  for (int k = 0; k < network.num_steps(); ++k) {
    const Layer& layer = network.layer(k);
    Index joined = layer.output_width();
    for (const ParameterSpec& spec : layer.parameters()) joined = std::max(joined, spec.num_heads * spec.head_dim);
    // Tape: projection, dropped-out values, heads, argument, scores; backward: two buffers as wide.
    numbers += nodes * (4 * joined + 4 * layer.num_heads() + 3 * joined + 2 * layer.output_width());
    for (const ParameterSpec& spec : layer.parameters()) {
      if (spec.name == "edge_weight") numbers += 2 * num_edges * layer.num_heads();
    }
  }
  const Index weights = network.make_weights().num_values();
  numbers += 5 * weights + 8 * weights + 2 * nodes * network.output_width();  // gradients, moments, best; block sums
  const Index graph = num_edges * Index(2 * sizeof(NodeId) + 4 * sizeof(EdgeId) + 1) + 2 * nodes * Index(sizeof(EdgeId));
  return numbers * Index(sizeof(Real)) + graph + num_threads * Index(1 << 20);
}

}  // namespace gat::inline GAT_PRECISION
