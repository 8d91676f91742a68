// The general attention layer's options, parameters, checks and descriptions.
#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/nn/layers/table.hpp"
#include "nn/attention_run.hpp"

using namespace gat;
using gat::test::AttentionProbe;
using gat::test::small_attention;

namespace {

using Change = std::function<void(AttentionLayerOptions&)>;

AttentionLayerOptions changed(const char* score, const Change& change) {
  AttentionLayerOptions o = small_attention(score);
  change(o);
  return o;
}
std::string refusal(const char* score, const Change& change) {
  return message_of([&] { AttentionLayer{changed(score, change)}; });
}

std::string parameters(const AttentionLayerOptions& options) {
  const AttentionLayer layer(options);
  std::string list;
  for (const ParameterSpec& spec : layer.parameters()) {
    list += spec.name;
    for (const Index size : spec.shape) list += " " + std::to_string(size);
    list += "; ";
  }
  return list;
}

}  // namespace

TEST_CASE("options of an attention layer that are out of range are refused by name",
          "[nn][attention][options]") {
  const auto dot = [](const Change& change) { return refusal("scaled_dot", change); };
  CHECK(lacking(dot([](auto& o) { o.num_heads = 0; }), {"num_heads is 0"}) == "");
  CHECK(lacking(dot([](auto& o) { o.head_dim = 0; }), {"head_dim is 0"}) == "");
  CHECK(lacking(dot([](auto& o) { o.score = "scaled_dott"; }), {"did you mean \"scaled_dot\""}) == "");
  CHECK(lacking(dot([](auto& o) { o.attention_dropout = 1; }), {"attention_dropout"}) == "");
  CHECK(lacking(dot([](auto& o) { o.negative_slope = -1; }), {"negative_slope"}) == "");
  CHECK(lacking(dot([](auto& o) { o.selection = Selection::top_k; }), {"top_k is 0"}) == "");
  CHECK(lacking(dot([](auto& o) { o.window = Window::monotonic; }), {"window_width is 0"}) == "");
  CHECK(lacking(dot([](auto& o) { o.window_edges = true; }), {"needs a window"}) == "");
}

TEST_CASE("an attention layer refuses to gather rows of bf16 and names the layer that can",
          "[nn][attention][bf16]") {
  const AttentionProbe probe(small_attention("gat"));
  const CsrGraph graph = test::graph_of(2, {{0, 1}});
  const GraphView view = graph.view();
  const Matrix x(2, 4);
  Matrix out(2, probe.layer.output_width());
  Workspace workspace;
  const Execution bf16(1, best_simd_level(), RowPrecision::bf16);
  const Context context{.graph = view, .weights = probe.weights, .workspace = workspace, .execution = bf16};
  CHECK(lacking(message_of([&] { probe.layer.forward(context, LayerInput{.source = x}, out); }),
                {"attention layer", "bf16", "\"float\"", "\"gat\""}) == "");
}

TEST_CASE("options of an attention layer that contradict each other are refused with the way out",
          "[nn][attention][options]") {
  const auto dot = [](const Change& change) { return refusal("scaled_dot", change); };
  CHECK(lacking(dot([](auto& o) { o.query_dim = 2; }), {"query_dim is 2", "bilinear"}) == "");
  CHECK(lacking(dot([](auto& o) { o.key = Projection::shared; }), {"keys", "own"}) == "");
  CHECK(lacking(dot([](auto& o) { o.value = Projection::shared, o.key_dim = 2; }), {"key_dim"}) == "");
  CHECK(lacking(dot([](auto& o) { o.query = Projection::none; }), {"queries", "6 columns", "have 4"}) == "");
  CHECK(lacking(dot([](auto& o) { o.residual = Residual::identity; }), {"identity", "learned"}) == "");
  CHECK(lacking(dot([](auto& o) { o.residual_bias = true; }), {"residual_bias"}) == "");
  CHECK(lacking(dot([](auto& o) { o.gate = true; }), {"gate", "residual"}) == "");
  CHECK(lacking(refusal("cosine", [](auto& o) { o.edge_features = 2; }), {"cosine", "edge_use"}) == "");
  CHECK(lacking(dot([](auto& o) { o.edge_features = 2, o.edge_use = EdgeUse::log_prior; }),
                {"one column", "have 2"}) == "");
  CHECK(lacking(dot([](auto& o) {
                  o.edge_features = 1, o.edge_use = EdgeUse::log_prior;
                  o.window = Window::monotonic, o.window_width = 2;
                }),
                {"multiplied"}) == "");
}

TEST_CASE("an attention layer has the parameters that its options ask for", "[nn][attention][parameters]") {
  CHECK(parameters(small_attention("gatv2")) ==
        "query_weight 6 4; query_bias 6; key_weight 6 4; key_bias 6; score.a 2 3; bias 6; ");
  CHECK(parameters(small_attention("gat")) == "key_weight 6 4; score.a_src 2 3; score.a_dst 2 3; bias 6; ");
  CHECK(parameters(small_attention("constant")) == "value_weight 6 4; value_bias 6; bias 6; ");
  CHECK(parameters(changed("general", [](auto& o) {
          o.query_dim = 2, o.key_dim = 5, o.projection_bias = o.bias = false;
        })) == "query_weight 4 4; key_weight 10 4; value_weight 6 4; score.W 2 2 5; ");
  AttentionLayerOptions transformer = presets::transformer(true, true);
  transformer.in_features = 4;
  transformer.num_heads = 2;
  transformer.head_dim = 3;
  transformer.edge_features = 5;
  CHECK(parameters(transformer) ==
        "query_weight 6 4; query_bias 6; key_weight 6 4; key_bias 6; value_weight 6 4; value_bias 6; "
        "edge_weight 6 5; residual_weight 6 4; residual_bias 6; gate_weight 18; ");
  CHECK(parameters(presets::agnn(4)) == "score.beta 1; ");
}

