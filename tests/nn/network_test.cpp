#include "gat/nn/network.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "nn/networks.hpp"

using namespace gat;
using gat::test::gat_step;
using gat::test::run_network;
using gat::test::same_bits;

namespace {

Step narrow(const char* name = "", const char* input = "") {
  return gat_step({{"num_heads", 2}, {"head_dim", 2}}, name, input);
}

std::string refusal(const std::vector<Step>& steps) {
  return message_of([&] { Network(NetworkDescription{4, 0, steps}); });
}

}  // namespace

TEST_CASE("dense features equal CSR features through a whole network", "[nn][network][reference]") {
  const CsrGraph graph = test::random_graph(100, 400, 1);
  const Matrix dense = test::random_half_empty(100, 30, 2);
  const CsrMatrix sparse = test::sparse_copy(dense);
  const Blocks blocks = Blocks::whole(graph.view(), 2);
  const Matrix d = test::random_matrix(100, 3, 3);
  for (const bool per_head : {false, true}) {
    const Network network(test::two_layers(30, per_head));
    const Weights weights = test::random_weights(network);
    const auto from_dense = run_network(network, weights, {blocks, dense}, Mode::training, d);
    const auto from_sparse = run_network(network, weights, {blocks, sparse.view()}, Mode::training, d);
    CHECK(test::relative_difference(from_sparse.class_logits, from_dense.class_logits) < 1e-5);
    CHECK(test::relative_difference(test::all_values(from_sparse.gradients),
                                    test::all_values(from_dense.gradients)) < 1e-5);
  }
}

TEST_CASE("a network has the same bits for 1, 2, 3 and 8 threads", "[nn][network][determinism]") {
  const CsrGraph graph = test::random_graph(300, 3000, 1);
  const Matrix features = test::random_matrix(300, 20, 2);
  const Blocks blocks = Blocks::whole(graph.view(), 2);
  const Matrix d = test::random_matrix(300, 3, 3);
  const Network network(test::two_layers(20, true));
  const Weights weights = test::random_weights(network);
  const auto serial = run_network(network, weights, {blocks, features}, Mode::training, d);
  for (const int threads : {2, 3, 8}) {
    const auto run = run_network(network, weights, {blocks, features}, Mode::training, d, threads);
    CHECK(same_bits(run.class_logits, serial.class_logits));
    CHECK(same_bits(test::all_values(run.gradients), test::all_values(serial.gradients)));
  }
}

TEST_CASE("a network on rows of bf16 stays near the one on floats, its gradients too",
          "[nn][network][bf16]") {
  const CsrGraph graph = test::random_graph(300, 3000, 1);
  const Matrix features = test::random_matrix(300, 20, 2);
  const Blocks blocks = Blocks::whole(graph.view(), 2);
  const Matrix d = test::random_matrix(300, 3, 3);
  const Network network(test::two_layers(20, true));
  const Weights weights = test::random_weights(network);
  const NetworkInput input{.blocks = blocks, .features = features};
  const auto floats = run_network(network, weights, input, Mode::training, d);
  const Execution on(1, best_simd_level(), RowPrecision::bf16);
  const auto bf16 = run_network(network, weights, input, Mode::training, d, on);
  const double logits = test::relative_difference(bf16.class_logits, floats.class_logits);
  const double gradients =
      test::relative_difference(test::all_values(bf16.gradients), test::all_values(floats.gradients));
  CHECK((logits > 1e-5 && logits < 1e-2));
  CHECK((gradients > 1e-5 && gradients < 1e-2));
}

TEST_CASE("a step may read an earlier one or the features", "[nn][network][unit]") {
  const CsrGraph graph = test::random_graph(10, 30, 1);
  const Matrix features = test::random_matrix(10, 4, 2);
  const Network skipping({4, 0, {narrow("a"), narrow("unused"), narrow("c", "a")}});
  const Network direct({4, 0, {narrow("a"), narrow("c")}});
  const Network from_features({4, 0, {narrow("a"), narrow("c", "features")}});
  const Network single({4, 0, {narrow("c")}});
  Weights weights = test::random_weights(skipping);
  const auto weights_for = [&](const Network& network) {
    Weights some = network.make_weights();
    for (Index i = 0; i < some.count(); ++i)
      some.import_values(i, weights.export_values(weights.find(some.spec(i).name)));
    return some;
  };
  const auto logits = [&](const Network& network) {
    const Blocks blocks = Blocks::whole(graph.view(), network.num_steps());
    return run_network(network, weights_for(network), {blocks, features}, Mode::evaluation).class_logits;
  };
  CHECK(same_bits(logits(skipping), logits(direct)));
  CHECK(same_bits(logits(from_features), logits(single)));
}

