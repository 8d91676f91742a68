// Options of the general attention layer: names, ranges, contradictions.
#include "gat/nn/layers/attention_options.hpp"

#include <cmath>

#include "core/named_values.hpp"
#include "gat/kernels/score.hpp"
#include "nn/layers/checks.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<Projection, 3> kProjections{
    {{Projection::own, "own"}, {Projection::shared, "shared"}, {Projection::none, "none"}}};
constexpr NamedValues<EdgeUse, 7> kEdgeUses{{{EdgeUse::score, "score"},
                                             {EdgeUse::values, "values"},
                                             {EdgeUse::both, "both"},
                                             {EdgeUse::both_shared, "both-shared"},
                                             {EdgeUse::ignored, "ignored"},
                                             {EdgeUse::log_prior, "log-prior"},
                                             {EdgeUse::multiplied, "multiplied"}}};
constexpr NamedValues<Selection, 4> kSelections{{{Selection::all, "all"},
                                                 {Selection::top_k, "top-k"},
                                                 {Selection::argmax, "argmax"},
                                                 {Selection::sampled, "sampled"}}};
constexpr NamedValues<SampleGradient, 2> kSampleGradients{
    {{SampleGradient::straight_through, "straight-through"},
     {SampleGradient::score_function, "score-function"}}};
constexpr NamedValues<Window, 3> kWindows{
    {{Window::none, "none"}, {Window::monotonic, "monotonic"}, {Window::predictive, "predictive"}}};

[[noreturn]] void refuse(const std::string& message) { throw UsageError("attention layer: " + message); }

void check_at_least(Index value, Index least, const char* name) {
  if (value >= least) return;
  refuse(std::string(name) + " is " + std::to_string(value) + "; it must be at least " +
         std::to_string(least));
}

void check_widths(const AttentionLayerOptions& o) {
  check_at_least(o.num_heads, 1, "num_heads");
  check_at_least(o.head_dim, 1, "head_dim");
  check_at_least(o.key_dim, 0, "key_dim");
  check_at_least(o.query_dim, 0, "query_dim");
  check_at_least(o.output_dim, 0, "output_dim");
  check_at_least(o.in_features, 0, "in_features");
  check_at_least(o.destination_features, 0, "destination_features");
  check_at_least(o.value_features, 0, "value_features");
  check_at_least(o.edge_features, 0, "edge_features");
}

// Rows as they are: the features must have the columns that the heads read.
void check_as_it_is(Projection projection, Index features, Index needed, const char* rows) {
  if (projection != Projection::none || features == needed) return;
  refuse(std::string(rows) + " without a projection need H·D = " + std::to_string(needed) +
         " columns, but the features have " + std::to_string(features) + "; choose the projection \"own\"");
}

std::string scores_of_any_width() {
  std::string names;
  for (const ScoreDescription* score : score_table()) {
    if (score->equal_widths || !score->reads_rows) continue;
    names += (names.empty() ? "\"" : ", \"") + std::string(score->name) + "\"";
  }
  return names;
}

void check_projections(const AttentionLayerOptions& o, const ScoreDescription& score) {
  if (o.key == Projection::shared) refuse("the keys' projection is \"own\" or \"none\"; the others share it");
  if (score.equal_widths && o.query_width() != o.key_width()) {
    refuse("query_dim is " + std::to_string(o.query_width()) + " and key_dim " +
           std::to_string(o.key_width()) + ", but the score \"" + std::string(score.name) +
           "\" compares queries and keys of equal width; scores that do not: " + scores_of_any_width());
  }
  if (o.query == Projection::shared) {
    if (o.query_width() != o.key_width()) refuse("queries that share the keys' map are as wide as keys");
    if (o.receiver_features() != o.in_features)
      refuse("queries that share the keys' map need destination features as wide as those of sources");
  }
  if (o.value == Projection::shared && o.key_width() != o.head_dim) {
    refuse("values that are the keys need key_dim = head_dim; choose the value projection \"own\"");
  }
  if (o.value == Projection::shared && o.value_features > 0) {
    refuse(
        "values with features of their own cannot be the keys; choose their projection \"own\" or \"none\"");
  }
  const bool rows = score.reads_rows || score.node_numbers;
  if (rows) {
    check_as_it_is(o.query, o.receiver_features(), o.num_heads * o.query_width(), "queries");
    check_as_it_is(o.key, o.in_features, o.num_heads * o.key_width(), "keys");
  }
  const Index value_features = o.value_features > 0 ? o.value_features : o.in_features;
  check_as_it_is(o.value, value_features, o.num_heads * o.head_dim, "values");
}

