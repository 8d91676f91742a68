// Kind 14: pre-norm and post-norm Transformer blocks over the edges of a graph, as networks that the builder
// describes. The block reads x as the map of one-hot features, so that d x is the gradient of a weight.
#include <algorithm>
#include <utility>

#include "gat/nn/layers/attention_options.hpp"
#include "gat/nn/network_builder.hpp"
#include "golden/family.hpp"
#include "golden/layer_run.hpp"
#include "golden/thirds.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {
    "num_src",    "num_dst", "heads", "head_width", "ff_width", "pre_norm", "act_kind", "eps",
    "edge_index", "rowptr",  "x",     "W_in",       "b_in",     "W_out",    "b_out",    "gamma1",
    "beta1",      "W_ff1",   "b_ff1", "W_ff2",      "b_ff2",    "gamma2",   "beta2",    "upstream"};

// Parameters of ours with their names in the files.
constexpr std::pair<const char*, const char*> kParameters[] = {{"attention.output_weight", "W_out"},
                                                               {"attention.bias", "b_out"},
                                                               {"attention_norm.gain", "gamma1"},
                                                               {"attention_norm.shift", "beta1"},
                                                               {"feed_forward.hidden.weight", "W_ff1"},
                                                               {"feed_forward.hidden.bias", "b_ff1"},
                                                               {"feed_forward.output.weight", "W_ff2"},
                                                               {"feed_forward.output.bias", "b_ff2"},
                                                               {"norm.gain", "gamma2"},
                                                               {"norm.shift", "beta2"}};

std::string unsupported(const VectorFile& file) {
  constexpr double kEpsilon[] = {1e-5};
  constexpr double kActivations[] = {0, 3};
  constexpr std::string_view kFlags[] = {"pre_norm"};
  if (std::string reason = unless_among(file, "eps", kEpsilon); !reason.empty()) return reason;
  if (std::string reason = unless_among(file, "act_kind", kActivations); !reason.empty()) return reason;
  return unsupported_layer(file, kFlags);
}

gat::NetworkDescription description_of(GoldenCase& c) {
  const gat::Index width = c.shape("x").at(1);
  gat::BlockNetworkOptions options;
  options.hidden = width;
  options.form = c.flag("pre_norm") ? gat::BlockForm::pre_norm : gat::BlockForm::post_norm;
  options.attention =
      gat::presets::multi_head(static_cast<int>(c.integer("heads")), c.integer("head_width")).describe();
  options.activation.kind =
      c.integer("act_kind") == 0 ? gat::ActivationKind::relu : gat::ActivationKind::gelu;
  options.feed_forward_factor = c.number("ff_width") / static_cast<double>(width);
  options.dropout = 0;
  gat::NetworkBuilder builder(c.integer("num_src"), 0);
  const std::string x = builder.step("x", {"linear", {{"out_features", width}, {"bias", false}}}, "features");
  builder.block(options, "", x);
  return builder.description();
}

gat::Matrix transposed(const gat::Matrix& matrix) {
  gat::Matrix result(matrix.cols(), matrix.rows());
  for (gat::Index i = 0; i < matrix.rows(); ++i) {
    for (gat::Index k = 0; k < matrix.cols(); ++k) result(k, i) = matrix(i, k);
  }
  return result;
}

gat::Weights weights_of(GoldenCase& c, const gat::Network& network) {
  gat::Weights weights = network.make_weights();
  const gat::Matrix x = transposed(c.matrix("x"));
  weights.import_values(weights.find("x.weight"), {x.data(), static_cast<std::size_t>(x.size())});
  import_thirds(c, weights, "W_in", "_weight", "attention.");
  import_thirds(c, weights, "b_in", "_bias", "attention.");
  for (const auto& [ours, theirs] : kParameters) weights.import_values(weights.find(ours), c.reals(theirs));
  return weights;
}

void compare_gradients(GoldenCase& c, const gat::Weights& gradients) {
  const std::vector<gat::Real> d_x = gradients.export_values(gradients.find("x.weight"));
  gat::Matrix by_column(c.shape("x").at(1), c.shape("x").at(0));
  std::copy(d_x.begin(), d_x.end(), by_column.data());
  c.compare("grad_x", transposed(by_column));
  compare_thirds(c, gradients, "W_in", "_weight", "attention.");
  compare_thirds(c, gradients, "b_in", "_bias", "attention.");
  for (const auto& [ours, theirs] : kParameters) {
    c.compare(std::string("grad_") + theirs, widened(gradients.export_values(gradients.find(ours))),
              c.shape(theirs));
  }
}

// The coefficients in the order of the file's edges.
void compare_attention(GoldenCase& c, const gat::CsrGraph& graph, const gat::Matrix& attention) {
  gat::Matrix by_user(attention.rows(), attention.cols());
  const auto edges = graph.edge_of_user();
  for (gat::Index k = 0; k < by_user.rows(); ++k) {
    for (gat::Index h = 0; h < by_user.cols(); ++h)
      by_user(k, h) = attention(edges[static_cast<std::size_t>(k)], h);
  }
  c.compare("alpha", by_user);
}

void run(GoldenCase& c) {
  c.number("eps");  // that of the layers, as `unsupported` asks
  const gat::CsrGraph graph = graph_of(c, policy_of(c));
  const gat::Network network(description_of(c));
  const gat::Weights weights = weights_of(c, network);
  const gat::Index nodes = graph.num_nodes();
  gat::Matrix one_hot(nodes, nodes);
  for (gat::Index i = 0; i < nodes; ++i) one_hot(i, i) = 1;
  const gat::Blocks blocks = gat::Blocks::whole(graph.view(), network.num_steps());
  const gat::NetworkInput input{blocks, one_hot};

  gat::Matrix out(nodes, network.output_width()), attention(graph.num_edges(), c.integer("heads"));
  std::vector<gat::AttentionSink> sinks(static_cast<std::size_t>(network.num_steps()));
  for (std::size_t k = 0; k < sinks.size(); ++k) {
    if (network.description().steps[k].name == "attention") sinks[k].attention = attention;
  }
  gat::Workspace workspace;
  gat::NetworkTape tape;
  const gat::Round round{
      .workspace = workspace, .mode = gat::Mode::training, .tape = &tape, .attention = sinks};
  network.forward(round, weights, input, out);
  c.compare("out", out);
  compare_attention(c, graph, attention);
  gat::Weights gradients = network.make_weights();
  network.backward(round, weights, input, c.matrix("upstream"), gradients);
  compare_gradients(c, gradients);
}

}  // namespace

const Family kBlockFamily{14, "Transformer blocks", kGiven, unsupported, run};

}  // namespace golden