TEST_CASE("steps that read earlier ones give the same rows on a part of the graph", "[nn][network][blocks]") {
  const CsrGraph graph = test::random_graph(40, 60, 1);
  const Matrix features = test::random_matrix(40, 4, 2);
  const Network network({4, 0, {narrow("a"), narrow("b"), narrow("c", "a"), narrow("d", "features")}});
  const Weights weights = test::random_weights(network);
  const std::vector<NodeId> nodes{7, 3, 20};
  const Blocks whole = Blocks::whole(graph.view(), 4);
  const Blocks part = Blocks::receptive_field(graph, nodes, network.reach(Mode::evaluation));
  const Matrix expected = run_network(network, weights, {whole, features}, Mode::evaluation).class_logits;
  const Matrix rows = run_network(network, weights, {part, features}, Mode::evaluation).class_logits;
  CHECK(same_bits(rows, test::rows_of(expected, nodes)));
}

TEST_CASE("blocks without rows give a result without rows", "[nn][network][blocks]") {
  const Network network(test::two_layers(4, false));
  const CsrGraph graph = build_graph(test::edge_list({{0, 1}, {1, 2}}), 3, {}).graph;
  const Blocks blocks = Blocks::receptive_field(graph, {}, network.reach(Mode::evaluation));
  const Matrix features(3, 4);
  Workspace workspace;
  Matrix none(0, network.output_width());
  const Round round{.workspace = workspace};
  CHECK_NOTHROW(network.forward(round, test::random_weights(network), {blocks, FeatureView(features)}, none));
}

TEST_CASE("two readers of one result both pass their gradient on", "[nn][network][unit]") {
  // With c and b reading a, the gradient of a's weights is the sum of the two paths.
  const CsrGraph graph = test::random_graph(10, 30, 1);
  const Matrix features = test::random_matrix(10, 4, 2);
  const Network forked({4, 0, {narrow("a"), narrow("b", "a"), narrow("c", "a")}});
  const Weights weights = test::random_weights(forked);
  const Blocks blocks = Blocks::whole(graph.view(), 3);
  const Matrix d = test::random_matrix(10, 4, 3);
  const auto run = run_network(forked, weights, {blocks, features}, Mode::training, d);
  const auto norm = [&](const char* name) {
    const ConstMatrixView g = std::as_const(run.gradients)[run.gradients.find(name)];
    return test::relative_difference(g, Matrix(g.rows, g.cols));
  };
  CHECK(norm("a.weight") > 0);
  CHECK(norm("c.weight") > 0);
  CHECK(norm("b.weight") == 0);  // nobody reads b
}

TEST_CASE("a step may read several results, and each gets its gradient", "[nn][network][unit]") {
  // out = a + b + a, so d_a is twice d and d_b is d.
  const CsrGraph graph = test::random_graph(10, 30, 1);
  const Matrix features = test::random_matrix(10, 4, 2);
  const auto linear = [](const char* name) {
    return Step{{"linear", {{"out_features", std::int64_t(3)}, {"bias", false}}}, name, "features"};
  };
  const Network network({4, 0, {linear("a"), linear("b"), {{"add", {}}, "out", {"a", "b", "a"}}}});
  const Network single({4, 0, {linear("a")}});
  const Weights weights = test::random_weights(network);
  const Blocks blocks = Blocks::whole(graph.view(), 3), one = Blocks::whole(graph.view(), 1);
  const Matrix d = test::random_matrix(10, 3, 3);
  const auto run = run_network(network, weights, {blocks, features}, Mode::training, d);
  const auto plain = run_network(single, weights, {one, features}, Mode::training, d);
  Matrix twice(plain.gradients[0]);
  for (Index k = 0; k < twice.size(); ++k) twice.data()[k] *= 2;
  CHECK(test::relative_difference(run.gradients[0], twice) < 1e-6);
  CHECK(test::relative_difference(run.gradients[1], plain.gradients[0]) < 1e-6);
}

TEST_CASE("a step over all pairs is the same layer on the complete graph", "[nn][network][unit]") {
  const CsrGraph graph = test::random_graph(10, 30, 1);
  const Matrix features = test::random_matrix(10, 4, 2);
  Step step = narrow("a");
  const Network local({4, 0, {step}});
  step.edges = StepEdges::complete;
  const Network global({4, 0, {step}});
  const Weights weights = test::random_weights(local);
  const Blocks blocks = Blocks::whole(graph.view(), 1);
  const Blocks complete = Blocks::whole(GraphView::complete(10, 10), 1);
  const auto logits = [&](const Network& network, const Blocks& b) {
    return run_network(network, weights, {b, features}, Mode::evaluation).class_logits;
  };
  CHECK(same_bits(logits(global, blocks), logits(local, complete)));
  CHECK_FALSE(same_bits(logits(global, blocks), logits(local, blocks)));
  CHECK(global.reach(Mode::evaluation) == std::vector<Reach>{Reach::whole_graph});
}