TEST_CASE("initial values follow the named scheme and the score's declaration", "[nn][attention][initial]") {
  // The largest of some hundred numbers as a share of their bound, which it nearly reaches.
  const auto share = [](const char* score, InitialScheme scheme, const char* parameter, double bound) {
    AttentionLayerOptions o = small_attention(score, 8, 16);
    o.in_features = 100;
    o.initial = scheme;
    const AttentionLayer layer(o);
    Weights weights = layer.make_weights();
    weights.initialize(RandomStream(1));
    double most = 0;
    for (const Real value : weights.export_values(weights.find(parameter)))
      most = std::max(most, std::abs(static_cast<double>(value)));
    return most / bound;
  };
  const auto reaches = [](double part) { return part > 0.95 && part <= 1; };
  CHECK(reaches(share("gatv2", InitialScheme::pyg, "key_weight", std::sqrt(6.0 / 228))));
  CHECK(reaches(share("gatv2", InitialScheme::pyg, "key_bias", 0.1)));
  CHECK(reaches(share("gatv2", InitialScheme::pyg, "score.a", std::sqrt(6.0 / 24))));
  CHECK(share("gatv2", InitialScheme::dgl, "key_bias", 1) == 0);
  CHECK(reaches(share("scaled_dot", InitialScheme::fan_in, "value_weight", 0.1)));
  CHECK(reaches(share("bilinear", InitialScheme::pyg, "score.W", std::sqrt(6.0 / 32))));
  CHECK(share("cosine", InitialScheme::pyg, "score.beta", 1) == 1);
  CHECK(share("tanh", InitialScheme::pyg, "score.b", 1) == 0);
}

TEST_CASE("an attention layer made from its own description is the same layer",
          "[nn][attention][description]") {
  const AttentionLayer layer(changed("general", [](auto& o) {
    o.key_dim = 5, o.query_dim = 2, o.value = Projection::own, o.projection_bias = false;
    o.merge = HeadMerge::mean, o.output_dim = 7, o.residual = Residual::learned, o.residual_bias = true;
    o.gate = true, o.bias = false, o.activation = {ActivationKind::elu, 0.7}, o.negative_slope = 0.1;
    o.feature_dropout = 0.6, o.attention_dropout = 0.4, o.selection = Selection::top_k, o.top_k = 3;
    o.sample_gradient = SampleGradient::score_function, o.window = Window::predictive;
    o.window_width = 4, o.renormalize = false, o.window_edges = true, o.position_dim = 3;
    o.edge_features = 2, o.edge_use = EdgeUse::both, o.initial = InitialScheme::fan_in;
  }));
  const auto again = make_layer(layer.describe(), 4, 2);
  CHECK(again->describe() == layer.describe());
  CHECK(again->parameters().size() == layer.parameters().size());
  // An alias and the defaults that belong to a score.
  const auto shared = make_layer({"attention", {{"score", std::string("supergat_mx")}}}, 4, 0);
  CHECK(std::get<std::string>(shared->describe().options.at("value")) == "shared");
  const auto alias = make_layer({"attention", {{"score", std::string("concat")}}}, 4, 0);
  CHECK(std::get<std::string>(alias->describe().options.at("score")) == "tanh");
}

TEST_CASE("inputs that do not fit an attention layer are refused by name", "[nn][attention][check]") {
  const CsrGraph graph = test::graph_of(2, {{0, 1}});
  const Matrix x(2, 4), edges(1, 2), weights(1, 1);
  LayerInput in{.source = x};
  const auto refused = [&](
                           const char* score, const Change& change = [](auto&) {}) {
    return message_of([&] { AttentionLayer(changed(score, change)).check_input(graph.view(), in); });
  };
  CHECK(refused("scaled_dot").empty());
  CHECK(lacking(refused("custom"), {"custom_score"}) == "");
  in.destination = Destinations::none();
  CHECK(lacking(refused("scaled_dot"), {"needs destination features"}) == "");
  CHECK(refused("gat").empty());
  in.destination = {};
  in.values = x;
  CHECK(lacking(refused("scaled_dot"), {"value_features"}) == "");
  in.values = {};
  in.edge_features = edges;
  CHECK(lacking(refused("scaled_dot"), {"edge_features is 0", "ignored"}) == "");
  CHECK(refused("cosine", [](auto& o) { o.edge_use = EdgeUse::ignored; }).empty());
  in.edge_features = weights;
  CHECK(lacking(refused("cosine", [](auto& o) { o.edge_features = 1, o.edge_use = EdgeUse::log_prior; }),
                {"weight of the edge from node 0 to node 1", "multiplied"}) == "");
}
