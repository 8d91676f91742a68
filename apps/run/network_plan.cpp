#include "run/network_plan.hpp"

#include <string>

#include "gat/core/error.hpp"
#include "gat/data/load.hpp"
#include "gat/graph/positions.hpp"
#include "gat/nn/layers/gat.hpp"
#include "options/class_weights.hpp"
#include "output/counted.hpp"
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

GatLayerOptions common_options(const Settings& settings) {
  GatLayerOptions o;
  o.negative_slope = settings.negative_slope;
  o.score_bias = settings.score_bias;
  o.initial = initial_scheme_named(settings.initial);
  o.feature_dropout = settings.feature_dropout;
  o.dropout_per_head = settings.dropout_per_head;
  o.value_dropout = settings.value_dropout;
  o.attention_dropout = settings.attention_dropout;
  o.ignore_edge_features = settings.edge_features == "ignore";
  return o;
}

Index width_of(const GatLayerOptions& o) {
  return o.merge == HeadMerge::concat ? Index{o.num_heads} * o.head_dim : o.head_dim;
}

}  // namespace

NetworkDescription describe_network(const Settings& settings, const Dataset& dataset) {
  const auto hidden = per_hidden_layer(settings.hidden, settings.layers, "--hidden");
  const auto heads = per_hidden_layer(settings.heads, settings.layers, "--heads");
  const Residual residual = residual_named(settings.residual);
  NetworkDescription network;
  network.num_features =
      dataset.graph_data.num_features() + position_width(parse_position_encodings(settings.positions));
  if (settings.edge_features == "use") network.edge_features = dataset.graph_data.edge_features.cols();
  Index width = network.num_features;
  bool has_identity = false;
  for (std::int64_t l = 0; l < settings.layers; ++l) {
    const bool is_output = l + 1 == settings.layers;
    const auto at = static_cast<std::size_t>(l);
    GatLayerOptions o = common_options(settings);
    o.in_features = width;
    o.edge_features = network.edge_features;
    o.num_heads = static_cast<int>(is_output ? settings.output_heads : heads[at]);
    o.head_dim = static_cast<int>(is_output ? dataset.num_classes : hidden[at]);
    o.merge = is_output ? HeadMerge::mean : HeadMerge::concat;
    if (!is_output) o.activation = {activation_named(settings.activation), settings.activation_parameter};
    width = width_of(o);
    o.residual = residual;
    if (residual == Residual::identity && o.in_features != width) o.residual = Residual::none;
    has_identity = has_identity || o.residual == Residual::identity;
    network.steps.push_back({GatLayer(o).describe(), "layers." + std::to_string(l), ""});
  }
  if (residual == Residual::identity && !has_identity) {
    throw UsageError(
        "--residual identity: no layer has an input and an output of the same width; use more layers or "
        "--residual learned");
  }
  return network;
}

GraphPolicy graph_policy(const Settings& settings) {
  GraphPolicy policy;
  policy.direction = direction_named(settings.direction);
  policy.self_loops = self_loops_named(settings.self_loops);
  policy.duplicates = duplicates_named(settings.duplicates);
  policy.loop_fill = loop_fill_named(settings.loop_fill);
  policy.loop_fill_constant = settings.loop_fill_constant;
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
    lines.push_back(step.name + ": " + step.layer.kind + ", " + widths + " -> " +
                    std::to_string(network.layer(k).output_width()) +
                    (heads > 0 ? ", " + counted(heads, "head") : "") + ", " +
                    counted(parameters, "parameter"));
  }
  return lines;
}

}  // namespace gat::app
