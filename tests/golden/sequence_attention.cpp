// Kinds 8 and 9: local attention with a Gaussian window, and dense multi-head attention; on the stored
// edges of the file and on views that store none.
#include <cmath>

#include "gat/nn/layers/attention.hpp"
#include "golden/family.hpp"
#include "golden/layer_run.hpp"
#include "golden/thirds.hpp"

namespace golden {

namespace {

constexpr std::string_view kLocalGiven[] = {
    "num_src",     "num_dst",    "heads",  "head_width", "key_width", "concat", "window", "dynamic_window",
    "renormalise", "edge_index", "rowptr", "x",          "W_p",       "v_p",    "W_q",    "W_k",
    "W_v",         "upstream"};

std::string unsupported_local(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"concat", "dynamic_window", "renormalise"};
  return unsupported_layer(file, kFlags);
}

gat::AttentionLayerOptions local_options(GoldenCase& c) {
  gat::AttentionLayerOptions o = gat::AttentionLayerOptions::for_score("scaled_dot");
  o.in_features = c.shape("x").at(1);
  o.num_heads = static_cast<int>(c.integer("heads"));
  o.head_dim = c.integer("head_width");
  o.key_dim = c.integer("key_width");
  o.merge = c.flag("concat") ? gat::HeadMerge::concat : gat::HeadMerge::mean;
  o.bias = o.projection_bias = false;
  o.window = gat::Window::predictive;
  o.window_width = c.integer("window");
  o.window_edges = c.flag("dynamic_window");
  o.renormalize = c.flag("renormalise");
  o.position_dim = c.shape("W_p").at(0);
  return o;
}

// Positions seen from outside: ln m_j = −(j − p)²/(2σ²), so two neighbours j, j + 1 give p.
std::vector<double> positions(const LayerRun& run, gat::Index width) {
  const double variance = static_cast<double>(width * width) / 4;
  std::vector<double> result;
  const gat::GraphView view = run.graph().view();
  for (gat::Index i = 0; i < view.num_destinations(); ++i) {
    const gat::EdgeRow row = view.in_edges(i);
    const auto log_factor = [&](gat::Index k) {
      const gat::EdgeId edge = row.edge(k);
      return std::log(static_cast<double>(run.weighted()(edge, 0))) -
             std::log(static_cast<double>(run.attention()(edge, 0)));
    };
    result.push_back(row.node(0) + 0.5 - variance * (log_factor(0) - log_factor(1)));
  }
  return result;
}

const LayerRun::Names kLocalNames{{"query_weight", "W_q"},
                                  {"key_weight", "W_k"},
                                  {"value_weight", "W_v"},
                                  {"position_weight", "W_p"},
                                  {"position_vector", "v_p"}};

void run_local(GoldenCase& c) {
  gat::AttentionLayerOptions options = local_options(c);
  const gat::Index nodes = c.integer("num_src");
  const gat::GraphView view = options.window_edges ? gat::GraphView::complete(nodes, nodes)
                                                   : gat::GraphView::banded(nodes, options.window_width);
  for (const bool stored : {true, false}) {
    LayerRun run(c, std::make_unique<gat::AttentionLayer>(options), kLocalNames);
    run.read_source("x");
    if (!stored) run.use_view(view);
    run.evaluate(stored ? "stored, evaluation" : "not stored, evaluation");
    run.train(stored ? "stored" : "not stored");
  }
  // The softmax without the window, and the window, from the layer that multiplies them.
  options.renormalize = false;
  LayerRun apart(c, std::make_unique<gat::AttentionLayer>(options), kLocalNames);
  apart.read_source("x");
  apart.evaluate("", false);
  apart.compare_by_edge("alpha_softmax", apart.attention());
  c.compare("position", positions(apart, options.window_width), {nodes});
}

constexpr std::string_view kMultiHeadGiven[] = {
    "num_src", "num_dst", "heads", "head_width", "causal", "edge_index", "rowptr", "x",     "x_src",
    "x_dst",   "W_in",    "b_in",  "W_q",        "W_k",    "W_v",        "W_out",  "b_out", "upstream"};

std::string unsupported_multi_head(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"causal"};
  return unsupported_layer(file, kFlags);
}

void compare_dense(GoldenCase& c, const LayerRun& run) {
  const gat::GraphView view = run.graph().view();
  const gat::Index heads = run.attention().cols(), rows = view.num_destinations(), cols = view.num_sources();
  std::vector<double> dense(static_cast<std::size_t>(heads * rows * cols), 0);
  for (gat::Index i = 0; i < rows; ++i) {
    const gat::EdgeRow row = view.in_edges(i);
    for (gat::Index k = 0; k < row.count; ++k) {
      for (gat::Index h = 0; h < heads; ++h)
        dense[static_cast<std::size_t>((h * rows + i) * cols + row.node(k))] =
            run.attention()(row.edge(k), h);
    }
  }
  c.compare("alpha_dense", dense, {heads, rows, cols});
}

void run_multi_head(GoldenCase& c) {
  gat::AttentionLayerOptions o =
      gat::presets::multi_head(static_cast<int>(c.integer("heads")), c.integer("head_width"));
  const bool cross = c.has("x_dst");
  o.in_features = c.shape(cross ? "x_src" : "x").at(1);
  if (cross) o.destination_features = c.shape("x_dst").at(1);
  const gat::Index sources = c.integer("num_src"), destinations = c.integer("num_dst");
  const gat::GraphView view = c.flag("causal") ? gat::GraphView::causal(sources)
                                               : gat::GraphView::complete(sources, destinations, cross);
  LayerRun::Names names{{"output_weight", "W_out"}, {"bias", "b_out"}};
  if (cross) names.insert({{"query_weight", "W_q"}, {"key_weight", "W_k"}, {"value_weight", "W_v"}});
  for (const bool stored : {true, false}) {
    LayerRun run(c, std::make_unique<gat::AttentionLayer>(o), names);
    if (!cross) import_thirds(c, run.weights(), "W_in", "_weight");
    import_thirds(c, run.weights(), "b_in", "_bias");
    run.read_source(cross ? "x_src" : "x");
    if (cross) run.read_destination("x_dst");
    if (!stored) run.use_view(view);
    run.evaluate(stored ? "stored, evaluation" : "not stored, evaluation");
    const gat::Weights gradients = run.train(stored ? "stored" : "not stored");
    if (!cross) compare_thirds(c, gradients, "W_in", "_weight");
    compare_thirds(c, gradients, "b_in", "_bias");
    if (stored) compare_dense(c, run);
  }
}

}  // namespace

const Family kLocalFamily{8, "local attention with a Gaussian window", kLocalGiven, unsupported_local,
                          run_local};
const Family kMultiHeadFamily{9, "multi-head attention", kMultiHeadGiven, unsupported_multi_head,
                              run_multi_head};

}  // namespace golden
