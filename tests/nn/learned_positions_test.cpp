// Which row of its table a node gets, and what graphs a table serves.
#include "gat/nn/layers/learned_positions.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/graph/reorder.hpp"
#include "gat/graph/segments.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::NetworkRun;
using gat::test::same_bits;

namespace {

// A step that adds or appends positions, then GAT with dropout.
NetworkDescription network_of(Index num_features, Index num_positions, const char* join) {
  return {num_features,
          0,
          {{{"learned_positions",
             {{"num_positions", num_positions}, {"join", std::string(join)}, {"width", std::int64_t(2)}}},
            "positions",
            "features"},
           test::gat_step(
               {{"num_heads", std::int64_t(2)}, {"head_dim", std::int64_t(3)}, {"feature_dropout", 0.3}},
               "gat")}};
}

// The rows of a layer alone whose table is [[10, 20], [30, 40], [50, 60]].
Matrix rows_of(const FeatureView& features, PositionJoin join, const GraphView& graph) {
  const LearnedPositionsLayer layer(
      {.in_features = features.cols(), .num_positions = 3, .join = join, .width = 2});
  Weights weights = layer.make_weights();
  weights.import_values(0, std::vector<Real>{10, 20, 30, 40, 50, 60});
  LayerInput input;
  input.source = features;
  Matrix out(graph.num_destinations(), layer.check_input(graph, input));
  Workspace workspace;
  layer.forward({.graph = graph, .weights = weights, .workspace = workspace}, input, out);
  return out;
}

}  // namespace

TEST_CASE("a node's position is added to its features or stands behind them",
          "[nn][learned_positions][unit]") {
  const Matrix x = matrix_of({{1, 0}, {0, 4}});
  const CsrMatrix sparse = test::sparse_copy(x);
  for (const FeatureView& features : {FeatureView(x), FeatureView(sparse.view())}) {
    CHECK(
        same_bits(rows_of(features, PositionJoin::add, GraphView::rows(2)), matrix_of({{11, 20}, {30, 44}})));
    CHECK(same_bits(rows_of(features, PositionJoin::concat, GraphView::rows(2)),
                    matrix_of({{1, 0, 10, 20}, {0, 4, 30, 40}})));
  }
}

TEST_CASE("the position of a row is its node in the whole graph", "[nn][learned_positions][unit]") {
  const Matrix x = matrix_of({{1, 0}, {0, 4}});
  const std::vector<NodeId> ids{2, 0};
  GraphView::Arrays arrays;
  arrays.node_ids = ids;
  CHECK(same_bits(rows_of(x, PositionJoin::add, GraphView(2, 1, false, 0, arrays)), matrix_of({{51, 60}})));
  // Features of the whole graph, read through the ids.
  const Matrix all = matrix_of({{0, 4}, {9, 9}, {1, 0}});
  FeatureView chosen(all);
  chosen.row_ids = ids;
  CHECK(same_bits(rows_of(chosen, PositionJoin::concat, GraphView(2, 2, false, 0, arrays)),
                  matrix_of({{1, 0, 50, 60}, {0, 4, 10, 20}})));
}

TEST_CASE("learned positions give parts and other orders of a graph the same bits",
          "[nn][learned_positions][blocks][determinism]") {
  const CsrGraph graph = test::random_graph(60, 90, 4);
  const Matrix features = test::random_matrix(60, 5, 3);
  const std::vector<NodeId> nodes{41, 3, 17};
  std::vector<NodeId> order;
  for (NodeId node = 60; node-- > 0;) order.push_back(node);
  for (const char* join : {"add", "concat"}) {
    const Network network(network_of(5, 60, join));
    const Weights weights = test::random_weights(network);
    const Matrix d_part = test::random_matrix(3, 6, 8);
    Matrix d_whole(60, 6);
    for (Index k = 0; k < 3; ++k)
      std::copy_n(d_part.row(k), 6, d_whole.row(nodes[static_cast<std::size_t>(k)]));
    const auto run = [&](const Blocks& blocks, const Matrix& d) {
      return test::run_network(network, weights, {blocks, features}, Mode::training, d, 2);
    };
    const NetworkRun whole = run(Blocks::whole(graph.view(), 2), d_whole);
    const NetworkRun part = run(Blocks::receptive_field(graph, nodes, network.reach(Mode::training)), d_part);
    const NetworkRun reordered = run(Blocks::reordered(graph, order, 2), test::rows_of(d_whole, order));
    CHECK(same_bits(part.class_logits, test::rows_of(whole.class_logits, nodes)));
    CHECK(same_bits(reordered.class_logits, test::rows_of(whole.class_logits, order)));
    const Index table = weights.find("positions.weight");
    CHECK(test::relative_difference(part.gradients[table], whole.gradients[table]) < 1e-5);
    CHECK(test::relative_difference(reordered.gradients[table], whole.gradients[table]) < 1e-5);
  }
}

