#include "run/network_plan.hpp"

#include <string>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/data/load.hpp"
#include "gat/nn/layers/attention.hpp"
#include "gat/nn/layers/gat.hpp"
#include "options/block_choice.hpp"
#include "options/class_weights.hpp"
#include "options/position_choice.hpp"
#include "output/counted.hpp"
#include "run/attention_plan.hpp"
#include "system/environment.hpp"

namespace gat::app {

namespace {

// One number for each hidden layer.
std::vector<std::int64_t> per_hidden_layer(const std::vector<std::int64_t>& values, std::int64_t layers,
                                           const char* name) {
  const auto hidden = static_cast<std::size_t>(layers - 1);
  if (values.size() == 1) return std::vector<std::int64_t>(hidden, values.front());
  if (values.size() == hidden) return values;
  throw UsageError(std::string(name) + ": " + counted(values.size(), "number") + " for " +
                   counted(hidden, "hidden layer") + "; give one number or one per hidden layer");
}

LayerDescription stack_layer(const Settings& settings, const LayerPlace& place) {
  if (block_of(settings).kind != BlockKind::gat) return attention_layer(settings, place);
  GatLayerOptions o = gat_layer_options(settings);
  o.in_features = place.in_features;
  o.edge_features = place.edge_features;
  o.num_heads = place.num_heads;
  o.head_dim = place.head_dim;
  o.merge = place.is_output ? HeadMerge::mean : HeadMerge::concat;
  if (!place.is_output) o.activation = {activation_named(settings.activation), settings.activation_parameter};
  o.residual = place.residual;
  return GatLayer(o).describe();
}

// Puts learned positions before the layers. Returns the width that the first of these reads.
Index add_positions(const std::optional<LearnedPositionsOptions>& positions, NetworkDescription& network) {
  if (!positions) return network.num_features;
  network.steps.push_back({positions->describe(), "positions", "features"});
  if (positions->join == PositionJoin::concat) return network.num_features + positions->width;
  if (network.num_features > 0) return network.num_features;
  throw UsageError(
      "--positions learned: there are no features to add positions to; use learned:WIDTH, which are columns");
}

// Layers one after the other: hidden ones with their heads side by side, then the output layer.
NetworkDescription stack_network(const Settings& settings, NetworkDescription network,
                                 const std::optional<LearnedPositionsOptions>& positions, Index num_classes) {
  check_stack(settings);
  const auto hidden = per_hidden_layer(settings.hidden, settings.layers, "--hidden");
  const auto heads = per_hidden_layer(settings.heads, settings.layers, "--heads");
  const Residual residual = parse_residual(settings.residual);
  Index width = add_positions(positions, network);
  bool has_identity = false;
  for (std::int64_t l = 0; l < settings.layers; ++l) {
    const auto at = static_cast<std::size_t>(l);
    LayerPlace place;
    place.is_output = l + 1 == settings.layers;
    place.in_features = width;
    place.edge_features = network.edge_features;
    place.num_heads = static_cast<int>(place.is_output ? settings.output_heads : heads[at]);
    place.head_dim = static_cast<int>(place.is_output ? num_classes : hidden[at]);
    width = place.is_output ? place.head_dim : Index{place.num_heads} * place.head_dim;
    place.residual = residual;
    if (residual == Residual::identity && place.in_features != width) place.residual = Residual::none;
    has_identity = has_identity || place.residual == Residual::identity;
    network.steps.push_back({stack_layer(settings, place), "layers." + std::to_string(l), ""});
  }
  if (residual == Residual::identity && !has_identity) {
    throw UsageError(
        "--residual identity: no layer has an input and an output of the same width; use more layers or "
        "--residual learned");
  }
  return network;
}

}  // namespace

namespace {

// Weights inside the softmax are logarithms there.
void check_edge_weights(const Settings& settings, const Dataset& dataset) {
  const Matrix& weights = dataset.graph_data.edge_features;
  if (settings.edge_use != "log-prior" || settings.edge_features != "use" || weights.cols() != 1) return;
  for (Index e = 0; e < weights.rows(); ++e) {
    if (weights(e, 0) > 0) continue;
    throw InputError(dataset.name + ": edge " + std::to_string(e) + " (from 0)",
                     "its weight is " + std::to_string(weights(e, 0)) +
                         ", but --edge-use log-prior needs weights above 0; leave such edges out, or use "
                         "--edge-use multiplied");
  }
}

}  // namespace

NetworkDescription describe_network(const Settings& settings, const Dataset& dataset) {
  PositionChoice positions = parse_positions(settings.positions);
  if (positions.learned) positions.learned->num_positions = dataset.num_nodes();
  NetworkDescription network;
  network.num_features = dataset.graph_data.num_features() + position_width(positions.encodings);
  if (settings.edge_features == "use") network.edge_features = dataset.graph_data.edge_features.cols();
  check_edge_weights(settings, dataset);
  if (block_of(settings).is_stack())
    return stack_network(settings, std::move(network), positions.learned, dataset.num_classes);
  return blocks_network(settings, network, positions.learned, dataset.num_classes);
}

GraphPolicy graph_policy(const Settings& settings) {
  GraphPolicy policy;
  policy.direction = direction_named(settings.direction);
  policy.self_loops = self_loops_named(settings.self_loops);
  policy.duplicates = duplicates_named(settings.duplicates);
  policy.loop_fill = loop_fill_named(settings.loop_fill);
  policy.loop_fill_constant = settings.loop_fill_constant;
  // A loop that stands alone in its softmax must be open, whatever other weights are.
  const bool weights = settings.edge_use == "log-prior" || settings.edge_use == "multiplied";
  if (weights && policy.loop_fill != LoopFill::constant && policy.loop_fill_constant == 0)
    policy.loop_fill_constant = 1;
  return policy;
}

TrainOptions train_options(const Settings& settings, std::span<const Index> training_classes,
                           const Execution& execution) {
  TrainOptions options;
  options.epochs = static_cast<int>(settings.epochs);
  options.patience = static_cast<int>(settings.patience);
  options.stop = stop_rule_named(settings.stop);
  options.adam.learning_rate = settings.learning_rate;
  options.adam.beta1 = settings.beta1;
  options.adam.beta2 = settings.beta2;
  options.adam.epsilon = settings.epsilon;
  options.adam.epsilon_variant = epsilon_variant_named(settings.epsilon_variant);
  options.adam.l2 = settings.l2;
  options.adam.decoupled_decay = settings.decoupled_decay;
  options.adam.decay_biases = settings.decay_biases;
  options.loss.kind = loss_kind_named(settings.loss);
  options.loss.class_weights = class_weights(settings.class_weights, training_classes, "--class-weights");
  options.loss.positive_weights =
      class_weights(settings.positive_weights, training_classes, "--positive-weights");
  options.loss.label_smoothing = settings.label_smoothing;
  options.seed = static_cast<std::uint64_t>(settings.seed);
  options.execution = execution;
  options.prune = settings.prune;
  options.reorder = reorder_named(settings.reorder);
  options.validate();
  return options;
}

Dataset load_data(const Settings& settings) {
  LoadOptions options;
  options.format = settings.data_format;
  options.search_folders = data_folders(settings.data_dir);
  options.seed = static_cast<std::uint64_t>(settings.data_seed);
  return load_dataset(settings.data, options);
}

namespace {

// What tells one general attention layer from another, beside its widths.
std::string attention_text(const AttentionLayerOptions& o) {
  std::string text = ", score " + std::string(o.score);
  if (o.selection != Selection::all) {
    text += ", edges " + std::string(name_of(o.selection));
    if (o.selection == Selection::top_k) text += " " + std::to_string(o.top_k);
  }
  if (o.window != Window::none)
    text += ", window " + std::string(name_of(o.window)) + " " + std::to_string(o.window_width) +
            (o.renormalize ? "" : " multiplied") + (o.window_edges ? " cut" : "");
  if (o.edge_features > 0 && o.edge_use != EdgeUse::ignored)
    text += ", edge features as " + std::string(name_of(o.edge_use));
  return text;
}

}  // namespace

std::vector<std::string> network_lines(const Network& network) {
  std::vector<std::string> lines;
  for (int k = 0; k < network.num_steps(); ++k) {
    const Step& step = network.description().steps[static_cast<std::size_t>(k)];
    Index parameters = 0;
    for (const ParameterSpec& spec : network.layer(k).parameters())
      parameters += spec.trained ? spec.num_elements() : 0;
    std::string widths;
    for (const Index width : network.input_widths(k))
      widths += (widths.empty() ? "" : " + ") + std::to_string(width);
    const int heads = network.layer(k).num_heads();
    const auto* attention = dynamic_cast<const AttentionLayer*>(&network.layer(k));
    lines.push_back(step.name + ": " + step.layer.kind + ", " + widths + " -> " +
                    std::to_string(network.layer(k).output_width()) +
                    (heads > 0 ? ", " + counted(heads, "head") : "") +
                    (attention == nullptr ? "" : attention_text(attention->options())) + ", " +
                    counted(parameters, "parameter"));
  }
  return lines;
}

}  // namespace gat::app
