#include "run/attention_plan.hpp"

#include <string>

#include "gat/core/error.hpp"
#include "gat/kernels/score.hpp"
#include "options/block_choice.hpp"

namespace gat::app {

namespace {

const ScoreDescription& score_description(const Settings& settings) {
  return *score_table()[static_cast<std::size_t>(score_named(score_of(settings)))];
}

// What the original's layer has and the general one has not, in one message with all that must change.
void check_general_layer(const Settings& s) {
  std::string change;
  if (s.value_dropout > 0) change += " --value-dropout 0";
  if (s.dropout_per_head) change += " --no-dropout-per-head";
  if (s.score_bias) change += " --no-score-bias";
  if (change.empty()) return;
  throw UsageError(
      "--block " + std::string(block_of(s).name) + " with the score " + std::string(score_of(s)) +
      ": the general attention layer has no second dropout, one mask for all heads and no biases "
      "of the score; add" +
      change);
}

EdgeUse edge_use(const Settings& s) {
  if (s.edge_features == "ignore") return EdgeUse::ignored;
  if (s.edge_use != "auto") return edge_use_named(s.edge_use);
  if (block_of(s).kind == BlockKind::transformer_conv && score_of(s) == "scaled_dot")
    return EdgeUse::both_shared;
  return score_description(s).edge_features ? EdgeUse::score : EdgeUse::values;
}

// Inside the softmax, and behind it, there is one place for a weight per edge.
void check_window(const Settings& s) {
  const WindowChoice window = parse_window(s.window);
  if (window.window == Window::none) return;
  if (window.renormalize && s.edge_use == "log-prior")
    throw UsageError(
        "--window " + s.window +
        ": stands inside the softmax, as --edge-use log-prior does; use --edge-use multiplied, or "
        "--window " +
        s.window + ",multiplied");
  if (!window.renormalize && s.edge_use == "multiplied")
    throw UsageError("--window " + s.window +
                     ": is multiplied after the softmax, as --edge-use multiplied is; use --edge-use "
                     "log-prior, or leave \"multiplied\" out of --window");
}

// What the layer would say in words of the library.
void check_edge_use(const Settings& s, Index edge_features) {
  const bool in_score = s.edge_use == "score" || s.edge_use == "both" || s.edge_use == "both-shared";
  if (in_score && !score_description(s).edge_features)
    throw UsageError("--edge-use " + s.edge_use + ": the score " + std::string(score_of(s)) +
                     " has no place for edge features; use --edge-use values, or one column of weights as "
                     "log-prior or multiplied");
  const bool weights = s.edge_use == "log-prior" || s.edge_use == "multiplied";
  if (weights && edge_features != 1)
    throw UsageError("--edge-use " + s.edge_use + ": takes one column of weights, but the data have " +
                     std::to_string(edge_features) +
                     " edge features; use --edge-use values or score, or data with one");
}

void check_choices(const Settings& s, Index edge_features) {
  check_general_layer(s);
  if (s.sample_gradient != "straight-through" && s.select != "sampled")
    throw UsageError("--sample-gradient " + s.sample_gradient +
                     ": only sampled edges have it; add --select sampled");
  if (s.edge_use != "auto" && edge_features == 0)
    throw UsageError("--edge-use " + s.edge_use +
                     ": there are no edge features to use; leave it out, or take data that have them "
                     "(and --edge-features use)");
  check_edge_use(s, edge_features);
  check_window(s);
  if (s.edge_loss > 0 && edge_loss_of(score_of(s)) == nullptr)
    throw UsageError("--edge-loss: the score " + std::string(score_of(s)) +
                     " has none; add --score supergat_mx or supergat_sd");
}

AttentionLayerOptions general_options(const Settings& s, Index edge_features) {
  check_choices(s, edge_features);
  AttentionLayerOptions o = block_of(s).kind == BlockKind::transformer_conv
                                ? presets::transformer(true, s.gate)
                                : AttentionLayerOptions();
  if (block_of(s).kind != BlockKind::transformer_conv || s.score != "auto") {
    const AttentionLayerOptions of_score = AttentionLayerOptions::for_score(score_of(s));
    o.score = of_score.score;
    o.query = of_score.query, o.key = of_score.key, o.value = of_score.value;
    o.projection_bias = of_score.projection_bias;
  }
  if (s.share_weights) o.query = Projection::shared;
  o.edge_features = edge_features;
  o.edge_use = edge_use(s);
  o.negative_slope = s.negative_slope;
  o.attention_dropout = s.attention_dropout;
  const SelectionChoice selection = parse_selection(s.select);
  o.selection = selection.selection;
  o.top_k = selection.top_k;
  o.sample_gradient = sample_gradient_named(s.sample_gradient);
  const WindowChoice window = parse_window(s.window);
  o.window = window.window;
  o.window_width = window.width;
  o.renormalize = window.renormalize;
  o.window_edges = window.window_edges;
  o.edge_loss = s.edge_loss;
  o.initial = initial_scheme_named(s.initial);
  return o;
}

// Of blocks: heads side by side, as wide as what is between blocks.
LayerDescription block_attention(const Settings& s, int head_dim, Index edge_features) {
  const BlockForm form = block_of(s).form;
  const bool transformer = form == BlockForm::pre_norm || form == BlockForm::post_norm;
  Settings general = s;
  general.block = "auto";
  if (!transformer && block_of(general).kind == BlockKind::gat) {
    if (s.sample_gradient != "straight-through") check_choices(s, edge_features);
    GatLayerOptions o = gat_layer_options(s);
    o.feature_dropout = 0;
    o.num_heads = static_cast<int>(s.heads.front());
    o.head_dim = head_dim;
    return GatLayer(o).describe();
  }
  AttentionLayerOptions o = general_options(s, edge_features);
  o.in_features = s.hidden.front();
  o.num_heads = static_cast<int>(s.heads.front());
  o.head_dim = head_dim;
  if (transformer) o.output_dim = s.hidden.front();
  o.validate();
  return o.describe();
}

void check_blocks(const Settings& s) {
  const std::string block = "--block " + std::string(block_of(s).name);
  if (s.hidden.size() != 1)
    throw UsageError(block + ": all blocks are of one width; give --hidden one number");
  if (s.heads.size() != 1)
    throw UsageError(block + ": all blocks have the same heads; give --heads one number");
  if (s.residual != "none")
    throw UsageError(block + ": its blocks have residuals of their own; leave --residual out (none)");
  if (s.gate)
    throw UsageError(block + ": a gate mixes the residual of a layer; use --block transformer-conv");
  if (s.output_heads != 1)
    throw UsageError(block + ": the output is a linear map without heads; leave --output-heads out");
  if (s.hidden.front() % s.heads.front() != 0) {
    throw UsageError("--hidden " + std::to_string(s.hidden.front()) + ": the width of blocks is shared by " +
                     std::to_string(s.heads.front()) + " heads; take a multiple of that, or other --heads");
  }
}

NormKind norm_of(const Settings& s) {
  if (s.norm != "auto") return norm_kind_named(s.norm);
  return block_of(s).form == BlockForm::gps ? NormKind::batch_norm : NormKind::layer_norm;
}

// As their authors have it.
double feed_forward_factor(const Settings& s) {
  if (s.feed_forward > 0) return s.feed_forward;
  switch (block_of(s).form) {
    case BlockForm::pre_norm:
    case BlockForm::post_norm:
      return 4;
    case BlockForm::gps:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

GatLayerOptions gat_layer_options(const Settings& settings) {
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

LayerDescription attention_layer(const Settings& settings, const LayerPlace& place) {
  AttentionLayerOptions o = general_options(settings, place.edge_features);
  o.in_features = place.in_features;
  o.num_heads = place.num_heads;
  o.head_dim = place.head_dim;
  o.merge = place.is_output ? HeadMerge::mean : HeadMerge::concat;
  o.feature_dropout = settings.feature_dropout;
  if (!place.is_output) o.activation = {activation_named(settings.activation), settings.activation_parameter};
  if (block_of(settings).kind == BlockKind::attention) {
    o.residual = place.residual;
    o.gate = settings.gate;
    if (o.gate && o.residual == Residual::none)
      throw UsageError("--gate: mixes the heads and a residual; add --residual learned or auto");
  }
  o.validate();
  return o.describe();
}

NetworkDescription blocks_network(const Settings& settings, const NetworkDescription& widths,
                                  const std::optional<LearnedPositionsOptions>& positions,
                                  Index num_outputs) {
  check_blocks(settings);
  const BlockForm form = block_of(settings).form;
  BlockNetworkOptions o;
  o.num_features = widths.num_features;
  o.edge_features = widths.edge_features;
  o.positions = positions;
  o.num_outputs = num_outputs;
  o.hidden = settings.hidden.front();
  o.num_blocks = static_cast<int>(settings.layers);
  o.form = form;
  const int heads = static_cast<int>(settings.heads.front());
  const int head_dim = static_cast<int>(settings.hidden.front()) / heads;
  o.attention = block_attention(settings, head_dim, widths.edge_features);
  if (form == BlockForm::gps) {
    AttentionLayerOptions global = presets::multi_head(heads, head_dim);
    global.attention_dropout = settings.attention_dropout;
    o.global_attention = global.describe();
  }
  o.norm = norm_of(settings);
  o.activation = {activation_named(settings.activation), settings.activation_parameter};
  o.dropout = settings.feature_dropout;
  o.feed_forward_factor = feed_forward_factor(settings);
  o.dropout_before_activation =
      form == BlockForm::pre_norm || form == BlockForm::residual || form == BlockForm::separate;
  o.input_activation = form != BlockForm::classic && form != BlockForm::gps;
  o.jumping = jumping_knowledge_named(settings.jumping);
  return block_network(o);
}

void check_stack(const Settings& s) {
  const std::string block(block_of(s).name);
  if (s.norm != "auto" && s.norm != "none")
    throw UsageError("--norm " + s.norm + ": a stack of layers (--block " + block +
                     ") has no norms; use --block classic, pre-norm, post-norm, residual, gat-sep or gps");
  if (s.jumping != "none")
    throw UsageError("--jumping " + s.jumping + ": a stack of layers (--block " + block +
                     ") hands on its last result alone; use --block classic, pre-norm, post-norm, residual, "
                     "gat-sep or gps");
  if (s.feed_forward > 0)
    throw UsageError("--feed-forward: a stack of layers (--block " + block +
                     ") has no feed-forward part; use --block pre-norm, post-norm, residual, gat-sep or gps");
  if (block_of(s).kind == BlockKind::gat && (score_of(s) != "gat" || needs_general_layer(s)))
    throw UsageError(
        "--block gat: is the original's layer, without other scores, selections, windows, gates "
        "and uses of edge features; use --block attention");
  if (block_of(s).kind == BlockKind::transformer_conv && s.residual != "none")
    throw UsageError(
        "--residual: --block transformer-conv always has its root weight; leave --residual out "
        "(none), or use --block attention --score scaled_dot");
  if (s.sample_gradient != "straight-through" && s.select != "sampled")
    throw UsageError("--sample-gradient " + s.sample_gradient +
                     ": only sampled edges have it; add --select sampled");
}

}  // namespace gat::app
