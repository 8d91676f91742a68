// Rounds of a network: forward, backward, and what training learns without gradients.
#include <algorithm>
#include <string>

#include "core/timed_scope.hpp"
#include "gat/core/error.hpp"
#include "gat/nn/network.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Where step k adds its time; null when nobody asks.
double* seconds_of(std::vector<double>* seconds, std::size_t step, std::size_t num_steps) {
  if (seconds == nullptr) return nullptr;
  seconds->resize(num_steps);
  return &(*seconds)[step];
}

}  // namespace

// What a layer reads, with the memory behind its list of inputs.
struct Network::StepInput {
  LayerInput layer;
  std::vector<FeatureView> others;
};

Context Network::context(const Round& round, const Weights& weights, const GraphView& view, int step) const {
  const auto at = static_cast<std::size_t>(step);
  return {.graph = view,
          .weights = {weights, first_parameter_[at]},
          .workspace = round.workspace,
          .mode = round.mode,
          .random = round.random,
          .layer = step,
          .execution = round.execution,
          .tape = round.tape == nullptr ? nullptr : &round.tape->layers[at],
          .attention = round.attention.empty() ? nullptr : &round.attention[at],
          .loss = round.loss,
          .baseline = round.baseline};
}

Network::StepInput Network::step_input(const NetworkInput& input, const std::vector<ConstMatrixView>& results,
                                       const GraphView& view, int step) const {
  const Index rows = view.num_sources();
  const auto rows_of = [&](int read) {
    // The rows of a later step are the first rows of every earlier result.
    if (read != kFeatures) return first_rows(FeatureView(results[static_cast<std::size_t>(read)]), rows);
    // A part of the graph reads the rows of its own nodes; nothing is copied.
    FeatureView features = input.features;
    if (rows == 0) features = first_rows(input.features, 0);
    else if (features.row_ids.empty()) features.row_ids = view.arrays().node_ids;
    if (rows == input.feature_columns.cols) features.columns = input.feature_columns;
    return features;
  };
  StepInput result;
  const std::vector<int>& reads = reads_[static_cast<std::size_t>(step)];
  result.layer.source = rows_of(reads.front());
  for (std::size_t k = 1; k < reads.size(); ++k) result.others.push_back(rows_of(reads[k]));
  result.layer.others = result.others;
  if (description_.steps[static_cast<std::size_t>(step)].edges == StepEdges::graph) {
    result.layer.edge_features = input.edge_features;
    result.layer.edges = input.edges;
  }
  return result;
}