TEST_CASE("the graphs of a batch share the rows of the table, and add their gradients",
          "[nn][learned_positions][batch]") {
  const SegmentPointer segments(std::vector<Index>{0, 2, 2, 5, 6});
  const LearnedPositionsLayer layer({.in_features = 2, .num_positions = 3});
  const Weights weights = layer.make_weights();
  Weights gradients = layer.make_weights();
  Workspace workspace;
  const Matrix d = matrix_of({{1, 10}, {2, 20}, {4, 40}, {8, 80}, {16, 160}, {32, 320}});
  const GraphView view = segments.complete();
  layer.backward({.graph = view, .weights = weights, .workspace = workspace}, {}, {}, d, {}, gradients);
  // Rows 0, 2 and 5 begin a graph, 1 and 3 are second.
  CHECK(gradients.export_values(0) == std::vector<Real>{37, 370, 10, 100, 16, 160});
}

TEST_CASE("a node that a block lists twice has one gradient for any number of threads",
          "[nn][learned_positions][determinism]") {
  Block block;
  for (NodeId k = 0; k < 3000; ++k) block.node_ids.push_back(k % 100);
  block.num_destinations = 3000;
  block.row_offsets.assign(3001, 0);
  const Blocks blocks({block});
  // Threads share columns in groups of lanes: eight of them have some.
  const Matrix d = test::random_matrix(3000, 8 * kLanes, 2);
  const LearnedPositionsLayer layer({.in_features = d.cols(), .num_positions = 100});
  const Weights weights = layer.make_weights();
  const auto gradients = [&](int threads) {
    Weights sums = layer.make_weights();
    Workspace workspace;
    layer.backward(
        {.graph = blocks.layer(0), .weights = weights, .workspace = workspace, .execution = threads}, {}, {},
        d, {}, sums);
    CHECK(workspace.statistics.largest_team == threads);
    return sums;
  };
  const Weights serial = gradients(1);
  for (const int threads : {2, 3, 8})
    CHECK(same_bits(test::all_values(gradients(threads)), test::all_values(serial)));
  double sum = 0, expected = 0;
  for (Index r = 5; r < 3000; r += 100) expected += static_cast<double>(d(r, 7));
  sum = static_cast<double>(serial[0](5, 7));
  CHECK(sum == Approx(expected).epsilon(1e-5));
}

TEST_CASE("a graph with more nodes than positions is refused with both numbers and the way out",
          "[nn][learned_positions]") {
  const Matrix x(4, 2);
  const auto refusal = [&](const GraphView& graph) {
    return message_of([&] { rows_of(x, PositionJoin::add, graph); });
  };
  CHECK(lacking(refusal(GraphView::rows(4)),
                {"learned_positions layer", "4 nodes", "3 positions", "num_positions of 4"}) == "");
  const std::vector<NodeId> ids{0, 1, 7, 2};
  GraphView::Arrays arrays;
  arrays.node_ids = ids;
  CHECK(lacking(refusal(GraphView(4, 4, false, 0, arrays)), {"at least 8 nodes", "3 positions"}) == "");
}

TEST_CASE("chosen nodes of a graph with more nodes than positions are refused like all of them",
          "[nn][learned_positions][model]") {
  ModelDescription d;
  d.network = network_of(4, 20, "add");
  const Model model(d, test::random_weights(Network(d.network)));
  const GraphData small = test::random_data(20, 4), large = test::random_data(21, 4);
  Workspace workspace;
  CHECK(model.class_logits(model.prepare(small), std::vector<NodeId>{3, 19}, workspace).rows() == 2);
  const std::initializer_list<std::string> parts{"learned_positions layer", "has 21 nodes", "20 positions"};
  CHECK(lacking(message_of([&] { model.prepare(large); }), parts) == "");
  // Prepared by hand. The rows that node 3 depends on may all have positions.
  const PreparedGraph prepared(large, d.graph_policy, d.input_transform);
  const std::vector<NodeId> chosen{3};
  CHECK(lacking(message_of([&] { model.class_logits(prepared, chosen, workspace); }), parts) == "");
}

TEST_CASE("options of learned positions that are out of range are refused by name",
          "[nn][learned_positions][options]") {
  const auto refusal = [](const LearnedPositionsOptions& options) {
    return message_of([&] { LearnedPositionsLayer{options}; });
  };
  CHECK(lacking(refusal({.in_features = 4, .num_positions = 0}), {"num_positions is 0"}) == "");
  CHECK(lacking(refusal({.in_features = 4, .join = PositionJoin::concat, .width = 0}), {"width is 0"}) == "");
  CHECK(lacking(refusal({.in_features = 0}), {"no features", "concat"}) == "");
  CHECK(refusal({.in_features = 0, .join = PositionJoin::concat}).empty());
  CHECK_THROWS_AS(position_join_named("sum"), UsageError);
}
