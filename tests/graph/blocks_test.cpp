#include "gat/graph/blocks.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "graphs.hpp"

using namespace gat;
using gat::test::Edges;

namespace {

using Nodes = std::vector<NodeId>;

//  0 → 1 → 2 → 3,  4 → 2,  5 alone; edge ids by destination: 0→1 0, 1→2 1, 4→2 2, 2→3 3
CsrGraph small() { return test::graph_of(6, {{0, 1}, {1, 2}, {2, 3}, {4, 2}}); }

Nodes node_ids(const GraphView& view) {
  return {view.arrays().node_ids.begin(), view.arrays().node_ids.end()};
}

std::vector<EdgeId> edge_ids(const GraphView& view) {
  std::vector<EdgeId> ids;
  for (Index i = 0; i < view.num_destinations(); ++i) {
    const EdgeRow row = view.in_edges(i);
    for (Index k = 0; k < row.count; ++k) ids.push_back(row.edge(k));
  }
  return ids;
}

Blocks field(const Nodes& nodes, const std::vector<Reach>& reach) {
  return Blocks::receptive_field(small(), nodes, reach);
}

// Two destinations of three sources: 2 → 0 (edge 4), 0 → 1 (edge 1).
Block sound() { return {{7, 3, 5}, 2, {0, 1, 2}, {2, 0}, {4, 1}, 6}; }

std::string refusal(const std::vector<Block>& blocks) {
  return message_of([&] { Blocks{blocks}; });
}

}  // namespace

TEST_CASE("the receptive field holds what the outputs depend on and nothing else", "[graph][blocks][unit]") {
  const Blocks blocks = field({2}, {Reach::neighbourhood, Reach::neighbourhood});
  REQUIRE(blocks.num_layers() == 2);
  CHECK(blocks.num_outputs() == 1);
  const GraphView& last = blocks.layer(1);
  CHECK(node_ids(last) == Nodes{2, 1, 4});
  CHECK(test::edges_of(last) == Edges{{1, 0}, {2, 0}});
  CHECK(edge_ids(last) == std::vector<EdgeId>{1, 2});
  const GraphView& first = blocks.layer(0);
  CHECK(first.num_destinations() == 3);
  CHECK(node_ids(first) == Nodes{2, 1, 4, 0});
  CHECK(test::edges_of(first) == Edges{{1, 0}, {2, 0}, {3, 1}});
  CHECK(edge_ids(first) == std::vector<EdgeId>{1, 2, 0});
  CHECK(first.edge_id_bound() == 4);
  CHECK(Nodes(blocks.input_rows().begin(), blocks.input_rows().end()) == Nodes{2, 1, 4, 0});
}

TEST_CASE("the out-edges of a block carry the whole graph's edge ids", "[graph][blocks][unit]") {
  const Blocks blocks = field({3, 2}, {Reach::neighbourhood});
  const GraphView& view = blocks.layer(0);
  CHECK(node_ids(view) == Nodes{3, 2, 1, 4});
  const EdgeRow of_two = view.out_edges(1);
  REQUIRE(of_two.count == 1);
  CHECK(of_two.node(0) == 0);
  CHECK(of_two.edge(0) == 3);
  CHECK(view.out_edges(0).count == 0);
  CHECK(view.out_edges(3).edge(0) == 2);
}

TEST_CASE("outputs come in the order asked for", "[graph][blocks][unit]") {
  const Blocks blocks = field({5, 1, 3}, {Reach::neighbourhood});
  CHECK(node_ids(blocks.layer(0)) == Nodes{5, 1, 3, 0, 2});
  CHECK(blocks.num_outputs() == 3);
}

TEST_CASE("a layer that reads single rows has no edges, one that reads all keeps every row",
          "[graph][blocks][unit]") {
  const Blocks row = field({2}, {Reach::row, Reach::neighbourhood});
  CHECK(row.layer(0).num_edges() == 0);
  CHECK(row.layer(0).num_destinations() == 3);
  CHECK(row.layer(0).num_sources() == 3);
  const Blocks whole = field({2}, {Reach::row, Reach::whole_graph});
  CHECK(node_ids(whole.layer(1)) == Nodes{2, 1, 4, 0, 3, 5});
  CHECK(whole.layer(1).num_destinations() == 1);
  CHECK(whole.layer(1).num_edges() == 2);
  CHECK(whole.layer(0).num_sources() == 6);
  CHECK(whole.num_outputs() == 1);
  const Blocks below = field({2}, {Reach::whole_graph, Reach::neighbourhood});
  CHECK(node_ids(below.layer(0)) == Nodes{2, 1, 4, 0, 3, 5});
  CHECK(below.layer(0).num_destinations() == 3);
}

TEST_CASE("blocks of the whole graph are its view once per layer", "[graph][blocks][unit]") {
  const CsrGraph graph = small();
  const Blocks blocks = Blocks::whole(graph.view(), 3);
  CHECK(blocks.num_layers() == 3);
  CHECK(blocks.num_outputs() == 6);
  CHECK(blocks.input_rows().empty());
  CHECK(blocks.layer(2).arrays().in_sources.data() == graph.column_indices().data());
}

