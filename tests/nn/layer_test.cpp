// What holds for every kind of layer.
#include "gat/nn/layer.hpp"

#include <set>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/nn/layers/table.hpp"
#include "io/temporary_folder.hpp"
#include "nn/layer_cases.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::layer_cases;
using gat::test::LayerCase;
using gat::test::network_of;
using gat::test::run_network;
using gat::test::same_bits;

namespace {

// Features and graph of a case.
struct Data {
  explicit Data(const LayerCase& c, Index num_nodes)
      : graph(test::random_graph(num_nodes, 3 * num_nodes, 1)),
        dense(test::random_half_empty(num_nodes, 4, 2)),
        sparse(test::sparse_copy(dense)),
        features(c.sparse ? FeatureView(sparse.view()) : FeatureView(dense)) {}
  CsrGraph graph;
  Matrix dense;
  CsrMatrix sparse;
  FeatureView features;
};

// The same description with every probability of dropping 0.
NetworkDescription without_dropout(NetworkDescription network) {
  for (Step& step : network.steps) {
    for (auto& [name, value] : step.layer.options) {
      if (name.find("dropout") != std::string::npos && std::holds_alternative<double>(value)) value = 0.0;
    }
  }
  return network;
}

bool has_dropout(const NetworkDescription& network) { return !(without_dropout(network) == network); }

Model model_of(const LayerCase& c) {
  ModelDescription description;
  description.network = network_of(c);
  description.graph_policy = test::kAsGiven;
  return {description, test::random_weights(Network(description.network))};
}

GraphData graph_data(const LayerCase& c, Index num_nodes) {
  GraphData data = test::random_data(num_nodes, 4);
  if (!c.sparse) return data;
  data.features.sparse = test::sparse_copy(data.features.dense);
  data.features.is_sparse = true;
  return data;
}

}  // namespace

TEST_CASE("every kind of layer has cases", "[nn][layer][cases]") {
  std::set<std::string_view> kinds;
  for (const LayerCase& c : layer_cases()) kinds.insert(c.layer.kind);
  for (const LayerKind& kind : layer_kinds()) {
    INFO(kind.name);
    CHECK(kinds.count(kind.name) == 1);
  }
  CHECK(kinds.size() == layer_kinds().size());
}

TEST_CASE("every layer is made again from its own description", "[nn][layer][cases]") {
  for (const LayerCase& c : layer_cases()) {
    INFO(c.name);
    const auto layer = make_layer(c.layer, {c.widths, 0});
    const LayerDescription whole = layer->describe();
    for (const auto& [name, value] : c.layer.options) CHECK(whole.options.at(name) == value);
    const auto again = make_layer(whole, {c.widths, 0});
    CHECK(again->describe() == whole);
    CHECK(again->output_width() == layer->output_width());
    CHECK(again->parameters().size() == layer->parameters().size());
    LayerDescription misspelt = whole;
    misspelt.options["no_such_option"] = true;
    CHECK(lacking(message_of([&] { make_layer(misspelt, {c.widths, 0}); }), {"no_such_option"}) == "");
  }
}

TEST_CASE("every layer has the same bits for 1, 2, 3 and 8 threads", "[nn][layer][cases][determinism]") {
  for (const LayerCase& c : layer_cases()) {
    INFO(c.name);
    const Data data(c, 7000);
    const Network network(network_of(c));
    const Weights weights = test::random_weights(network);
    const Blocks blocks = Blocks::whole(data.graph.view(), network.num_steps());
    const Matrix d = test::random_matrix(network.num_outputs(blocks), network.output_width(), 3);
    const NetworkInput input{blocks, data.features};
    Workspace workspace;
    const auto run = [&](int threads) {
      NetworkTape tape;
      Matrix logits(d.rows(), d.cols());
      Weights gradients = network.make_weights();
      const Round round{.workspace = workspace,
                        .mode = Mode::training,
                        .random = RandomStream(11),
                        .execution = threads,
                        .tape = &tape};
      network.forward(round, weights, input, logits);
      network.backward(round, weights, input, d, gradients);
      return std::pair(logits, gradients);
    };
    const auto serial = run(1);
    for (const int threads : {2, 3, 8}) {
      const auto parallel = run(threads);
      CHECK(same_bits(parallel.first, serial.first));
      CHECK(same_bits(test::all_values(parallel.second), test::all_values(serial.second)));
    }
  }
}

