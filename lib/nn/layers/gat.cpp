// What the GAT layer is: options, parameters, description, checks. Its arithmetic is in gat_run.cpp.
#include "gat/nn/layers/gat.hpp"

#include <string>
#include <utility>

#include "gat/core/error.hpp"
#include "nn/layers/checks.hpp"

namespace gat::inline GAT_PRECISION {

void GatLayerOptions::validate() const {
  if (num_heads < 1)
    throw UsageError("num_heads is " + std::to_string(num_heads) + "; a layer has at least one head");
  if (head_dim < 1)
    throw UsageError("head_dim is " + std::to_string(head_dim) + "; a head has a width of at least 1");
  if (in_features < 0 || destination_features < 0 || edge_features < 0) {
    throw UsageError("feature widths of a gat layer cannot be negative");
  }
  if (!(negative_slope >= 0 && negative_slope <= 1)) {
    throw UsageError("negative_slope is " + std::to_string(negative_slope) + "; it lies in [0, 1]");
  }
  check_probability("gat", "feature_dropout", feature_dropout);
  check_probability("gat", "value_dropout", value_dropout);
  check_probability("gat", "attention_dropout", attention_dropout);
  const Index width = merge == HeadMerge::concat ? num_heads * head_dim : head_dim;
  const Index residual_width = destination_features > 0 ? destination_features : in_features;
  if (residual == Residual::identity && residual_width != width) {
    throw UsageError("an identity residual needs equal widths, but the input has " +
                     std::to_string(residual_width) + " columns and the output " + std::to_string(width) +
                     "; use a learned residual");
  }
}

GatLayer::GatLayer(const GatLayerOptions& options) : options_(options) {
  const Index in = options_.destination_features > 0 ? options_.destination_features : options_.in_features;
  options_.residual = residual_for(options_.residual, in, output_width());
  options_.validate();
  add_parameters();
}

Index GatLayer::output_width() const {
  return options_.merge == HeadMerge::concat ? options_.num_heads * options_.head_dim : options_.head_dim;
}

Index GatLayer::add_parameter(ParameterSpec spec) {
  const bool is_matrix = spec.shape.size() == 2;
  const Index first = spec.shape[0];
  const Index second = is_matrix ? spec.shape[1] : 1;
  spec.rows = spec.transposed ? second : (is_matrix ? first : 1);
  spec.cols = spec.transposed ? first : (is_matrix ? second : first);
  spec.num_heads = options_.num_heads;
  spec.head_dim = options_.head_dim;
  if (spec.interleaved) {
    spec.rows = spec.transposed ? second : 1;
    spec.cols = HeadLayout(options_.num_heads, options_.head_dim).width();
  }
  parameters_.push_back(std::move(spec));
  return static_cast<Index>(parameters_.size()) - 1;
}

void GatLayer::add_parameters() {
  const GatLayerOptions& o = options_;
  const Index joined = o.num_heads * o.head_dim;
  const Initializer weight = weight_initializer(o.initial);
  const Initializer attention = attention_initializer(o.initial);
  const auto add_weight = [&](const char* name, Index out, Index in, Initializer initializer,
                              bool interleaved) {
    return add_parameter({name, {out, in}, 0, 0, true, interleaved, DecayGroup::weight, initializer, in});
  };
  const auto add_attention = [&](const char* name, bool interleaved) {
    return add_parameter(
        {name, {o.num_heads, o.head_dim}, 0, 0, false, interleaved, DecayGroup::attention, attention});
  };
  const auto add_bias = [&](const char* name, Index width) {
    return add_parameter({name, {width}, 0, 0, false, false, DecayGroup::bias, Initializer::zeros});
  };
  weight_ = add_weight("weight", joined, o.in_features, weight, true);
  if (o.destination_features > 0)
    weight_dst_ = add_weight("weight_dst", joined, o.destination_features, weight, true);
  a_src_ = add_attention("a_src", true);
  a_dst_ = add_attention("a_dst", true);
  if (o.score_bias) {
    score_bias_src_ = add_bias("score_bias_src", o.num_heads);
    score_bias_dst_ = add_bias("score_bias_dst", o.num_heads);
  }
  if (o.edge_features > 0) {
    edge_weight_ = add_weight("edge_weight", joined, o.edge_features, weight, false);
    a_edge_ = add_attention("a_edge", false);
  }
  if (o.residual == Residual::learned) {
    const Index in = o.destination_features > 0 ? o.destination_features : o.in_features;
    residual_weight_ = add_weight("residual_weight", output_width(), in, Initializer::glorot_joined, false);
    // Glorot's rule for a plain map: fan-out is the output width.
    parameters_.back().num_heads = 1;
    parameters_.back().head_dim = output_width();
  }
  if (o.bias) bias_ = add_bias("bias", output_width());
}

Index GatLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  const GatLayerOptions& o = options_;
  check_rows("gat", "source features", input.source, graph.num_sources(), o.in_features);
  if (!input.values.empty())
    throw UsageError("gat layer: values come from the sources; leave the input's values empty");
  check_destinations("gat", graph, input.destination, o.destination_features);
  if (input.destination.kind == Destinations::Kind::none && o.residual != Residual::none) {
    throw UsageError("gat layer: a residual needs destination features");
  }
  if (!input.edge_features.empty() && o.edge_features == 0 && !o.ignore_edge_features) {
    throw UsageError(
        "gat layer: edge features of width " + std::to_string(input.edge_features.cols) +
        " were given, but edge_features is 0; set edge_features to their width or ignore_edge_features");
  }
  if (o.edge_features > 0) {
    if (input.edge_features.empty())
      throw UsageError("gat layer: edge_features is set, but the input has none");
    check_rows("gat", "edge features", FeatureView(input.edge_features), graph.edge_id_bound(),
               o.edge_features);
  }
  check_edge_terms("gat", graph, input.edges, o.num_heads);
  return output_width();
}

