// The options of the general attention layer by name, as model files and programs spell them.
#include <string>

#include "gat/nn/layers/attention_options.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Options that are chosen by name: reads a text where there is one and looks it up.
template <class Value>
void read_named(OptionReader& options, std::string_view name, Value& value,
                Value (*named)(std::string_view)) {
  std::string text(name_of(value));
  options.read(name, text);
  value = named(text);
}

void read_width(OptionReader& options, std::string_view name, Index& width) {
  std::int64_t number = width;
  options.read(name, number);
  width = static_cast<Index>(number);
}

}  // namespace

AttentionLayerOptions AttentionLayerOptions::from_description(const LayerDescription& description,
                                                              Index in_features, Index edge_features) {
  OptionReader options(description);
  std::string score = "gatv2";
  options.read("score", score);
  AttentionLayerOptions o = for_score(score);
  o.in_features = in_features;
  o.edge_features = edge_features;
  read_width(options, "destination_features", o.destination_features);
  read_width(options, "value_features", o.value_features);
  read_named(options, "edge_use", o.edge_use, &edge_use_named);
  options.read("num_heads", o.num_heads);
  read_width(options, "head_dim", o.head_dim);
  read_width(options, "key_dim", o.key_dim);
  read_width(options, "query_dim", o.query_dim);
  read_named(options, "query", o.query, &projection_named);
  read_named(options, "key", o.key, &projection_named);
  read_named(options, "value", o.value, &projection_named);
  options.read("projection_bias", o.projection_bias);
  options.read("negative_slope", o.negative_slope);
  read_named(options, "merge", o.merge, &head_merge_named);
  read_width(options, "output_dim", o.output_dim);
  read_named(options, "residual", o.residual, &residual_named);
  options.read("residual_bias", o.residual_bias);
  options.read("gate", o.gate);
  options.read("bias", o.bias);
  read_named(options, "activation", o.activation.kind, &activation_named);
  options.read("activation_parameter", o.activation.parameter);
  options.read("feature_dropout", o.feature_dropout);
  options.read("attention_dropout", o.attention_dropout);
  read_named(options, "selection", o.selection, &selection_named);
  options.read("top_k", o.top_k);
  read_named(options, "sample_gradient", o.sample_gradient, &sample_gradient_named);
  read_named(options, "window", o.window, &window_named);
  read_width(options, "window_width", o.window_width);
  options.read("renormalize", o.renormalize);
  options.read("window_edges", o.window_edges);
  read_width(options, "position_dim", o.position_dim);
  options.read("edge_loss", o.edge_loss);
  options.read("edge_loss_share", o.edge_loss_share);
  options.read("edge_loss_others", o.edge_loss_others);
  read_named(options, "initial", o.initial, &initial_scheme_named);
  options.finish();
  if (o.edge_use == EdgeUse::ignored) o.edge_features = 0;
  return o;
}

LayerDescription AttentionLayerOptions::describe() const {
  const auto text = [](auto choice) { return std::string(name_of(choice)); };
  const auto whole = [](auto width) { return static_cast<std::int64_t>(width); };
  return {"attention",
          {{"score", score},
           {"destination_features", whole(destination_features)},
           {"value_features", whole(value_features)},
           {"edge_use", text(edge_use)},
           {"num_heads", whole(num_heads)},
           {"head_dim", whole(head_dim)},
           {"key_dim", whole(key_dim)},
           {"query_dim", whole(query_dim)},
           {"query", text(query)},
           {"key", text(key)},
           {"value", text(value)},
           {"projection_bias", projection_bias},
           {"negative_slope", negative_slope},
           {"merge", text(merge)},
           {"output_dim", whole(output_dim)},
           {"residual", text(residual)},
           {"residual_bias", residual_bias},
           {"gate", gate},
           {"bias", bias},
           {"activation", text(activation.kind)},
           {"activation_parameter", activation.parameter},
           {"feature_dropout", feature_dropout},
           {"attention_dropout", attention_dropout},
           {"selection", text(selection)},
           {"top_k", whole(top_k)},
           {"sample_gradient", text(sample_gradient)},
           {"window", text(window)},
           {"window_width", whole(window_width)},
           {"renormalize", renormalize},
           {"window_edges", window_edges},
           {"position_dim", whole(position_dim)},
           {"edge_loss", edge_loss},
           {"edge_loss_share", edge_loss_share},
           {"edge_loss_others", edge_loss_others},
           {"initial", text(initial)}}};
}

}  // namespace gat::inline GAT_PRECISION
