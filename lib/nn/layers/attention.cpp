// What the general attention layer is: parameters and checks. Its arithmetic is in attention_*.cpp.
#include "gat/nn/layers/attention.hpp"

#include <utility>

#include "gat/core/error.hpp"
#include "nn/layers/attention_run.hpp"
#include "nn/layers/checks.hpp"

namespace gat::inline GAT_PRECISION {

AttentionLayer::AttentionLayer(const AttentionLayerOptions& options) : options_(options) {
  options_.validate();
  score_ = score_named(options_.score);
  options_.score = score_table()[static_cast<std::size_t>(score_)]->name;
  add_projections();
  add_score();
  add_output();
}

std::unique_ptr<Layer> AttentionLayer::from_description(const LayerDescription& description,
                                                        Index in_features, Index edge_features) {
  return std::make_unique<AttentionLayer>(
      AttentionLayerOptions::from_description(description, in_features, edge_features));
}

Index AttentionLayer::add(ParameterSpec spec) {
  parameters_.push_back(std::move(spec));
  return static_cast<Index>(parameters_.size()) - 1;
}

// A map to rows of heads.
Index AttentionLayer::add_map(const char* name, Index in, Index heads, Index dim) {
  const Initializer initializer = weight_initializer(options_.initial);
  return add({name,
              {heads * dim, in},
              in,
              HeadLayout(heads, dim).width(),
              true,
              true,
              DecayGroup::weight,
              initializer,
              in,
              heads,
              dim});
}

// A bias or another plain row of numbers. \param in  fan-in, for the initialiser
Index AttentionLayer::add_vector(const char* name, Index width, Initializer initializer, Index in) {
  return add({name, {width}, 1, width, false, false, DecayGroup::bias, initializer, in, 1, 1});
}

void AttentionLayer::add_projections() {
  const AttentionLayerOptions& o = options_;
  const ScoreDescription& score = *score_table()[static_cast<std::size_t>(score_)];
  const bool rows = score.reads_rows || score.node_numbers;
  const auto add_rows = [&](const char* weight, const char* bias, Index in, Index dim, Index& weight_number,
                            Index& bias_number) {
    weight_number = add_map(weight, in, o.num_heads, dim);
    if (!o.projection_bias) return;
    bias_number = add({bias,
                       {o.num_heads * dim},
                       1,
                       HeadLayout(o.num_heads, dim).width(),
                       false,
                       true,
                       DecayGroup::bias,
                       bias_initializer(o.initial),
                       in,
                       o.num_heads,
                       dim});
  };
  if (rows && o.query == Projection::own)
    add_rows("query_weight", "query_bias", o.receiver_features(), o.query_width(), numbers_.query_weight,
             numbers_.query_bias);
  if ((rows || o.value == Projection::shared) && o.key == Projection::own)
    add_rows("key_weight", "key_bias", o.in_features, o.key_width(), numbers_.key_weight, numbers_.key_bias);
  if (o.value == Projection::own)
    add_rows("value_weight", "value_bias", o.value_features > 0 ? o.value_features : o.in_features,
             o.head_dim, numbers_.value_weight, numbers_.value_bias);
}

void AttentionLayer::add_score() {
  const AttentionLayerOptions& o = options_;
  const ScoreDescription& score = *score_table()[static_cast<std::size_t>(score_)];
  const Index heads = o.num_heads, width = o.key_width();
  const Initializer attention = attention_initializer(o.initial);
  const auto add_attention = [&](const std::string& name, Initializer initializer) {
    return add({"score." + name,
                {heads, width},
                1,
                HeadLayout(heads, width).width(),
                false,
                true,
                DecayGroup::attention,
                initializer,
                0,
                heads,
                width});
  };
  for (const ScoreParameter& parameter : score.parameters) {
    Initializer initializer = attention;
    if (parameter.start == ScoreParameter::Start::weight) initializer = Initializer::glorot_per_head;
    if (parameter.start == ScoreParameter::Start::zeros) initializer = Initializer::zeros;
    if (parameter.start == ScoreParameter::Start::ones) initializer = Initializer::ones;
    Index number = -1;
    if (parameter.shape == ScoreParameter::Shape::per_feature) {
      number = add_attention(std::string(parameter.name), initializer);
    } else {
      const bool matrix = parameter.shape == ScoreParameter::Shape::matrix;
      const std::vector<Index> shape =
          matrix ? std::vector<Index>{heads, o.query_width(), width} : std::vector<Index>{heads};
      const Index dim = matrix ? width : 1;
      number = add({"score." + std::string(parameter.name), shape, matrix ? o.query_width() : 1,
                    HeadLayout(heads, dim).width(), false, true, DecayGroup::attention, initializer,
                    o.query_width(), heads, dim});
    }
    if (numbers_.first_score < 0) numbers_.first_score = number;
  }
  if (score.node_numbers) {
    numbers_.a_src = add_attention("a_src", attention);
    numbers_.a_dst = add_attention("a_dst", attention);
  }
  if (o.edge_features == 0) return;
  const bool both = o.edge_use == EdgeUse::both || o.edge_use == EdgeUse::both_shared;
  if (score.separable && (both || o.edge_use == EdgeUse::score)) {
    // `gat` reads W_eᵀ a_edge alone, in public order.
    numbers_.edge_weight = add_map("edge_weight", o.edge_features, heads, width);
    parameters_.back().interleaved = false;
    parameters_.back().cols = heads * width;
    numbers_.a_edge = add_attention("a_edge", attention);
    parameters_.back().interleaved = false;
    parameters_.back().rows = heads;
    parameters_.back().cols = width;
  } else if (both || o.edge_use == EdgeUse::score) {
    numbers_.edge_weight = add_map("edge_weight", o.edge_features, heads, width);
  }
  if (o.edge_use == EdgeUse::values || o.edge_use == EdgeUse::both)
    numbers_.value_edge_weight = add_map("value_edge_weight", o.edge_features, heads, o.head_dim);
  if (o.edge_use == EdgeUse::both_shared) numbers_.value_edge_weight = numbers_.edge_weight;
}

void AttentionLayer::add_output() {
  const AttentionLayerOptions& o = options_;
  const Index in = o.receiver_features(), out = o.output_width();
  const Initializer plain =
      o.initial == InitialScheme::original ? Initializer::glorot_joined : weight_initializer(o.initial);
  const auto add_plain = [&](const char* name, Index rows, Index cols) {
    return add({name, {cols, rows}, rows, cols, true, false, DecayGroup::weight, plain, rows, 1, cols});
  };
  if (o.window == Window::predictive) {
    numbers_.position_weight = add_plain("position_weight", in, o.position_dim);
    numbers_.position_vector =
        add_vector("position_vector", o.position_dim, Initializer::glorot_joined, o.position_dim);
    parameters_.back().group = DecayGroup::weight;
  }
  if (o.output_dim > 0) numbers_.output_weight = add_plain("output_weight", o.merged_width(), out);
  if (residual_for(o.residual, in, out) == Residual::learned) {
    numbers_.residual_weight = add_plain("residual_weight", in, out);
    if (o.residual_bias)
      numbers_.residual_bias = add_vector("residual_bias", out, bias_initializer(o.initial), in);
  }
  if (o.gate) {
    numbers_.gate_weight = add_vector("gate_weight", 3 * out, Initializer::uniform_fan_in, 3 * out);
    parameters_.back().group = DecayGroup::weight;
  }
  if (o.bias) numbers_.bias = add_vector("bias", out, Initializer::zeros, 0);
}

void AttentionLayer::check_destinations_and_values(const GraphView& graph, const LayerInput& input) const {
  const AttentionLayerOptions& o = options_;
  const ScoreDescription& score = *score_table()[static_cast<std::size_t>(score_)];
  check_rows("attention", "source features", input.source, graph.num_sources(), o.in_features);
  check_destinations("attention", graph, input.destination, o.destination_features);
  if (input.destination.kind == Destinations::Kind::none) {
    if (score.reads_rows || (score.node_numbers && !score.separable)) {
      throw UsageError("attention layer: the score \"" + o.score + "\" needs destination features");
    }
    if (o.residual != Residual::none || o.window == Window::predictive)
      throw UsageError("attention layer: a residual and a predictive window need destination features");
  }
  if (input.values.empty() != (o.value_features == 0)) {
    throw UsageError(
        o.value_features == 0
            ? "attention layer: values come from the sources; set value_features to the width of "
              "the values given"
            : "attention layer: made for values with features of their own, but got none");
  }
  if (o.value_features > 0)
    check_rows("attention", "value features", input.values, graph.num_sources(), o.value_features);
  if ((o.score == "custom") != (input.custom_score != nullptr)) {
    throw UsageError(o.score == "custom"
                         ? "attention layer: the score \"custom\" needs LayerInput::custom_score"
                         : "attention layer: a custom score was given; set score to \"custom\"");
  }
}

namespace {

// The nodes of an edge in the numbers of the whole graph, for messages.
std::string ends_of(const GraphView& graph, EdgeId edge) {
  for (Index i = 0; i < graph.num_destinations(); ++i) {
    const EdgeRow row = graph.in_edges(i);
    for (Index k = 0; k < row.count; ++k) {
      if (row.edge(k) == edge)
        return "from node " + std::to_string(graph.global_source(row.node(k))) + " to node " +
               std::to_string(graph.global_destination(i));
    }
  }
  return std::to_string(edge);
}

}  // namespace

void AttentionLayer::check_edges(const GraphView& graph, const LayerInput& input) const {
  const AttentionLayerOptions& o = options_;
  if (!input.edge_features.empty() && o.edge_features == 0 && o.edge_use != EdgeUse::ignored) {
    throw UsageError("attention layer: edge features of width " + std::to_string(input.edge_features.cols) +
                     " were given, but edge_features is 0; set edge_features to their width or edge_use to "
                     "\"ignored\"");
  }
  const bool used = o.edge_features > 0 && o.edge_use != EdgeUse::ignored;
  if (used) {
    if (input.edge_features.empty())
      throw UsageError("attention layer: edge_features is set, but the input has none");
    check_rows("attention", "edge features", FeatureView(input.edge_features), graph.edge_id_bound(),
               o.edge_features);
  }
  check_edge_terms("attention", graph, input.edges, o.num_heads);
  const bool window_prior = o.window != Window::none && o.renormalize;
  const bool window_factor = o.window != Window::none && !o.renormalize;
  if (input.edges.log_prior.given() && ((used && o.edge_use == EdgeUse::log_prior) || window_prior))
    throw UsageError(
        "attention layer: the log-prior of the input and that of the layer's options exclude "
        "each other");
  if (input.edges.factor.given() && ((used && o.edge_use == EdgeUse::multiplied) || window_factor))
    throw UsageError(
        "attention layer: the factor of the input and that of the layer's options exclude each "
        "other");
  if (used && o.edge_use == EdgeUse::log_prior) {
    for (Index e = 0; e < input.edge_features.rows; ++e) {
      if (input.edge_features(e, 0) > 0) continue;
      throw UsageError("attention layer: the weight of the edge " + ends_of(graph, e) + " is " +
                       std::to_string(input.edge_features(e, 0)) +
                       ", but weights in the softmax are above 0; leave such edges out or set edge_use to "
                       "\"multiplied\"");
    }
  }
  if (o.window != Window::none) GraphLines{graph};
}

Index AttentionLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_destinations_and_values(graph, input);
  check_edges(graph, input);
  return output_width();
}

void AttentionLayer::forward(const Context& context, const LayerInput& input, MatrixView output) const {
  Run(*this, context, input).forward(output);
}

void AttentionLayer::backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                              ConstMatrixView d_output, const InputGradient& d_input,
                              const Gradients& gradients) const {
  Run(*this, context, input).backward(output, d_output, d_input, gradients);
}

}  // namespace gat::inline GAT_PRECISION
