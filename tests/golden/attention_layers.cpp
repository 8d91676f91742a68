// Kinds 2, 3, 5 and 6: layers of PyG as options of the general attention layer.
#include "gat/nn/layers/attention.hpp"
#include "golden/family.hpp"
#include "golden/layer_run.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {"num_src",    "num_dst",       "bipartite",      "heads",
                                       "head_width", "concat",        "negative_slope", "add_self_loops",
                                       "residual",   "use_bias",      "edge_dim",       "fill_kind",
                                       "fill_const", "share_weights", "use_beta",       "root_weight",
                                       "scaled_dot", "edge_index",    "rowptr",         "x",
                                       "x_src",      "x_dst",         "edge_attr",      "W",
                                       "W_src",      "W_dst",         "b_src",          "b_dst",
                                       "att",        "att_src",       "att_dst",        "W_edge",
                                       "W_res",      "W_query",       "W_key",          "W_value",
                                       "b_query",    "b_key",         "b_value",        "W_skip",
                                       "b_skip",     "w_beta",        "beta",           "bias",
                                       "upstream"};

std::string unsupported_gatv2(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"bipartite", "concat",   "add_self_loops",
                                         "residual",  "use_bias", "share_weights"};
  return unsupported_layer(file, kFlags);
}
std::string unsupported_transformer(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"bipartite", "concat", "use_beta", "root_weight", "use_bias"};
  return unsupported_layer(file, kFlags);
}
std::string unsupported_agnn(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"add_self_loops"};
  return unsupported_layer(file, kFlags);
}
std::string unsupported_supergat(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"concat", "add_self_loops", "use_bias", "scaled_dot"};
  return unsupported_layer(file, kFlags);
}

// Widths, heads, merge and slope; the rest is what the kind says.
gat::AttentionLayerOptions completed(GoldenCase& c, gat::AttentionLayerOptions options) {
  options.in_features = c.shape(c.has("x") ? "x" : "x_src").at(1);
  if (c.has("x_dst")) options.destination_features = c.shape("x_dst").at(1);
  if (c.has("edge_dim")) options.edge_features = c.integer("edge_dim");
  options.num_heads = static_cast<int>(c.integer("heads"));
  options.head_dim = c.integer("head_width");
  options.merge = c.flag("concat") ? gat::HeadMerge::concat : gat::HeadMerge::mean;
  if (c.has("negative_slope")) options.negative_slope = c.number("negative_slope");
  return options;
}

void run_layer(GoldenCase& c, const gat::AttentionLayerOptions& options, const LayerRun::Names& names) {
  LayerRun run(c, std::make_unique<gat::AttentionLayer>(options), names);
  run.read_source(c.has("x") ? "x" : "x_src");
  if (c.has("x_dst")) run.read_destination("x_dst");
  if (c.has("edge_attr")) run.read_edge_features("edge_attr");
  run.evaluate();
  run.train();
  run.train_sparse();
}

void run_gatv2(GoldenCase& c) {
  gat::AttentionLayerOptions options = gat::AttentionLayerOptions::for_score("gatv2");
  if (c.flag("share_weights")) options.query = gat::Projection::shared;
  options.residual = c.flag("residual") ? gat::Residual::learned : gat::Residual::none;
  options.projection_bias = options.bias = c.flag("use_bias");
  run_layer(c, completed(c, options),
            {{"key_weight", "W_src"},
             {"key_bias", "b_src"},
             {"query_weight", "W_dst"},
             {"query_bias", "b_dst"},
             {"score.a", "att"},
             {"edge_weight", "W_edge"},
             {"residual_weight", "W_res"},
             {"bias", "bias"}});
}

void run_transformer(GoldenCase& c) {
  gat::AttentionLayerOptions options = gat::presets::transformer(c.flag("root_weight"), c.flag("use_beta"));
  if (!c.flag("use_bias")) options.residual_bias = false;
  run_layer(c, completed(c, options),
            {{"query_weight", "W_query"},
             {"query_bias", "b_query"},
             {"key_weight", "W_key"},
             {"key_bias", "b_key"},
             {"value_weight", "W_value"},
             {"value_bias", "b_value"},
             {"edge_weight", "W_edge"},
             {"residual_weight", "W_skip"},
             {"residual_bias", "b_skip"},
             {"gate_weight", "w_beta"}});
}

void run_agnn(GoldenCase& c) {
  run_layer(c, completed(c, gat::presets::agnn(c.shape("x").at(1))), {{"score.beta", "beta"}});
}

void run_supergat(GoldenCase& c) {
  gat::AttentionLayerOptions options =
      gat::AttentionLayerOptions::for_score(c.flag("scaled_dot") ? "supergat_sd" : "supergat_mx");
  options.bias = c.flag("use_bias");
  run_layer(c, completed(c, options),
            {{"key_weight", "W"}, {"score.a_src", "att_src"}, {"score.a_dst", "att_dst"}, {"bias", "bias"}});
}

}  // namespace

const Family kGatv2Family{2, "GATv2 layer", kGiven, unsupported_gatv2, run_gatv2};
const Family kTransformerFamily{3, "graph transformer layer", kGiven, unsupported_transformer,
                                run_transformer};
const Family kAgnnFamily{5, "AGNN propagation", kGiven, unsupported_agnn, run_agnn};
const Family kSupergatFamily{6, "SuperGAT layer", kGiven, unsupported_supergat, run_supergat};

}  // namespace golden
