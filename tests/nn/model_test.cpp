#include "gat/nn/model.hpp"

#include <thread>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/graph/edge_features.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::predict;
using gat::test::random_data;
using gat::test::same_bits;
using gat::test::small_description;
using gat::test::small_model;

TEST_CASE("several threads predict with one const model and get equal bits", "[nn][model][determinism]") {
  const Model model = small_model();
  const GraphData data = random_data(200, 4);
  const PreparedGraph prepared = model.prepare(data);
  const Matrix expected = predict(model, data);
  std::vector<Matrix> results(6);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      Workspace workspace;
      for (int k = 0; k < 5; ++k)
        results[t] = model.class_logits(prepared, workspace, 1 + static_cast<int>(t % 3));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Matrix& result : results) CHECK(same_bits(result, expected));
}

TEST_CASE("chosen nodes have the bits of the whole graph, in the order asked for, twice if named twice",
          "[nn][model][blocks]") {
  const Model model = small_model();
  const GraphData data = random_data(80, 4);
  const PreparedGraph prepared = model.prepare(data);
  Workspace workspace;
  const Matrix all = model.class_logits(prepared, workspace);
  const std::vector<NodeId> nodes{70, 3, 70, 0, 3};
  CHECK(same_bits(model.class_logits(prepared, nodes, workspace), test::rows_of(all, nodes)));
  CHECK(model.class_logits(prepared, std::span<const NodeId>(), workspace).rows() == 0);
  const std::vector<NodeId> unknown{80};
  CHECK_THROWS_AS(model.class_logits(prepared, unknown, workspace), UsageError);
}

TEST_CASE("preparing applies the model's own graph policy and transform", "[nn][model][prepare]") {
  GraphData data;
  data.graph = test::graph_of(3, {{0, 1}, {0, 1}, {2, 2}});
  data.features.dense = test::matrix_of({{1, 3, 0, 0}, {0, 0, 0, 0}, {-1, 1, 0, 2}});
  data.edge_features = test::column_of({1, 2, 3});
  ModelDescription d = small_description();
  d.graph_policy = {Direction::symmetrize, SelfLoops::add_missing, Duplicates::merge,
                    Dangling::error,       LoopFill::sum,          0};
  const Model model(d, Network(d.network).make_weights());
  const PreparedGraph prepared = model.prepare(data);
  CHECK(test::edges_of(prepared.graph()) == test::Edges{{1, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 2}});
  CHECK(prepared.report().num_duplicates == 1);
  CHECK(same_bits(prepared.edge_features(), test::column_of({1.5, 1.5, 1.5, 1.5, 3})));
  CHECK(same_bits(prepared.features().dense,
                  test::matrix_of({{0.25, 0.75, 0, 0}, {0, 0, 0, 0}, {-0.25, 0.25, 0, 0.5}})));
  Matrix gradient(3, 1);
  prepared.add_user_edge_gradient(prepared.edge_features(), test::column_of({1, 1, 1, 1, 1}), gradient);
  CHECK(same_bits(gradient, test::column_of({2, 2, 1})));
}

TEST_CASE("data of other widths than the model's is refused with both", "[nn][model][prepare]") {
  const Model model = small_model();
  CHECK(lacking(message_of([&] { model.prepare(random_data(5, 7)); }), {"4 node features", "has 7"}) == "");
  ModelDescription d = small_description();
  d.network.edge_features = 2;
  const Model with_edges(d, Network(d.network).make_weights());
  CHECK(lacking(message_of([&] { with_edges.prepare(random_data(5, 4)); }), {"2 edge features", "has 0"}) ==
        "");
  GraphData bad = random_data(5, 4);
  bad.features.dense(3, 2) = NAN;
  CHECK_THROWS_AS(model.prepare(bad), InputError);
}

TEST_CASE("a model takes only the weights and class names of its network", "[nn][model][unit]") {
  const ModelDescription d = small_description();
  CHECK_THROWS_AS(Model(d, Weights()), UsageError);
  CHECK_THROWS_AS(Model(d, Network(small_description(5).network).make_weights()), UsageError);
  ModelDescription names = d;
  names.class_names = {"a"};
  CHECK(lacking(message_of([&] { Model(names, Network(d.network).make_weights()); }),
                {"2 outputs", "1 class names"}) == "");
}

TEST_CASE("probabilities are a softmax, or a sigmoid per label", "[nn][model][unit]") {
  const Matrix logits = test::matrix_of({{0, std::log(3.0)}});
  Matrix probabilities(1, 2);
  small_model().to_probabilities(logits, probabilities);
  CHECK(test::relative_difference(probabilities, test::matrix_of({{0.25, 0.75}})) < 1e-6);
  ModelDescription d = small_description();
  d.multi_label = true;
  Model(d, Network(d.network).make_weights()).to_probabilities(logits, probabilities);
  CHECK(test::relative_difference(probabilities, test::matrix_of({{0.5, 0.75}})) < 1e-6);
}

TEST_CASE("coefficients of every layer and head can be asked for and sum to one", "[nn][model][attention]") {
  const Model model = small_model();
  const GraphData data = random_data(30, 4);
  const PreparedGraph prepared = model.prepare(data);
  const Index edges = prepared.graph().num_edges();
  Matrix first(edges, 3), second(edges, 1);
  std::vector<AttentionSink> sinks(2);
  sinks[0].attention = first;
  sinks[1].attention = second;
  Workspace workspace;
  CHECK(same_bits(model.class_logits(prepared, workspace, 1, sinks), predict(model, data)));
  for (Index i = 0; i < 30; ++i) {
    const EdgeRow row = prepared.graph().in_edges(i);
    if (row.count == 0) continue;
    std::vector<double> sums(4, 0);
    for (Index k = 0; k < row.count; ++k) {
      for (Index h = 0; h < 3; ++h)
        sums[static_cast<std::size_t>(h)] += static_cast<double>(first(row.edge(k), h));
      sums[3] += static_cast<double>(second(row.edge(k), 0));
    }
    for (const double sum : sums) CHECK(sum == Approx(1).epsilon(1e-6));
  }
}

TEST_CASE("an unconnected node changes no other prediction", "[nn][model][property]") {
  const Model model = small_model();
  const GraphData data = random_data(20, 4);
  GraphData larger;
  larger.graph = build_graph(test::random_edge_list(20, 20, 80, 1), 21, test::kAsGiven).graph;
  larger.features.dense = Matrix(21, 4);
  for (Index i = 0; i < 20; ++i) std::copy_n(data.features.dense.row(i), 4, larger.features.dense.row(i));
  std::vector<NodeId> first_twenty(20);
  for (NodeId i = 0; i < 20; ++i) first_twenty[static_cast<std::size_t>(i)] = i;
  CHECK(same_bits(test::rows_of(predict(model, larger), first_twenty), predict(model, data)));
}
