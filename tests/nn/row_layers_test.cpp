// Numbers worked out by hand, and what single kinds of layers refuse.
#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/nn/layers/readout.hpp"
#include "gat/nn/layers/table.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::column_of;
using gat::test::matrix_of;
using gat::test::relative_difference;

namespace {

using Options = std::map<std::string, OptionValue, std::less<>>;

// The rows of a layer in evaluation, all of whose parameters are given by name.
Matrix rows_of(const char* kind, const Options& options, const std::vector<Matrix>& inputs,
               const std::map<std::string, std::vector<Real>>& parameters, const GraphView* graph = nullptr) {
  std::vector<Index> widths;
  for (const Matrix& input : inputs) widths.push_back(input.cols());
  const auto layer = make_layer({kind, options}, {widths, 0});
  Weights weights = layer->make_weights();
  REQUIRE(static_cast<std::size_t>(weights.count()) == parameters.size());
  for (const auto& [name, values] : parameters) weights.import_values(weights.find(name), values);
  const GraphView rows = graph != nullptr ? *graph : GraphView::rows(inputs.front().rows());
  const std::vector<FeatureView> views(inputs.begin(), inputs.end());
  LayerInput input;
  input.source = views.front();
  input.others = std::span(views).subspan(1);
  Matrix out(layer->per_graph() ? rows.num_segments() : rows.num_destinations(),
             layer->check_input(rows, input));
  Workspace workspace;
  layer->forward({.graph = rows, .weights = weights, .workspace = workspace}, input, out);
  return out;
}

std::string refusal(const char* kind, const Options& options, const std::vector<Index>& widths) {
  return message_of([&] { make_layer({kind, options}, {widths, 0}); });
}

const Matrix kX = matrix_of({{1, 2}, {3, 5}});

}  // namespace

TEST_CASE("a linear layer multiplies, adds its bias and activates", "[nn][linear][unit]") {
  const Matrix out =
      rows_of("linear", {{"out_features", std::int64_t(2)}, {"activation", std::string("relu")}}, {kX},
              {{"weight", {1, 10, 1, -1}}, {"bias", {100, 0}}});
  CHECK(relative_difference(out, matrix_of({{121, 0}, {153, 0}})) == 0);  // and −0 is 0
}

TEST_CASE("a feed-forward layer is one linear map behind another", "[nn][feed_forward][unit]") {
  const Matrix out = rows_of("feed_forward",
                             {{"hidden_features", std::int64_t(2)},
                              {"out_features", std::int64_t(1)},
                              {"activation", std::string("relu")}},
                             {kX},
                             {{"hidden.weight", {1, 1, -1, 0}},
                              {"hidden.bias", {0, 2}},
                              {"output.weight", {1, 10}},
                              {"output.bias", {0.5}}});
  CHECK(test::same_bits(out, column_of({13.5, 8.5})));  // (3, 1) and (8, 0)
}

TEST_CASE("inputs are added, mapped where widths differ, joined and compared", "[nn][add][unit]") {
  const Matrix other = matrix_of({{4, 1}, {0, 9}});
  CHECK(test::same_bits(rows_of("add", {}, {kX, other}, {}), matrix_of({{5, 3}, {3, 14}})));
  CHECK(test::same_bits(rows_of("add", {}, {kX, column_of({10, 20})}, {{"weight_1", {1, 2}}}),
                        matrix_of({{11, 22}, {23, 45}})));
  CHECK(
      test::same_bits(rows_of("concat", {}, {kX, column_of({7, 8})}, {}), matrix_of({{1, 2, 7}, {3, 5, 8}})));
  CHECK(test::same_bits(rows_of("max", {}, {kX, other}, {}), matrix_of({{4, 2}, {3, 9}})));
}

TEST_CASE("layer norm takes moments over a row or over a graph, with epsilon in two places",
          "[nn][layer_norm][unit]") {
  const Matrix x = matrix_of({{1, 3}, {2, 6}});
  const auto normalized = [&](const char* mode, const char* place) {
    return rows_of("layer_norm",
                   {{"mode", std::string(mode)},
                    {"epsilon", 1.0},
                    {"epsilon_is_added", std::string(place)},
                    {"affine", false}},
                   {x}, {});
  };
  const double row = 1 / std::sqrt(2.0), second = 2 / std::sqrt(5.0);
  CHECK(relative_difference(normalized("node", "to-variance"), matrix_of({{-row, row}, {-second, second}})) <
        1e-6);
  CHECK(relative_difference(normalized("node", "to-deviation"),
                            matrix_of({{-0.5, 0.5}, {-2.0 / 3, 2.0 / 3}})) < 1e-6);
  // mean 3, variance (4 + 0 + 1 + 9) / 4
  const double all = 1 / std::sqrt(4.5), outside = 1 / (std::sqrt(3.5) + 1);
  CHECK(relative_difference(normalized("graph", "to-variance"), matrix_of({{-2 * all, 0}, {-all, 3 * all}})) <
        1e-6);
  CHECK(relative_difference(normalized("graph", "to-deviation"),
                            matrix_of({{-2 * outside, 0}, {-outside, 3 * outside}})) < 1e-6);
}

