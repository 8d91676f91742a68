#include "gat/nn/layers/gat.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/nn/layers/table.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::column_of;

namespace {

GatLayerOptions small_options() {
  GatLayerOptions o;
  o.in_features = 3;
  o.num_heads = 2;
  o.head_dim = 2;
  return o;
}

GatLayerOptions changed(const std::function<void(GatLayerOptions&)>& change) {
  GatLayerOptions o = small_options();
  change(o);
  return o;
}

std::string refusal(const std::function<void(GatLayerOptions&)>& change) {
  return message_of([&] { GatLayer{changed(change)}; });
}

// A graph of two nodes and one edge, and input that fits the small layer; tests spoil one thing.
struct Fitting {
  CsrGraph graph = test::graph_of(2, {{0, 1}});
  Matrix features = Matrix(2, 3);
  Matrix other = Matrix(2, 5);
  std::vector<std::uint8_t> mask;
  LayerInput input{.source = features};

  std::string refused_by(const GatLayerOptions& options) const {
    return message_of([&] { GatLayer(options).check_input(graph.view(), input); });
  }
};

}  // namespace

TEST_CASE("options of a GAT layer that are out of range are refused by name", "[nn][gat_layer][options]") {
  CHECK(lacking(refusal([](auto& o) { o.num_heads = 0; }), {"num_heads is 0"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.head_dim = 0; }), {"head_dim is 0"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.in_features = -1; }), {"negative"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.negative_slope = 1.5; }), {"negative_slope"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.negative_slope = -0.1; }), {"negative_slope"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.feature_dropout = 1; }), {"feature_dropout"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.value_dropout = -0.1; }), {"value_dropout"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.attention_dropout = NAN; }), {"attention_dropout"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.residual = Residual::identity; }),
                {"identity", "3 columns", "output 4", "learned"}) == "");
  CHECK(refusal([](auto& o) {
          o.in_features = 4;
          o.residual = Residual::identity;
        }).empty());
}

TEST_CASE("the width of the output follows from the merge of heads", "[nn][gat_layer][unit]") {
  CHECK(GatLayer(small_options()).output_width() == 4);
  CHECK(GatLayer(changed([](auto& o) { o.merge = HeadMerge::mean; })).output_width() == 2);
}

TEST_CASE("a GAT layer has the parameters that its options ask for", "[nn][gat_layer][parameters]") {
  const auto names = [](const GatLayer& layer) {
    std::string list;
    for (const ParameterSpec& spec : layer.parameters()) {
      list += spec.name;
      for (const Index size : spec.shape) list += " " + std::to_string(size);
      list += "; ";
    }
    return list;
  };
  CHECK(names(GatLayer(small_options())) == "weight 4 3; a_src 2 2; a_dst 2 2; bias 4; ");
  CHECK(names(GatLayer(changed([](auto& o) {
          o.destination_features = 5, o.edge_features = 6, o.score_bias = true,
          o.residual = Residual::learned;
          o.merge = HeadMerge::mean;
        }))) ==
        "weight 4 3; weight_dst 4 5; a_src 2 2; a_dst 2 2; score_bias_src 2; score_bias_dst 2; edge_weight 4 "
        "6; "
        "a_edge 2 2; residual_weight 2 5; bias 2; ");
  CHECK(names(GatLayer(changed([](auto& o) { o.bias = false; }))) == "weight 4 3; a_src 2 2; a_dst 2 2; ");
}

TEST_CASE("features of another shape than the layer's are refused with both", "[nn][gat_layer][check]") {
  Fitting f;
  CHECK(f.refused_by(small_options()).empty());
  f.input.source = f.other;
  CHECK(lacking(f.refused_by(small_options()), {"source features", "2 × 5", "2 × 3"}) == "");
  f = Fitting();
  f.input.source = Matrix(1, 3);
  CHECK(lacking(f.refused_by(small_options()), {"1 × 3", "2 × 3"}) == "");
  f = Fitting();
  f.input.values = f.features;
  CHECK(lacking(f.refused_by(small_options()), {"values"}) == "");
}