void check_edge_use(const AttentionLayerOptions& o, const ScoreDescription& score) {
  if (o.edge_features == 0) return;
  const bool in_score =
      o.edge_use == EdgeUse::score || o.edge_use == EdgeUse::both || o.edge_use == EdgeUse::both_shared;
  if (in_score && !score.edge_features) {
    refuse("the score \"" + std::string(score.name) +
           "\" has no place for edge features; set edge_use to \"values\", \"ignored\" or a use of weights");
  }
  if (o.edge_use == EdgeUse::both_shared && (score.separable || o.key_width() != o.head_dim)) {
    refuse("one edge weight for keys and values needs a score with keys, and key_dim = head_dim");
  }
  const bool weights = o.edge_use == EdgeUse::log_prior || o.edge_use == EdgeUse::multiplied;
  if (weights && o.edge_features != 1) {
    refuse("edge weights are one column, but the edge features have " + std::to_string(o.edge_features));
  }
}

void check_window(const AttentionLayerOptions& o) {
  if (o.window == Window::none) {
    if (o.window_edges) refuse("window_edges needs a window");
    return;
  }
  check_at_least(o.window_width, 1, "window_width");
  check_at_least(o.position_dim, 1, "position_dim");
  if (o.renormalize && o.edge_features > 0 && o.edge_use == EdgeUse::log_prior)
    refuse(
        "a renormalised window is a log-prior itself; set edge_use to \"multiplied\" or renormalize to "
        "false");
  if (!o.renormalize && o.edge_features > 0 && o.edge_use == EdgeUse::multiplied)
    refuse(
        "a window that is not renormalised is a factor itself; set edge_use to \"log-prior\" or renormalize");
}

void check_edge_loss(const AttentionLayerOptions& o, const ScoreDescription& score) {
  if (!(o.edge_loss >= 0) || !std::isfinite(o.edge_loss))
    refuse("edge_loss is " + std::to_string(o.edge_loss) + "; a weight is at least 0, and 0 is no edge loss");
  if (o.edge_loss == 0) return;
  if (edge_loss_of(score.name) == nullptr) {
    std::string names;
    for (const EdgeLossScore& known : kEdgeLossScores)
      names += (names.empty() ? "\"" : ", \"") + std::string(known.score) + "\"";
    refuse("the score \"" + std::string(score.name) + "\" has no edge loss; scores that have: " + names);
  }
  if (!(o.edge_loss_share > 0 && o.edge_loss_share <= 1))
    refuse("edge_loss_share is " + std::to_string(o.edge_loss_share) + "; it lies in (0, 1]");
  if (!(o.edge_loss_others > 0) || !std::isfinite(o.edge_loss_others))
    refuse("edge_loss_others is " + std::to_string(o.edge_loss_others) + "; it must be above 0");
  if (o.destination_features > 0)
    refuse("an edge loss is between nodes of one kind; set destination_features or edge_loss to 0");
}

