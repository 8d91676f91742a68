#include "gat/graph/disjoint_union.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/graph/edge_features.hpp"
#include "gat/graph/graph_builder.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::same_bits;

namespace {

constexpr GraphPolicy kBothWays{.direction = Direction::symmetrize, .self_loops = SelfLoops::add_missing};

GraphData data_of(CsrGraph graph, Matrix features, Matrix edge_features = {}) {
  GraphData data;
  data.graph = std::move(graph);
  data.features.dense = std::move(features);
  data.edge_features = std::move(edge_features);
  return data;
}

GraphUnion joined(std::initializer_list<const CsrGraph*> graphs) {
  return disjoint_union(std::vector<const CsrGraph*>(graphs));
}

}  // namespace

TEST_CASE("a union has the edges of each graph, moved by the nodes before it", "[graph][union][unit]") {
  //  0 → 1 → 2        0 ⟲ 1, 1 → 0
  const CsrGraph first = test::graph_of(3, {{0, 1}, {1, 2}}), second = test::graph_of(2, {{1, 1}, {1, 0}});
  const CsrGraph empty = test::graph_of(0, {}), lonely = test::graph_of(1, {});
  const GraphUnion all = joined({&first, &empty, &second, &lonely});
  CHECK(test::edges_of(all.graph) == test::Edges{{0, 1}, {1, 2}, {4, 3}, {4, 4}});
  CHECK(all.graph.num_nodes() == 6);
  CHECK(all.view().num_segments() == 4);
  CHECK(all.segments.source(2) == 3);
  const SegmentRows rows = segment_rows(all.view());
  CHECK(rows.offsets == std::vector<Index>{0, 3, 3, 5, 6});
  CHECK(disjoint_union({}).graph.num_nodes() == 0);
}

TEST_CASE("a union leads from its edges to the listed ones and back", "[graph][union][unit]") {
  const CsrGraph first = test::graph_of(3, {{0, 1}, {0, 1}, {1, 2}}, kBothWays);
  const CsrGraph second = test::graph_of(2, {{1, 0}});  // as given: no reverse copies, no loops
  const CsrGraph third = test::graph_of(2, {{1, 0}}, kBothWays);
  const CsrGraph all = joined({&first, &second, &third}).graph;
  CHECK(all.num_user_edges() == 5);
  CHECK(all.edge_of_user().size() == 5);
  REQUIRE(all.reverse_edge_of_user().size() == 5);
  CHECK(all.reverse_edge_of_user()[3] == kNone);
  for (Index user = 0; user < 5; ++user) {
    const EdgeId edge = all.edge_of_user()[static_cast<std::size_t>(user)];
    if (user != 1) CHECK(all.user_edge_ids()[static_cast<std::size_t>(edge)] == user);
    const EdgeId back = all.reverse_edge_of_user()[static_cast<std::size_t>(user)];
    if (back != kNone) CHECK(all.is_reversed(back));
  }
}

TEST_CASE("a batch has the features of its graphs one below the other", "[graph][union][unit]") {
  const GraphData a = data_of(test::graph_of(2, {{0, 1}}), matrix_of({{1, 2}, {3, 4}}), matrix_of({{0.5}}));
  const GraphData b = data_of(test::graph_of(1, {}), matrix_of({{5, 6}}));
  const GraphData c =
      data_of(test::graph_of(2, {{1, 0}, {1, 1}}), matrix_of({{7, 8}, {9, 0}}), matrix_of({{1}, {2}}));
  const GraphBatch batch = make_batch(std::vector<GraphData>{b, a, c});
  batch.data.validate();
  CHECK(same_bits(batch.data.features.dense, matrix_of({{5, 6}, {1, 2}, {3, 4}, {7, 8}, {9, 0}})));
  CHECK(same_bits(batch.data.edge_features, matrix_of({{0.5}, {1}, {2}})));
  CHECK(batch.view().num_segments() == 3);
  Matrix edges(3, 1);
  spread_edge_features(batch.data.graph, test::kAsGiven, batch.data.edge_features, edges);
  CHECK(same_bits(edges, matrix_of({{0.5}, {1}, {2}})));
}

TEST_CASE("sparse features of a batch stay sparse", "[graph][union][unit]") {
  std::vector<GraphData> graphs(2);
  std::vector<Matrix> dense{matrix_of({{1, 0}, {0, 0}}), matrix_of({{0, 2}})};
  Matrix expected = matrix_of({{1, 0}, {0, 0}, {0, 2}});
  for (std::size_t k = 0; k < 2; ++k) {
    graphs[k].graph = test::graph_of(dense[k].rows(), {});
    graphs[k].features.is_sparse = true;
    graphs[k].features.sparse = test::sparse_copy(dense[k]);
  }
  const GraphBatch batch = make_batch(graphs);
  batch.data.validate();
  const CsrMatrix wanted = test::sparse_copy(expected);
  CHECK(batch.data.features.sparse.row_offsets == wanted.row_offsets);
  CHECK(batch.data.features.sparse.column_indices == wanted.column_indices);
  CHECK(batch.data.features.sparse.values == wanted.values);
}

TEST_CASE("bipartite graphs are joined side by side on both sides", "[graph][union][unit]") {
  const CsrGraph one = build_bipartite_graph(test::edge_list({{2, 0}, {0, 1}}), 3, 2, test::kAsGiven).graph;
  const GraphUnion all = joined({&one, &one});
  CHECK(all.graph.bipartite());
  CHECK(test::edges_of(all.graph) == test::Edges{{2, 0}, {0, 1}, {5, 2}, {3, 3}});
  CHECK(all.view().segment_of_destination(2) == 1);
  CHECK(all.segments.complete().num_edges() == 12);
}

TEST_CASE("graphs that cannot be joined are refused by number", "[graph][union]") {
  const CsrGraph square = test::graph_of(2, {}),
                 two_sided = build_bipartite_graph({}, 2, 2, test::kAsGiven).graph;
  CHECK(lacking(message_of([&] { joined({&square, &two_sided}); }), {"bipartite", "one kind"}) == "");
  const auto refusal = [](std::vector<GraphData> graphs) { return message_of([&] { make_batch(graphs); }); };
  const GraphData a = data_of(test::graph_of(2, {{0, 1}}), Matrix(2, 3), Matrix(1, 2));
  CHECK(lacking(refusal({}), {"no graph"}) == "");
  CHECK(lacking(refusal({a, data_of(test::graph_of(2, {}), Matrix(2, 4))}),
                {"graph 1", "features", "2 × 4", "2 × 3"}) == "");
  CHECK(lacking(refusal({a, data_of(test::graph_of(2, {}), Matrix(1, 3))}), {"graph 1", "1 × 3"}) == "");
  CHECK(lacking(refusal({a, data_of(test::graph_of(2, {{0, 1}}), Matrix(2, 3))}),
                {"graph 1", "edge features", "1 × 2"}) == "");
  GraphData sparse = data_of(test::graph_of(2, {}), {});
  sparse.features.is_sparse = true;
  sparse.features.sparse = test::sparse_copy(Matrix(2, 3));
  CHECK(lacking(refusal({a, sparse}), {"graph 1", "sparse", "one form"}) == "");
}