std::unique_ptr<Layer> GatLayer::from_description(const LayerDescription& description, Index in_features,
                                                  Index edge_features) {
  GatLayerOptions o;
  o.in_features = in_features;
  o.edge_features = edge_features;
  OptionReader options(description);
  std::string merge(name_of(o.merge)), residual(name_of(o.residual)), initial(name_of(o.initial)),
      activation(name_of(o.activation.kind));
  options.read("num_heads", o.num_heads);
  options.read("head_dim", o.head_dim);
  options.read("merge", merge);
  options.read("residual", residual);
  options.read("bias", o.bias);
  options.read("score_bias", o.score_bias);
  options.read("negative_slope", o.negative_slope);
  options.read("feature_dropout", o.feature_dropout);
  options.read("dropout_per_head", o.dropout_per_head);
  options.read("value_dropout", o.value_dropout);
  options.read("attention_dropout", o.attention_dropout);
  options.read("ignore_edge_features", o.ignore_edge_features);
  options.read("activation", activation);
  options.read("activation_parameter", o.activation.parameter);
  options.read("initial", initial);
  options.finish();
  if (o.ignore_edge_features) o.edge_features = 0;
  o.merge = head_merge_named(merge);
  o.residual = residual_named(residual);
  o.initial = initial_scheme_named(initial);
  o.activation.kind = activation_named(activation);
  return std::make_unique<GatLayer>(o);
}

LayerDescription GatLayer::describe() const {
  const GatLayerOptions& o = options_;
  return {"gat",
          {{"num_heads", std::int64_t(o.num_heads)},
           {"head_dim", std::int64_t(o.head_dim)},
           {"merge", std::string(name_of(o.merge))},
           {"residual", std::string(name_of(o.residual))},
           {"bias", o.bias},
           {"score_bias", o.score_bias},
           {"negative_slope", o.negative_slope},
           {"feature_dropout", o.feature_dropout},
           {"dropout_per_head", o.dropout_per_head},
           {"value_dropout", o.value_dropout},
           {"attention_dropout", o.attention_dropout},
           {"ignore_edge_features", o.ignore_edge_features},
           {"activation", std::string(name_of(o.activation.kind))},
           {"activation_parameter", o.activation.parameter},
           {"initial", std::string(name_of(o.initial))}}};
}

}  // namespace gat::inline GAT_PRECISION
