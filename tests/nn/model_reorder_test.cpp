// Models on graphs that are laid out in another order: nothing of it is seen outside.
#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/data/generate_power_law.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::random_data;
using gat::test::same_bits;

namespace {

// What a model can be asked for: logits, the coefficients of both layers, the rows of both layers.
struct Answers {
  Matrix logits, first_attention, second_attention, first_rows, second_rows;
};

Answers answers(const Model& model, const PreparedGraph& graph, int num_threads = 1) {
  const Index edges = graph.graph().num_edges();
  const Index nodes = graph.graph().num_nodes();
  Answers a{{}, Matrix(edges, 3), Matrix(edges, 1), Matrix(nodes, 6), Matrix(nodes, 2)};
  std::vector<AttentionSink> sinks(2);
  sinks[0].attention = a.first_attention;
  sinks[1].attention = a.second_attention;
  const std::vector<MatrixView> hidden{a.first_rows, a.second_rows};
  Workspace workspace;
  a.logits = model.class_logits(graph, workspace, num_threads, sinks, hidden);
  return a;
}

void check_same(const Answers& a, const Answers& b) {
  CHECK(same_bits(a.logits, b.logits));
  CHECK(same_bits(a.first_attention, b.first_attention));
  CHECK(same_bits(a.second_attention, b.second_attention));
  CHECK(same_bits(a.first_rows, b.first_rows));
  CHECK(same_bits(a.second_rows, b.second_rows));
}

std::vector<NodeId> mixed(Index num_nodes) {
  std::vector<NodeId> order;
  for (Index k = 0; k < num_nodes; ++k) order.push_back(static_cast<NodeId>(k * 7 % num_nodes));
  return order;
}

}  // namespace

TEST_CASE("logits, coefficients and hidden rows come back in the order given, with the same bits",
          "[nn][model][reorder]") {
  const Model model = test::small_model();
  const GraphData data = random_data(80, 4);
  const PreparedGraph given = model.prepare(data);
  PreparedGraph laid_out = model.prepare(data);
  laid_out.lay_out(mixed(80));
  REQUIRE(laid_out.reordered());
  const Answers expected = answers(model, given);
  check_same(answers(model, laid_out), expected);
  check_same(answers(model, laid_out, 3), expected);
  CHECK(same_bits(expected.second_rows, expected.logits));
  // One layer's rows alone.
  Matrix rows(80, 6);
  Workspace workspace;
  const std::vector<MatrixView> hidden{rows, {}};
  model.class_logits(laid_out, workspace, 1, {}, hidden);
  CHECK(same_bits(rows, expected.first_rows));
  const std::vector<NodeId> nodes{70, 3, 70};
  CHECK(same_bits(model.class_logits(laid_out, nodes, workspace), test::rows_of(expected.logits, nodes)));
}

TEST_CASE("a graph that is laid out can be moved, laid out anew and back", "[nn][model][reorder]") {
  const Model model = test::small_model();
  const GraphData data = random_data(80, 4);
  const Answers expected = answers(model, model.prepare(data));
  PreparedGraph first = model.prepare(data);
  first.lay_out(mixed(80));
  PreparedGraph moved = std::move(first);
  check_same(answers(model, moved), expected);
  std::vector<NodeId> reversed = mixed(80);
  std::reverse(reversed.begin(), reversed.end());
  moved.lay_out(reversed);
  check_same(answers(model, moved), expected);
  // Nothing pays in a small graph.
  moved.lay_out(model.network().gathered_row_bytes());
  CHECK_FALSE(moved.reordered());
  check_same(answers(model, moved), expected);
  CHECK_THROWS_AS(moved.lay_out(std::vector<NodeId>{0, 1}), UsageError);
}

TEST_CASE("a large graph with communities is laid out when it is prepared, unless that is off",
          "[nn][model][reorder]") {
  PowerLawOptions options;
  options.num_nodes = 3000;
  options.num_edges = 30000;
  options.community_share = 0.8;
  options.community_size = 150;
  options.max_degree = 200;
  GraphData data;
  data.graph = generate_power_law(options).graph;
  data.features.dense = test::random_half_empty(3000, 4, 2);
  ModelDescription d;
  d.network = {4,
               0,
               {test::gat_step({{"num_heads", 8}, {"head_dim", 128}}),
                test::gat_step({{"num_heads", 1}, {"head_dim", 2}})}};
  const Model model(d, test::random_weights(Network(d.network)));
  const PreparedGraph laid_out = model.prepare(data);
  const PreparedGraph given = model.prepare(data, Reorder::off);
  CHECK(laid_out.reordered());
  CHECK_FALSE(given.reordered());
  CHECK_FALSE(test::small_model().prepare(data).reordered());
  Workspace workspace;
  CHECK(same_bits(model.class_logits(laid_out, workspace, 2), model.class_logits(given, workspace)));
  // A rule for smaller caches lays out what the standard one leaves alone.
  PreparedGraph narrow = test::small_model().prepare(data);
  narrow.lay_out(64, {.small_bytes = 1 << 14, .cache_bytes = 1 << 14, .saved_share = 0.01});
  CHECK(narrow.reordered());
}
