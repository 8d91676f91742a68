#include "gat/nn/layers/feed_forward.hpp"

#include <string>

#include "gat/core/error.hpp"
#include "nn/layers/checks.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

enum Slot { kHidden };

// Streams of the parts; the numbers are part of the meaning of a seed.
constexpr std::uint64_t kPartStream = 1000;

LinearLayerOptions hidden_map(const FeedForwardOptions& o) {
  LinearLayerOptions map;
  map.in_features = o.in_features;
  map.out_features = o.hidden_features;
  map.activation = o.activation;
  map.argument_dropout = o.dropout_before_activation ? o.dropout : 0;
  map.initial = o.initial;
  return map;
}

LinearLayerOptions output_map(const FeedForwardOptions& o) {
  LinearLayerOptions map;
  map.in_features = o.hidden_features;
  map.out_features = o.out_features;
  map.dropout = o.dropout_before_activation ? 0 : o.dropout;
  map.argument_dropout = o.output_dropout;
  map.initial = o.initial;
  return map;
}

const FeedForwardOptions& validated(const FeedForwardOptions& options) {
  options.validate();
  return options;
}

}  // namespace

void FeedForwardOptions::validate() const {
  if (in_features < 0) throw UsageError("feed_forward layer: in_features cannot be negative");
  for (const auto& [name, width] :
       {std::pair("hidden_features", hidden_features), std::pair("out_features", out_features)}) {
    if (width < 1) {
      throw UsageError("feed_forward layer: " + std::string(name) + " is " + std::to_string(width) +
                       "; it is at least 1");
    }
  }
  check_probability("feed_forward", "dropout", dropout);
  check_probability("feed_forward", "output_dropout", output_dropout);
}

FeedForwardLayer::FeedForwardLayer(const FeedForwardOptions& options)
    : options_(validated(options)), hidden_(hidden_map(options)), output_(output_map(options)) {
  const auto add = [&](const LinearLayer& map, const char* prefix) {
    for (ParameterSpec spec : map.parameters()) {
      spec.name = prefix + spec.name;
      parameters_.push_back(std::move(spec));
    }
  };
  add(hidden_, "hidden.");
  add(output_, "output.");
}

// The context of the first or second map: its parameters, masks and tape.
Context FeedForwardLayer::part(const Context& c, int number) const {
  const Index first = number == 0 ? 0 : static_cast<Index>(hidden_.parameters().size());
  return {.graph = c.graph,
          .weights = c.weights.slice(first),
          .workspace = c.workspace,
          .mode = c.mode,
          .random = c.random.derive(kPartStream + static_cast<std::uint64_t>(number)),
          .layer = c.layer,
          .call = c.call,
          .execution = c.execution,
          .tape = c.tape == nullptr ? nullptr : &c.tape->child(number)};
}

Index FeedForwardLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  hidden_.check_input(graph, input);
  return output_width();
}

void FeedForwardLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  const MatrixView middle = keep(c, kHidden, output.rows, options_.hidden_features);
  hidden_.forward(part(c, 0), input, middle);
  LayerInput between;
  between.source = FeatureView(middle);
  output_.forward(part(c, 1), between, output);
}

void FeedForwardLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView output,
                                ConstMatrixView d_output, const InputGradient& d_input,
                                const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const MatrixView middle = (*c.tape)[kHidden];
  LayerInput between;
  between.source = FeatureView(middle);
  InputGradient d_between;
  d_between.source = c.workspace.matrix(middle.rows, middle.cols);
  d_between.source_is_new = true;
  output_.backward(part(c, 1), between, output, d_output, d_between,
                   gradients.slice(static_cast<Index>(hidden_.parameters().size())));
  hidden_.backward(part(c, 0), input, middle, d_between.source, d_input, gradients);
}

std::unique_ptr<Layer> FeedForwardLayer::from_description(const LayerDescription& description,
                                                          Index in_features, Index /*edge_features*/) {
  FeedForwardOptions o;
  o.in_features = in_features;
  OptionReader options(description);
  std::string activation(name_of(o.activation.kind)), initial(name_of(o.initial));
  options.read("hidden_features", o.hidden_features);
  options.read("out_features", o.out_features);
  options.read("activation", activation);
  options.read("activation_parameter", o.activation.parameter);
  options.read("dropout", o.dropout);
  options.read("dropout_before_activation", o.dropout_before_activation);
  options.read("output_dropout", o.output_dropout);
  options.read("initial", initial);
  options.finish();
  o.activation.kind = activation_named(activation);
  o.initial = linear_initial_named(initial);
  return std::make_unique<FeedForwardLayer>(o);
}

LayerDescription FeedForwardLayer::describe() const {
  return {"feed_forward",
          {{"hidden_features", options_.hidden_features},
           {"out_features", options_.out_features},
           {"activation", std::string(name_of(options_.activation.kind))},
           {"activation_parameter", options_.activation.parameter},
           {"dropout", options_.dropout},
           {"dropout_before_activation", options_.dropout_before_activation},
           {"output_dropout", options_.output_dropout},
           {"initial", std::string(name_of(options_.initial))}}};
}

}  // namespace gat::inline GAT_PRECISION