TEST_CASE("a readout gives every graph of a batch one row, an empty one zeros", "[nn][readout][unit]") {
  const Matrix x = matrix_of({{1, -2}, {3, -4}, {5, 6}});
  const std::vector<std::int32_t> segments{0, 2, 0};
  GraphView::Arrays arrays;
  arrays.segments = segments;
  arrays.num_segments = 3;
  const GraphView graph(3, 3, false, 0, arrays);
  const auto read = [&](const char* pooling,
                        const std::map<std::string, std::vector<Real>>& parameters = {}) {
    return rows_of("readout", {{"pooling", std::string(pooling)}}, {x}, parameters, &graph);
  };
  CHECK(test::same_bits(read("sum"), matrix_of({{6, 4}, {0, 0}, {3, -4}})));
  CHECK(test::same_bits(read("mean"), matrix_of({{3, 2}, {0, 0}, {3, -4}})));
  CHECK(test::same_bits(read("max"), matrix_of({{5, 6}, {0, 0}, {3, -4}})));
  // Scores 0 and 4 ln 3 / 4: shares 1/4 and 3/4.
  const auto w = static_cast<Real>(std::log(3.0) / 4);
  CHECK(relative_difference(read("attention", {{"weight", {w, 0}}}), matrix_of({{4, 4}, {0, 0}, {3, -4}})) <
        1e-6);
}

TEST_CASE("readouts and norms by graph read where the graphs of a batch begin",
          "[nn][readout][layer_norm][unit]") {
  const Matrix x = matrix_of({{1, 3}, {5, -6}, {2, 4}});
  const std::vector<SegmentBegin> begins{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {3, 3, 5}};
  const GraphView graph = GraphView::complete_segments(begins);
  CHECK(test::same_bits(rows_of("readout", {{"pooling", std::string("sum")}}, {x}, {}, &graph),
                        matrix_of({{1, 3}, {0, 0}, {7, -2}})));
  const Options by_graph{{"mode", std::string("graph")}, {"epsilon", 1.0}, {"affine", false}};
  // means 2 and 5/4, variances 1 and (15² + 29² + 3² + 11²)/(4 · 16) = 1196/64
  const double first = 1 / std::sqrt(2.0), second = 1 / std::sqrt(1196.0 / 64 + 1);
  CHECK(relative_difference(
            rows_of("layer_norm", by_graph, {x}, {}, &graph),
            matrix_of({{-first, first}, {3.75 * second, -7.25 * second}, {0.75 * second, 2.75 * second}})) <
        1e-6);
}

TEST_CASE("layers refuse inputs and options that make no sense, by name", "[nn][layer][options]") {
  CHECK(lacking(refusal("linear", {{"out_features", std::int64_t(0)}}, {4}), {"out_features is 0"}) == "");
  CHECK(lacking(refusal("linear", {{"argument_dropout", 1.0}}, {4}), {"linear", "argument_dropout"}) == "");
  CHECK(lacking(refusal("linear", {{"initial", std::string("glorrot")}}, {4}), {"glorot"}) == "");
  CHECK(lacking(refusal("linear", {}, {4, 4}), {"linear", "one input", "2"}) == "");
  CHECK(lacking(refusal("feed_forward", {{"hidden_features", std::int64_t(-1)}}, {4}), {"hidden_features"}) ==
        "");
  CHECK(lacking(refusal("dropout", {{"dropout", -0.5}}, {4}), {"dropout"}) == "");
  CHECK(lacking(refusal("add", {}, {4}), {"two inputs"}) == "");
  CHECK(lacking(refusal("add", {{"map", std::string("identity")}}, {4, 5}), {"4 and 5", "learned"}) == "");
  CHECK(lacking(refusal("max", {}, {4, 5}), {"4 and 5"}) == "");
  CHECK(lacking(refusal("layer_norm", {{"epsilon", -1.0}}, {4}), {"epsilon"}) == "");
  CHECK(lacking(refusal("layer_norm", {{"mode", std::string("nodes")}}, {4}), {"did you mean \"node\""}) ==
        "");
  CHECK(lacking(refusal("readout", {{"pooling", std::string("median")}}, {4}), {"pooling", "mean"}) == "");
}

TEST_CASE("layers of dense rows name the way out for sparse features", "[nn][layer][unit]") {
  const CsrMatrix sparse = test::sparse_copy(kX);
  LayerInput input;
  input.source = sparse.view();
  const auto layer = make_layer({"dropout", {}}, 2, 0);
  CHECK(lacking(message_of([&] { layer->check_input(GraphView::rows(2), input); }), {"sparse", "linear"}) ==
        "");
}