void Network::forward(const Round& round, const Weights& weights, const NetworkInput& input,
                      MatrixView class_logits) const {
  if (input.blocks.num_layers() != num_steps()) {
    throw ShapeError("the network has " + std::to_string(num_steps()) + " layers, the blocks " +
                     std::to_string(input.blocks.num_layers()) + "; make one block per layer");
  }
  const Workspace::Scope scope(round.workspace);
  if (round.tape != nullptr) {
    round.tape->layers.resize(layers_.size());
    round.tape->results.resize(layers_.size());
    round.tape->class_logits = class_logits;
  }
  std::vector<ConstMatrixView> results(layers_.size());
  for (int k = 0; k < num_steps(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const GraphView graph = view(input.blocks, k);
    const StepInput in = step_input(input, results, graph, k);
    const Index width = layer(k).check_input(graph, in.layer);
    const Index rows = result_rows(graph, k);
    MatrixView result = class_logits;
    if (k + 1 == num_steps()) {
      if (class_logits.rows != rows || class_logits.cols != width) {
        throw ShapeError("class logits have the shape " + std::to_string(class_logits.rows) + " × " +
                         std::to_string(class_logits.cols) + ", expected " + std::to_string(rows) + " × " +
                         std::to_string(width));
      }
    } else if (round.tape != nullptr) {
      round.tape->results[at].reshape(rows, width);
      result = round.tape->results[at];
    } else {
      result = round.workspace.matrix(rows, width);
    }
    {
      const TimedScope timed(
          seconds_of(round.times == nullptr ? nullptr : &round.times->forward_seconds, at, layers_.size()));
      layer(k).forward(context(round, weights, graph, k), in.layer, result);
    }
    results[at] = result;
    if (!round.hidden.empty() && !round.hidden[at].empty()) {
      for (Index i = 0; i < result.rows; ++i)
        std::copy_n(result.row(i), result.cols, round.hidden[at].row(i));
    }
  }
}

// The gradients of all results while they are collected, last step first. A result that one step alone reads
// has its gradient where that of the step's own result was, if the layer allows it.
class Network::Backward {
 public:
  Backward(const Network& network, const Blocks& blocks, NetworkTape& tape)
      : network_(network), rows_(network.layers_.size()), is_new_(rows_.size(), true) {
    const std::size_t count = rows_.size() - 1;
    std::vector<std::size_t> home(count);
    std::vector<Index> sizes(count, 0);
    for (std::size_t k = count; k-- > 0;) {
      const std::size_t reader = overlaying_reader(blocks, tape.results[k].rows(), static_cast<int>(k));
      home[k] = reader < count ? home[reader] : k;
      sizes[home[k]] = std::max(sizes[home[k]], tape.results[k].size());
    }
    tape.d_results.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      if (home[k] == k) tape.d_results[k].reshape(1, sizes[k]);
      else tape.d_results[k] = Matrix();
    }
    for (std::size_t k = 0; k < count; ++k)
      rows_[k] = {tape.d_results[home[k]].data(), tape.results[k].rows(), tape.results[k].cols()};
  }

  /// The gradient of a step's result; not of the last one.
  MatrixView of_result(int step) const { return rows_[static_cast<std::size_t>(step)]; }

  /// Whether any later step has read the result of a step.
  bool has_reader(int step) const { return !is_new_[static_cast<std::size_t>(step)]; }

  /// Where a step adds the gradients of its inputs. The first to do so overwrites, if it has every row.
  std::vector<RowGradient> inputs(const LayerInput& input, int step) {
    const std::vector<int>& reads = network_.reads_[static_cast<std::size_t>(step)];
    std::vector<RowGradient> gradients(reads.size());
    for (std::size_t k = 0; k < reads.size(); ++k) {
      if (reads[k] == kFeatures) continue;
      const auto read = static_cast<std::size_t>(reads[k]);
      RowGradient& gradient = gradients[k];
      gradient.rows = rows_[read];
      const bool is_whole = gradient.rows.rows == input.source.rows();
      gradient.is_new = is_new_[read] && is_whole && std::count(reads.begin(), reads.end(), reads[k]) == 1;
      if (is_new_[read] && !gradient.is_new) gradient.rows.fill(0);
      gradient.rows.rows = input.source.rows();
      is_new_[read] = false;
    }
    return gradients;
  }

 private:
  // The only step that reads a result, if the result's gradient may lie where that of the step's own lies;
  // else a number that no step has.
  std::size_t overlaying_reader(const Blocks& blocks, Index rows, int step) const {
    const std::size_t none = rows_.size();
    std::size_t reader = none;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::vector<int>& reads = network_.reads_[r];
      const auto times = std::count(reads.begin(), reads.end(), step);
      if (times == 0) continue;
      if (times > 1 || reader != none || reads.front() != step) return none;
      reader = r;
    }
    if (reader == none || !network_.layers_[reader]->overlays_gradients()) return none;
    return network_.view(blocks, static_cast<int>(reader)).num_sources() == rows ? reader : none;
  }

  const Network& network_;
  std::vector<MatrixView> rows_;
  std::vector<bool> is_new_;  // nothing has been written to the gradient of a step's result
};

void Network::backward(const Round& round, const Weights& weights, const NetworkInput& input,
                       ConstMatrixView d_class_logits, Weights& gradients) const {
  if (round.tape == nullptr || round.tape->layers.size() != layers_.size()) {
    throw UsageError("backward needs the tape of a forward in training mode");
  }
  NetworkTape& tape = *round.tape;
  Backward collected(*this, input.blocks, tape);
  std::vector<ConstMatrixView> results(tape.results.begin(), tape.results.end());
  results.back() = tape.class_logits;
  for (int k = num_steps() - 1; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    const bool is_last = k + 1 == num_steps();
    if (!is_last && !collected.has_reader(k)) continue;
    const GraphView graph = view(input.blocks, k);
    const StepInput in = step_input(input, results, graph, k);
    const std::vector<RowGradient> d_inputs = collected.inputs(in.layer, k);
    InputGradient d_input;
    if (!is_last) d_input.spent = collected.of_result(k);
    d_input.source = d_inputs.front().rows;
    d_input.source_is_new = d_inputs.front().is_new;
    d_input.others = std::span(d_inputs).subspan(1);
    const TimedScope timed(
        seconds_of(round.times == nullptr ? nullptr : &round.times->backward_seconds, at, layers_.size()));
    layer(k).backward(context(round, weights, graph, k), in.layer, results[at],
                      is_last ? d_class_logits : ConstMatrixView(d_input.spent), d_input,
                      Gradients{gradients, first_parameter_[at]});
  }
}

double Network::added_loss(NetworkTape& tape) const {
  double sum = 0;
  for (std::size_t k = 0; k < layers_.size() && k < tape.layers.size(); ++k)
    sum += layers_[k]->added_loss(tape.layers[k]);
  return sum;
}

void Network::commit(NetworkTape& tape, Weights& weights) const {
  for (std::size_t k = 0; k < layers_.size() && k < tape.layers.size(); ++k)
    layers_[k]->commit(tape.layers[k], WeightsSlice{weights, first_parameter_[k]});
}

}  // namespace gat::inline GAT_PRECISION
