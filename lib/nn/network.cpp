#include "gat/nn/network.hpp"

#include <algorithm>
#include <string>

#include "core/timed_scope.hpp"
#include "gat/core/error.hpp"
#include "gat/kernels/head_layout.hpp"
#include "gat/nn/layers/table.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Where step k adds its time; null when nobody asks.
double* seconds_of(std::vector<double>* seconds, std::size_t step, std::size_t num_steps) {
  if (seconds == nullptr) return nullptr;
  seconds->resize(num_steps);
  return &(*seconds)[step];
}

}  // namespace

Network::Network(const NetworkDescription& description) : description_(description) {
  if (description.steps.empty()) throw UsageError("a network needs at least one layer");
  first_parameter_.push_back(0);
  for (std::size_t k = 0; k < description.steps.size(); ++k) {
    Step& step = description_.steps[k];
    if (step.name.empty()) step.name = "layers." + std::to_string(k);
    add_step(step, static_cast<int>(k));
  }
}

void Network::add_step(const Step& step, int number) {
  const auto steps = description_.steps.begin();
  if (step.name == "features" ||
      std::any_of(steps, steps + number, [&](const Step& s) { return s.name == step.name; })) {
    throw UsageError("the name \"" + step.name + "\" of a step is taken; give each step a name of its own");
  }
  int read = number == 0 ? kFeatures : number - 1;
  if (!step.input.empty() && step.input == "features") {
    read = kFeatures;
  } else if (!step.input.empty()) {
    const auto found =
        std::find_if(steps, steps + number, [&](const Step& s) { return s.name == step.input; });
    if (found == steps + number) {
      throw UsageError("step \"" + step.name + "\" reads \"" + step.input +
                       "\", which is no earlier step; the node features are called \"features\"");
    }
    read = static_cast<int>(found - steps);
  }
  const Index width = read == kFeatures ? description_.num_features : layer(read).output_width();
  layers_.push_back(make_layer(step.layer, width, description_.edge_features));
  reads_.push_back(read);
  first_parameter_.push_back(first_parameter_.back() +
                             static_cast<Index>(layers_.back()->parameters().size()));
}

std::vector<Reach> Network::reach(Mode mode) const {
  std::vector<Reach> result;
  for (const auto& layer : layers_) result.push_back(layer->reach(mode));
  return result;
}

Index Network::num_readers(int step) const { return std::count(reads_.begin(), reads_.end(), step); }

Index Network::gathered_row_bytes() const {
  Index width = 0;
  for (const auto& layer : layers_) {
    for (const ParameterSpec& spec : layer->parameters()) {
      if (spec.num_heads == layer->num_heads())
        width = std::max(width, HeadLayout(spec.num_heads, spec.head_dim).width());
    }
  }
  return width * Index(sizeof(Real));
}

Weights Network::make_weights() const {
  std::vector<ParameterSpec> specs;
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    for (ParameterSpec spec : layers_[k]->parameters()) {
      spec.name = description_.steps[k].name + "." + spec.name;
      specs.push_back(std::move(spec));
    }
  }
  return Weights(std::move(specs));
}

Context Network::context(const Round& round, const Weights& weights, const NetworkInput& input,
                         int step) const {
  const auto at = static_cast<std::size_t>(step);
  Context context{input.blocks.layer(step),
                  ConstWeights{&weights, first_parameter_[at]},
                  round.mode,
                  round.random,
                  step,
                  0,
                  round.execution,
                  round.workspace,
                  round.tape == nullptr ? nullptr : &round.tape->layers[at],
                  round.attention.empty() ? nullptr : &round.attention[at],
                  round.loss,
                  round.baseline};
  return context;
}