TEST_CASE("every layer evaluates as it trains without dropout", "[nn][layer][cases][property]") {
  for (const LayerCase& c : layer_cases()) {
    INFO(c.name);
    const Data data(c, 40);
    const NetworkDescription description = network_of(c);
    const Network network(description), plain(without_dropout(description));
    if (network.reach(Mode::training) != network.reach(Mode::evaluation)) continue;  // batch statistics
    const Weights weights = test::random_weights(network);
    const Blocks blocks = Blocks::whole(data.graph.view(), network.num_steps());
    const NetworkInput input{blocks, data.features};
    const auto logits = [&](const Network& net, Mode mode, std::uint64_t seed) {
      Workspace workspace;
      Matrix rows(net.num_outputs(blocks), net.output_width());
      net.forward({.workspace = workspace, .mode = mode, .random = RandomStream(seed)}, weights, input, rows);
      return rows;
    };
    const Matrix evaluated = logits(network, Mode::evaluation, 1);
    CHECK(same_bits(logits(network, Mode::evaluation, 2), evaluated));
    CHECK(same_bits(logits(plain, Mode::training, 1), evaluated));
    if (!has_dropout(description)) continue;
    CHECK_FALSE(same_bits(logits(network, Mode::training, 1), evaluated));
    CHECK_FALSE(same_bits(logits(network, Mode::training, 1), logits(network, Mode::training, 2)));
  }
}

TEST_CASE("every layer comes back from a model file with its bits", "[nn][layer][cases][model_file]") {
  const TemporaryFolder folder;
  for (const LayerCase& c : layer_cases()) {
    INFO(c.name);
    const Model model = model_of(c);
    model.save(folder / "model");
    const Model loaded = Model::load(folder / "model");
    CHECK(loaded.description().network == model.description().network);
    const GraphData data = graph_data(c, 30);
    CHECK(same_bits(test::predict(loaded, data), test::predict(model, data)));
  }
}

TEST_CASE("every layer gives chosen nodes the rows of the whole graph", "[nn][layer][cases][blocks]") {
  const std::vector<NodeId> nodes{25, 3, 25, 0};
  for (const LayerCase& c : layer_cases()) {
    INFO(c.name);
    const Model model = model_of(c);
    const PreparedGraph graph = model.prepare(graph_data(c, 60));
    Workspace workspace;
    if (model.network().per_graph(model.network().num_steps() - 1)) {
      CHECK_THROWS_AS(model.class_logits(graph, nodes, workspace), UsageError);
      continue;
    }
    const Matrix all = test::rows_of(model.class_logits(graph, workspace), nodes);
    const Matrix some = model.class_logits(graph, nodes, workspace);
    CHECK(same_bits(some, all));
  }
}

TEST_CASE("every layer refuses inputs of other shapes", "[nn][layer][cases]") {
  for (const LayerCase& c : layer_cases()) {
    INFO(c.name);
    const auto layer = make_layer(c.layer, {c.widths, 0});
    const CsrGraph graph = test::random_graph(5, 9, 1);
    std::vector<Matrix> matrices;
    for (const Index width : c.widths) matrices.emplace_back(5, width);
    const std::vector<FeatureView> views(matrices.begin(), matrices.end());
    LayerInput input;
    input.source = views.front();
    input.others = std::span(views).subspan(1);
    CHECK(layer->check_input(graph.view(), input) == layer->output_width());
    const Matrix wide(5, c.widths.front() + 1), few(4, c.widths.front());
    for (const Matrix* wrong : {&wide, &few}) {
      input.source = *wrong;
      CHECK_THROWS_AS(layer->check_input(graph.view(), input), ShapeError);
    }
  }
}