TEST_CASE("destinations that the layer was not made for are refused", "[nn][gat_layer][check]") {
  const GatLayerOptions own = changed([](auto& o) { o.destination_features = 5; });
  Fitting f;
  CHECK(lacking(f.refused_by(own), {"destinations with features of their own", "got none"}) == "");
  f.input.destination = Destinations::own(f.other);
  CHECK(f.refused_by(own).empty());
  CHECK(lacking(f.refused_by(small_options()), {"set destination_features"}) == "");
  f.input.destination = Destinations::own(f.features);
  CHECK(lacking(f.refused_by(own), {"destination features", "2 × 3", "2 × 5"}) == "");
  f.input.destination = Destinations::none();
  CHECK(f.refused_by(small_options()).empty());
  CHECK(lacking(f.refused_by(changed([](auto& o) { o.residual = Residual::learned; })), {"residual"}) == "");
  f = Fitting();
  f.graph = build_bipartite_graph(test::edge_list({{0, 1}}), 2, 2, test::kAsGiven).graph;
  CHECK(lacking(f.refused_by(small_options()), {"bipartite"}) == "");
}

TEST_CASE("edge features and terms that do not fit are refused by name", "[nn][gat_layer][check]") {
  const GatLayerOptions with_edges = changed([](auto& o) { o.edge_features = 2; });
  const Matrix two(1, 2), three(1, 3), rows(2, 2);
  Fitting f;
  CHECK(lacking(f.refused_by(with_edges), {"edge_features is set", "none"}) == "");
  f.input.edge_features = two;
  CHECK(f.refused_by(with_edges).empty());
  CHECK(lacking(f.refused_by(small_options()), {"width 2", "edge_features is 0", "ignore_edge_features"}) ==
        "");
  CHECK(f.refused_by(changed([](auto& o) { o.ignore_edge_features = true; })).empty());
  f.input.edge_features = three;
  CHECK(lacking(f.refused_by(with_edges), {"edge features", "1 × 3", "1 × 2"}) == "");
  f = Fitting();
  f.mask = {1, 1};
  f.input.edges.mask = f.mask;
  CHECK(lacking(f.refused_by(small_options()), {"mask", "2 entries", "1 edges"}) == "");
  f = Fitting();
  f.input.edges.log_prior.array = three;
  CHECK(lacking(f.refused_by(small_options()), {"log_prior", "1 × 3", "1 or 2 columns"}) == "");
  f = Fitting();
  f.input.edges.factor.array = rows;
  CHECK(lacking(f.refused_by(small_options()), {"factor", "2 × 2"}) == "");
}

TEST_CASE("a layer made from its own description is the same layer", "[nn][gat_layer][description]") {
  const GatLayer layer(changed([](auto& o) {
    o.merge = HeadMerge::mean, o.residual = Residual::learned, o.bias = false, o.score_bias = true;
    o.negative_slope = 0.1, o.feature_dropout = 0.6, o.dropout_per_head = true, o.value_dropout = 0.5;
    o.attention_dropout = 0.4, o.ignore_edge_features = true, o.activation = {ActivationKind::elu, 0.7};
    o.initial = InitialScheme::dgl;
  }));
  const auto again = make_layer(layer.describe(), 3, 0);
  CHECK(again->describe() == layer.describe());
  CHECK(again->output_width() == layer.output_width());
  CHECK(again->parameters().size() == layer.parameters().size());
  CHECK(make_layer({}, 3, 0)->describe() == GatLayer(GatLayerOptions{}).describe());
}

TEST_CASE("descriptions with unknown or wrong options are refused by name", "[nn][gat_layer][description]") {
  const auto refused = [](std::map<std::string, OptionValue, std::less<>> options, const char* kind = "gat") {
    return message_of([&] { make_layer({kind, std::move(options)}, 3, 0); });
  };
  CHECK(lacking(refused({{"num_head", std::int64_t(2)}}),
                {"no option \"num_head\"", "did you mean \"num_heads\""}) == "");
  CHECK(lacking(refused({{"num_heads", 2.5}}), {"\"num_heads\"", "whole number"}) == "");
  CHECK(lacking(refused({{"num_heads", std::int64_t(-2)}}), {"\"num_heads\""}) == "");
  CHECK(lacking(refused({{"bias", std::int64_t(1)}}), {"\"bias\"", "true or false"}) == "");
  CHECK(lacking(refused({{"feature_dropout", true}}), {"\"feature_dropout\"", "a number"}) == "");
  CHECK(lacking(refused({{"merge", 1.0}}), {"\"merge\"", "a text"}) == "");
  CHECK(lacking(refused({{"merge", std::string("concatt")}}), {"did you mean \"concat\""}) == "");
  CHECK(lacking(refused({}, "gta"), {"unknown kind of layer \"gta\"", "gat"}) == "");
  CHECK(refused({{"negative_slope", std::int64_t(0)}}).empty());
}