LayerInput Network::layer_input(const NetworkInput& input, const std::vector<ConstMatrixView>& results,
                                int step) const {
  LayerInput layer_input;
  const int read = reads_[static_cast<std::size_t>(step)];
  const Index rows = input.blocks.layer(step).num_sources();
  if (read == kFeatures) {
    layer_input.source = input.features;
    // A part of the graph reads the rows of its own nodes; nothing is copied.
    if (rows == 0) layer_input.source = first_rows(input.features, 0);
    else if (layer_input.source.row_ids.empty())
      layer_input.source.row_ids = input.blocks.layer(step).arrays().node_ids;
    if (rows == input.feature_columns.cols) layer_input.source.columns = input.feature_columns;
  } else {
    // The rows of a later step are the first rows of every earlier result.
    layer_input.source = first_rows(FeatureView(results[static_cast<std::size_t>(read)]), rows);
  }
  layer_input.edge_features = input.edge_features;
  layer_input.edges = input.edges;
  return layer_input;
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
    const GraphView& graph = input.blocks.layer(k);
    const LayerInput in = layer_input(input, results, k);
    const Index width = layer(k).check_input(graph, in);
    MatrixView result = class_logits;
    if (k + 1 == num_steps()) {
      if (class_logits.rows != graph.num_destinations() || class_logits.cols != width) {
        throw ShapeError("class logits have the shape " + std::to_string(class_logits.rows) + " × " +
                         std::to_string(class_logits.cols) + ", expected " +
                         std::to_string(graph.num_destinations()) + " × " + std::to_string(width));
      }
    } else if (round.tape != nullptr) {
      round.tape->results[at].reshape(graph.num_destinations(), width);
      result = round.tape->results[at];
    } else {
      result = round.workspace.matrix(graph.num_destinations(), width);
    }
    {
      const TimedScope timed(
          seconds_of(round.times == nullptr ? nullptr : &round.times->forward_seconds, at, layers_.size()));
      layer(k).forward(context(round, weights, input, k), in, result);
    }
    results[at] = result;
    if (!round.hidden.empty() && !round.hidden[at].empty()) {
      for (Index i = 0; i < result.rows; ++i)
        std::copy_n(result.row(i), result.cols, round.hidden[at].row(i));
    }
  }
}

void Network::backward(const Round& round, const Weights& weights, const NetworkInput& input,
                       ConstMatrixView d_class_logits, Weights& gradients) const {
  if (round.tape == nullptr || round.tape->layers.size() != layers_.size()) {
    throw UsageError("backward needs the tape of a forward in training mode");
  }
  NetworkTape& tape = *round.tape;
  tape.d_results.resize(layers_.size());
  std::vector<ConstMatrixView> results(layers_.size());
  for (std::size_t k = 0; k + 1 < layers_.size(); ++k) {
    results[k] = tape.results[k];
    // The only reader of a result overwrites its gradient; several add to zeros.
    if (num_readers(static_cast<int>(k)) == 1)
      tape.d_results[k].reshape(tape.results[k].rows(), tape.results[k].cols());
    else tape.d_results[k].resize(tape.results[k].rows(), tape.results[k].cols());
  }
  for (int k = num_steps() - 1; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    const ConstMatrixView d_result =
        k + 1 == num_steps() ? d_class_logits : ConstMatrixView(tape.d_results[at]);
    const LayerInput in = layer_input(input, results, k);
    InputGradient d_input;
    if (reads_[at] != kFeatures) {
      d_input.source = tape.d_results[static_cast<std::size_t>(reads_[at])];
      d_input.source_is_new = num_readers(reads_[at]) == 1 && d_input.source.rows == in.source.rows();
      if (num_readers(reads_[at]) == 1 && !d_input.source_is_new) d_input.source.fill(0);
      d_input.source.rows = in.source.rows();
    }
    const ConstMatrixView result =
        k + 1 == num_steps() ? tape.class_logits : ConstMatrixView(tape.results[at]);
    const TimedScope timed(
        seconds_of(round.times == nullptr ? nullptr : &round.times->backward_seconds, at, layers_.size()));
    layer(k).backward(context(round, weights, input, k), in, result, d_result, d_input,
                      Gradients{&gradients, first_parameter_[at]});
  }
}

}  // namespace gat::inline GAT_PRECISION