void check_output(const AttentionLayerOptions& o) {
  const Residual residual = residual_for(o.residual, o.receiver_features(), o.output_width());
  if (residual == Residual::identity && o.receiver_features() != o.output_width()) {
    refuse("an identity residual needs equal widths, but the input has " +
           std::to_string(o.receiver_features()) + " columns and the output " +
           std::to_string(o.output_width()) + "; use a learned residual");
  }
  if (o.residual_bias && o.residual != Residual::learned && o.residual != Residual::identity_or_learned)
    refuse("residual_bias needs a learned residual");
  if (o.gate && residual == Residual::none) refuse("a gate needs a residual to mix in");
}

}  // namespace

std::string_view name_of(Projection value) { return name_in(kProjections, value); }
std::string_view name_of(EdgeUse value) { return name_in(kEdgeUses, value); }
std::string_view name_of(Selection value) { return name_in(kSelections, value); }
std::string_view name_of(SampleGradient value) { return name_in(kSampleGradients, value); }
std::string_view name_of(Window value) { return name_in(kWindows, value); }
Projection projection_named(std::string_view name) { return value_in(kProjections, name, "projection"); }
EdgeUse edge_use_named(std::string_view name) { return value_in(kEdgeUses, name, "use of edge features"); }
Selection selection_named(std::string_view name) { return value_in(kSelections, name, "selection of edges"); }
SampleGradient sample_gradient_named(std::string_view name) {
  return value_in(kSampleGradients, name, "gradient of samples");
}
Window window_named(std::string_view name) { return value_in(kWindows, name, "window"); }

const EdgeLossScore* edge_loss_of(std::string_view score) {
  for (const EdgeLossScore& known : kEdgeLossScores) {
    if (known.score == score) return &known;
  }
  return nullptr;
}

AttentionLayerOptions AttentionLayerOptions::for_score(std::string_view name) {
  const ScoreDescription& score = *score_table()[static_cast<std::size_t>(score_named(name))];
  AttentionLayerOptions o;
  o.score = score.name;
  const bool one_map = score.maps == ScoreMaps::one;
  o.query = one_map ? Projection::shared : Projection::own;
  o.value = score.maps == ScoreMaps::three ? Projection::own : Projection::shared;
  o.projection_bias = !one_map;
  return o;
}

void AttentionLayerOptions::validate() const {
  const ScoreDescription& description = *score_table()[static_cast<std::size_t>(score_named(score))];
  check_widths(*this);
  check_projections(*this, description);
  check_edge_use(*this, description);
  check_window(*this);
  check_edge_loss(*this, description);
  check_output(*this);
  if (!(negative_slope >= 0 && negative_slope <= 1)) {
    refuse("negative_slope is " + std::to_string(negative_slope) + "; it lies in [0, 1]");
  }
  check_probability("attention", "feature_dropout", feature_dropout);
  check_probability("attention", "attention_dropout", attention_dropout);
  if (selection == Selection::top_k) check_at_least(top_k, 1, "top_k");
}

namespace presets {

AttentionLayerOptions transformer(bool root_weight, bool beta) {
  AttentionLayerOptions o = AttentionLayerOptions::for_score("scaled_dot");
  o.edge_use = EdgeUse::both_shared;
  o.residual = root_weight ? Residual::learned : Residual::none;
  o.residual_bias = root_weight;
  o.gate = root_weight && beta;
  o.bias = false;
  o.initial = InitialScheme::fan_in;
  return o;
}

AttentionLayerOptions multi_head(int num_heads, Index head_dim) {
  AttentionLayerOptions o = AttentionLayerOptions::for_score("scaled_dot");
  o.num_heads = num_heads;
  o.head_dim = head_dim;
  o.output_dim = num_heads * head_dim;
  return o;
}

AttentionLayerOptions agnn(Index in_features) {
  AttentionLayerOptions o = AttentionLayerOptions::for_score("cosine");
  o.in_features = o.head_dim = in_features;
  o.num_heads = 1;
  o.query = o.key = o.value = Projection::none;
  o.bias = false;
  return o;
}

}  // namespace presets

}  // namespace gat::inline GAT_PRECISION
