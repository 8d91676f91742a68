// Kind 1: one GAT layer, forward and backward, with dense and with sparse features.
#include "gat/nn/layers/gat.hpp"
#include "golden/family.hpp"
#include "golden/layer_run.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {
    "num_src",        "num_dst",  "bipartite", "heads",    "head_width", "concat",     "negative_slope",
    "add_self_loops", "residual", "use_bias",  "edge_dim", "fill_kind",  "fill_const", "edge_index",
    "rowptr",         "x",        "x_src",     "x_dst",    "edge_attr",  "W",          "W_src",
    "W_dst",          "att_src",  "att_dst",   "W_edge",   "att_edge",   "W_res",      "bias",
    "upstream"};

std::string unsupported(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"bipartite", "concat", "add_self_loops", "residual", "use_bias"};
  if (std::string reason = unsupported_layer(file, kFlags); !reason.empty()) return reason;
  if (file.number("bipartite") == 1 && file.number("residual") == 1 && !file.has("x_dst")) {
    return "a residual without destination features is not supported";
  }
  return {};
}

gat::GatLayerOptions options_of(GoldenCase& c) {
  gat::GatLayerOptions options;
  const bool own = c.has("x_dst");
  options.in_features = c.shape(c.has("x") ? "x" : "x_src").at(1);
  options.destination_features = own ? c.shape("x_dst").at(1) : 0;
  options.edge_features = c.integer("edge_dim");
  options.num_heads = static_cast<int>(c.integer("heads"));
  options.head_dim = c.integer("head_width");
  options.merge = c.flag("concat") ? gat::HeadMerge::concat : gat::HeadMerge::mean;
  options.residual = c.flag("residual") ? gat::Residual::learned : gat::Residual::none;
  options.bias = c.flag("use_bias");
  options.negative_slope = c.number("negative_slope");
  return options;
}

void run(GoldenCase& c) {
  const LayerRun::Names names{{"weight", c.has("W_src") ? "W_src" : "W"},
                              {"weight_dst", "W_dst"},
                              {"a_src", "att_src"},
                              {"a_dst", "att_dst"},
                              {"edge_weight", "W_edge"},
                              {"a_edge", "att_edge"},
                              {"residual_weight", "W_res"},
                              {"bias", "bias"}};
  LayerRun layer(c, std::make_unique<gat::GatLayer>(options_of(c)), names);
  layer.read_source(c.has("x") ? "x" : "x_src");
  if (c.has("x_dst")) layer.read_destination("x_dst");
  else if (c.has("x_src")) layer.no_destination();
  if (c.integer("edge_dim") > 0) layer.read_edge_features("edge_attr");
  layer.evaluate();
  layer.train();
  layer.train_sparse();
}

}  // namespace

const Family kGatLayerFamily{1, "GAT layer", kGiven, unsupported, run};

}  // namespace golden
