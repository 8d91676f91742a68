// Kind 14: a Transformer block over a graph, as the network of blocks that training uses.
#include <algorithm>

#include "gat/core/error.hpp"
#include "gat/nn/layers/attention.hpp"
#include "gat/nn/network_builder.hpp"
#include "golden/family.hpp"
#include "golden/layer_run.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {
    "num_src",    "num_dst", "heads", "head_width", "ff_width", "pre_norm", "act_kind", "eps",
    "edge_index", "rowptr",  "x",     "W_in",       "b_in",     "W_out",    "b_out",    "gamma1",
    "beta1",      "W_ff1",   "b_ff1", "W_ff2",      "b_ff2",    "gamma2",   "beta2",    "upstream"};

std::string unsupported(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"pre_norm"};
  constexpr double kActivations[] = {0, 3};
  if (std::string reason = unless_among(file, "act_kind", kActivations); !reason.empty()) return reason;
  return unsupported_layer(file, kFlags);
}

// One block of `block_network`, its output map left out. It reads the features through a step that changes
// nothing, so that their gradient is that of a step's result.
gat::NetworkDescription network_of(GoldenCase& c) {
  gat::BlockNetworkOptions options;
  options.num_features = options.hidden = c.shape("x").at(1);
  options.num_blocks = 1;
  options.form = c.flag("pre_norm") ? gat::BlockForm::pre_norm : gat::BlockForm::post_norm;
  options.attention =
      gat::presets::multi_head(static_cast<int>(c.integer("heads")), c.integer("head_width")).describe();
  options.activation = {c.integer("act_kind") == 0 ? gat::ActivationKind::relu : gat::ActivationKind::gelu,
                        1};
  options.dropout = 0;
  options.feed_forward_factor =
      static_cast<double>(c.integer("ff_width")) / static_cast<double>(options.hidden);
  options.input_map = options.input_activation = false;
  gat::NetworkDescription network = gat::block_network(options);
  std::vector<gat::Step> steps{{{"activation", {{"activation", std::string("identity")}}}, "x", "features"}};
  for (gat::Step step : network.steps) {
    if (step.name.rfind("blocks.", 0) != 0) continue;
    std::vector<std::string> inputs = step.inputs.names();
    std::replace(inputs.begin(), inputs.end(), std::string("features"), std::string("x"));
    step.inputs = inputs;
    if (step.layer.kind == "layer_norm") step.layer.options["epsilon"] = c.number("eps");
    steps.push_back(step);
  }
  network.steps = steps;
  return network;
}

// Names of the file's arrays; those of the attention's inputs stand in thirds of W_in and b_in.
struct Named {
  std::string parameter;
  const char* array;
  std::size_t part = 0, parts = 1;
};
std::vector<Named> names() {
  const std::string attention = "blocks.0.attention.", feed = "blocks.0.feed_forward.";
  return {{attention + "query_weight", "W_in", 0, 3}, {attention + "key_weight", "W_in", 1, 3},
          {attention + "value_weight", "W_in", 2, 3}, {attention + "query_bias", "b_in", 0, 3},
          {attention + "key_bias", "b_in", 1, 3},     {attention + "value_bias", "b_in", 2, 3},
          {attention + "output_weight", "W_out"},     {attention + "bias", "b_out"},
          {"blocks.0.attention_norm.gain", "gamma1"}, {"blocks.0.attention_norm.shift", "beta1"},
          {feed + "hidden.weight", "W_ff1"},          {feed + "hidden.bias", "b_ff1"},
          {feed + "output.weight", "W_ff2"},          {feed + "output.bias", "b_ff2"},
          {"blocks.0.norm.gain", "gamma2"},           {"blocks.0.norm.shift", "beta2"}};
}

class BlockRun {
 public:
  explicit BlockRun(GoldenCase& golden_case)
      : c_(golden_case),
        graph_(graph_of(c_, policy_of(c_))),
        network_(network_of(c_)),
        weights_(network_.make_weights()),
        x_(c_.matrix("x")) {
    for (const Named& named : names()) {
      const std::vector<gat::Real> all = c_.reals(named.array);
      const std::size_t size = all.size() / named.parts;
      weights_.import_values(number_of(named), {all.data() + named.part * size, size});
    }
  }

  void run() {
    const gat::Blocks blocks = gat::Blocks::whole(graph_.view(), network_.num_steps());
    const gat::NetworkInput input{blocks, x_, {}, {}};
    const auto heads = static_cast<gat::Index>(c_.integer("heads"));
    gat::Matrix out(x_.rows(), x_.cols()), alpha(graph_.num_edges(), heads);
    std::vector<gat::AttentionSink> sinks(static_cast<std::size_t>(network_.num_steps()));
    for (int k = 0; k < network_.num_steps(); ++k) {
      if (network_.layer(k).num_heads() > 0) sinks[static_cast<std::size_t>(k)].attention = alpha;
    }
    gat::Workspace workspace;
    gat::NetworkTape tape;
    const gat::Round round{gat::Mode::training, {}, 1, workspace, &tape, sinks, {}};
    network_.forward(round, weights_, input, out);
    gat::Weights gradients = network_.make_weights();
    network_.backward(round, weights_, input, c_.matrix("upstream"), gradients);
    c_.compare("out", out);
    // The edges of these files are sorted, so that ours are in their order.
    c_.compare("alpha", alpha);
    c_.compare("grad_x", tape.d_results.front());
    compare_gradients(gradients);
  }

 private:
  gat::Index number_of(const Named& named) const {
    const gat::Index number = weights_.find(named.parameter);
    if (number < 0) throw gat::UsageError("the network has no parameter " + named.parameter);
    return number;
  }
  void compare_gradients(const gat::Weights& gradients) {
    std::vector<double> all;
    for (const Named& named : names()) {
      const auto values = gradients.export_values(number_of(named));
      all.insert(all.end(), values.begin(), values.end());
      if (named.part + 1 < named.parts) continue;
      c_.compare(std::string("grad_") + named.array, all, c_.shape(named.array));
      all.clear();
    }
  }

  GoldenCase& c_;
  gat::CsrGraph graph_;
  gat::Network network_;
  gat::Weights weights_;
  gat::Matrix x_;
};

void run(GoldenCase& c) { BlockRun(c).run(); }

}  // namespace

const Family kTransformerBlockFamily{14, "Transformer block", kGiven, unsupported, run};

}  // namespace golden