TEST_CASE("rows of graphs do not mix with rows of nodes", "[nn][network][names]") {
  const Step readout{{"readout", {}}, "graphs", "a"}, add{{"add", {}}, "sum", {"graphs", "a"}};
  CHECK(refusal({narrow("a"), readout, {{"linear", {}}, "out", ""}}).empty());
  CHECK(lacking(refusal({narrow("a"), readout, add}), {"\"sum\"", "rows of nodes and rows of graphs"}) == "");
  CHECK(lacking(refusal({narrow("a"), readout, narrow("b")}), {"\"b\"", "\"gat\"", "after a readout"}) == "");
  CHECK(lacking(refusal({narrow("a"), readout, {{"readout", {}}, "again", ""}}), {"after a readout"}) == "");
}

TEST_CASE("names of steps that make no sense are refused", "[nn][network][names]") {
  CHECK(refusal({narrow("a"), narrow("b", "a")}).empty());
  CHECK(lacking(refusal({}), {"at least one layer"}) == "");
  CHECK(lacking(refusal({narrow("a"), narrow("a")}), {"\"a\"", "taken"}) == "");
  CHECK(lacking(refusal({narrow("features")}), {"\"features\"", "taken"}) == "");
  CHECK(lacking(refusal({narrow("a"), narrow("b", "c"), narrow("c")}),
                {"\"b\" reads \"c\"", "no earlier step"}) == "");
  CHECK(lacking(refusal({narrow("a", "a")}), {"no earlier step"}) == "");
  CHECK(lacking(refusal({narrow("layers.1"), narrow()}), {"taken"}) == "");
}

TEST_CASE("unnamed steps are layers.0, layers.1, and prefix their parameters", "[nn][network][names]") {
  const Network network({4, 0, {narrow(), narrow("out")}});
  const Weights weights = network.make_weights();
  CHECK(network.description().steps[0].name == "layers.0");
  CHECK(weights.find("layers.0.weight") == 0);
  CHECK(weights.find("out.bias") == weights.count() - 1);
  CHECK(weights.find("weight") == -1);
}

TEST_CASE("input that does not fit a network is refused with both shapes", "[nn][network][unit]") {
  const CsrGraph graph = test::random_graph(5, 9, 1);
  const Network network({4, 0, {narrow(), narrow()}});
  const Weights weights = network.make_weights();
  Workspace workspace;
  const Round round{.workspace = workspace};
  const Matrix features(5, 4);
  Matrix out(5, 4);
  const Blocks one = Blocks::whole(graph.view(), 1);
  const Blocks two = Blocks::whole(graph.view(), 2);
  const auto forward = [&](const NetworkInput& input, Matrix& logits) {
    return message_of([&] { network.forward(round, weights, input, logits); });
  };
  CHECK(forward({two, features}, out).empty());
  CHECK(lacking(forward({one, features}, out), {"2 layers", "blocks 1"}) == "");
  const Matrix wide(5, 6);
  CHECK(lacking(forward({two, wide}, out), {"5 × 6", "5 × 4"}) == "");
  Matrix narrow_out(5, 3);
  CHECK(lacking(forward({two, features}, narrow_out), {"5 × 3", "5 × 4"}) == "");
  Weights gradients = network.make_weights();
  CHECK_THROWS_AS(network.backward(round, weights, {two, features}, out, gradients), UsageError);
}

TEST_CASE("results of every step can be asked for", "[nn][network][unit]") {
  const CsrGraph graph = test::random_graph(10, 30, 1);
  const Matrix features = test::random_matrix(10, 4, 2);
  const Network network({4, 0, {narrow(), narrow()}});
  const Network first({4, 0, {narrow()}});
  const Weights weights = test::random_weights(network);
  Weights first_weights = first.make_weights();
  for (Index i = 0; i < first_weights.count(); ++i) first_weights.import_values(i, weights.export_values(i));
  const Blocks blocks = Blocks::whole(graph.view(), 2);
  Matrix hidden(10, 4), logits(10, 4);
  const std::vector<MatrixView> views{hidden, MatrixView()};
  Workspace workspace;
  network.forward({.workspace = workspace, .hidden = views}, weights, {blocks, features}, logits);
  const Blocks one = Blocks::whole(graph.view(), 1);
  CHECK(same_bits(hidden, run_network(first, first_weights, {one, features}, Mode::evaluation).class_logits));
}