TEST_CASE("reordered blocks renumber the nodes and keep each row's edges in order", "[graph][blocks][unit]") {
  const CsrGraph graph = small();
  const Nodes order{3, 5, 2, 4, 0, 1};
  const Blocks blocks = Blocks::reordered(graph, order, 2);
  CHECK(blocks.num_layers() == 2);
  CHECK(blocks.num_outputs() == 6);
  CHECK(Nodes(blocks.input_rows().begin(), blocks.input_rows().end()) == order);
  const GraphView& view = blocks.layer(0);
  CHECK(test::edges_of(view) == Edges{{2, 0}, {5, 2}, {3, 2}, {4, 5}});
  CHECK(edge_ids(view) == std::vector<EdgeId>{3, 1, 2, 0});
  CHECK(view.out_edges(3).node(0) == 2);
  CHECK(view.out_edges(3).edge(0) == 2);
  CHECK(view.out_edges(1).count == 0);
  CHECK(view.edge_id_bound() == 4);
  CHECK(view.is_local());
  CHECK(!graph.view().is_local());
  CHECK(blocks.layer(1).arrays().in_sources.data() == view.arrays().in_sources.data());
}

TEST_CASE("reordered blocks are the receptive field of all nodes in that order, in one copy",
          "[graph][blocks]") {
  const CsrGraph graph = test::random_graph(50, 300, 6, {.direction = Direction::symmetrize});
  Nodes order(50);
  for (NodeId k = 0; k < 50; ++k) order[static_cast<std::size_t>(k)] = (17 * k + 5) % 50;
  const Blocks blocks = Blocks::reordered(graph, order, 1);
  const GraphView& view = blocks.layer(0);
  const Blocks field = Blocks::receptive_field(graph, order, std::vector<Reach>{Reach::neighbourhood});
  CHECK(test::edges_of(view) == test::edges_of(field.layer(0)));
  CHECK(edge_ids(view) == edge_ids(field.layer(0)));
  for (Index j = 0; j < 50; ++j) {
    const EdgeRow row = view.out_edges(j);
    const EdgeRow given = graph.out_edges(order[static_cast<std::size_t>(j)]);
    REQUIRE(row.count == given.count);
    for (Index k = 0; k < row.count; ++k) {
      CHECK(row.edge(k) == given.edge(k));
      CHECK(order[static_cast<std::size_t>(row.node(k))] == given.node(k));
    }
  }
}

TEST_CASE("graphs are reordered only by a whole order and when square", "[graph][blocks][unit]") {
  const auto refused = [](const Nodes& order) {
    return message_of([&] { Blocks::reordered(small(), order, 1); });
  };
  CHECK(lacking(refused({0, 1}), {"2 nodes", "graph of 6"}) == "");
  CHECK(lacking(refused({0, 1, 2, 3, 4, 6}), {"node 6"}) == "");
  CHECK(lacking(refused({0, 1, 2, 3, 4, 0}), {"node 0", "twice"}) == "");
  const CsrGraph sides = build_bipartite_graph(test::edge_list({{0, 0}}), 1, 1, {}).graph;
  CHECK_THROWS_AS(Blocks::reordered(sides, Nodes{0}, 1), UsageError);
  CHECK(Blocks::reordered(CsrGraph(), {}, 2).num_outputs() == 0);
  CHECK(Blocks::reordered(test::graph_of(2, {}), Nodes{1, 0}, 1).layer(0).num_edges() == 0);
}

TEST_CASE("nodes outside the graph or named twice have no receptive field", "[graph][blocks][unit]") {
  const std::vector<Reach> one{Reach::neighbourhood};
  CHECK_THROWS_AS(field({6}, one), UsageError);
  CHECK(lacking(message_of([&] { field({0, 6}, one); }), {"node 6", "0..5"}) == "");
  CHECK(lacking(message_of([&] { field({-1}, one); }), {"node -1"}) == "");
  CHECK(lacking(message_of([&] { field({1, 2, 1}, one); }), {"node 1", "twice"}) == "");
}

TEST_CASE("hand-made blocks know their transpose", "[graph][blocks][unit]") {
  const Blocks blocks({sound()});
  const GraphView& view = blocks.layer(0);
  CHECK(view.out_edges(0).node(0) == 1);
  CHECK(view.out_edges(0).edge(0) == 1);
  CHECK(view.out_edges(1).count == 0);
  CHECK(view.out_edges(2).edge(0) == 4);
  CHECK(view.global_destination(1) == 3);
}

TEST_CASE("blocks that do not fit are refused", "[graph][blocks][unit]") {
  CHECK(refusal({sound()}).empty());
  const auto broken = [](const auto& change) {
    Block block = sound();
    change(block);
    return refusal({block});
  };
  const std::string misfit = "do not fit";
  CHECK(lacking(broken([](Block& b) { b.num_destinations = 4; }), {misfit}) == "");
  CHECK(lacking(broken([](Block& b) { b.row_offsets = {0, 2}; }), {misfit}) == "");
  CHECK(lacking(broken([](Block& b) { b.row_offsets = {0, 3, 2}; }), {misfit}) == "");
  CHECK(lacking(broken([](Block& b) { b.row_offsets = {1, 1, 2}; }), {misfit}) == "");
  CHECK(lacking(broken([](Block& b) { b.edge_ids = {4}; }), {misfit}) == "");
  CHECK(lacking(broken([](Block& b) { b.column_indices[0] = 3; }), {"source row 3", "0..2"}) == "");
  CHECK(lacking(broken([](Block& b) { b.column_indices[0] = -1; }), {"source row -1"}) == "");
  CHECK(lacking(broken([](Block& b) { b.edge_ids[0] = 6; }), {"edge id 6", "0..5"}) == "");
  CHECK(lacking(refusal({sound(), sound()}), {"layer 0 has 2 destinations", "layer 1 has 3 sources"}) == "");
  CHECK_THROWS_AS(Blocks(std::vector<Block>{sound(), sound()}), ShapeError);
}
