#include "gat/graph/segments.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "graphs.hpp"

using namespace gat;

namespace {

using Pointer = std::vector<Index>;

std::string refusal(const Pointer& sources, const Pointer& destinations) {
  return message_of([&] { SegmentPointer(sources, destinations); });
}

// Every row in both directions against the pairs of the same graph, ids one after the other.
void check_pairs(const Pointer& sources, const Pointer& destinations, const GraphView& view) {
  Index before = 0;
  EdgeId id = 0;
  REQUIRE(view.num_sources() == sources.back());
  REQUIRE(view.num_destinations() == destinations.back());
  test::Edges edges;
  std::vector<std::vector<EdgeId>> out_ids(static_cast<std::size_t>(sources.back()));
  for (std::size_t s = 0; s + 1 < sources.size(); ++s) {
    for (Index i = destinations[s]; i < destinations[s + 1]; ++i) {
      CHECK(view.in_edges_before(i) == before);
      CHECK(view.segment_of_destination(i) == static_cast<Index>(s));
      const EdgeRow row = view.in_edges(i);
      CHECK(row.count == sources[s + 1] - sources[s]);
      before += row.count;
      for (Index k = 0; k < row.count; ++k) {
        CHECK(row.node(k) == sources[s] + k);
        CHECK(row.edge(k) == id);
        out_ids[static_cast<std::size_t>(row.node(k))].push_back(id++);
      }
    }
  }
  CHECK(view.in_edges_before(view.num_destinations()) == before);
  CHECK(view.num_edges() == before);
  CHECK(view.edge_id_bound() == id);
  before = 0;
  for (Index j = 0; j < view.num_sources(); ++j) {
    CHECK(view.out_edges_before(j) == before);
    const EdgeRow row = view.out_edges(j);
    const std::vector<EdgeId>& ids = out_ids[static_cast<std::size_t>(j)];
    REQUIRE(row.count == static_cast<Index>(ids.size()));
    before += row.count;
    for (Index k = 0; k < row.count; ++k) CHECK(row.edge(k) == ids[static_cast<std::size_t>(k)]);
  }
  CHECK(view.out_edges_before(view.num_sources()) == before);
}

}  // namespace

TEST_CASE("graphs that are complete side by side link the pairs of each and none across",
          "[graph][segments][reference]") {
  for (const Pointer& pointer :
       {Pointer{0, 3}, Pointer{0, 2, 5, 6}, Pointer{0, 0, 4, 4, 4, 5, 5}, Pointer{0}, Pointer{0, 0}}) {
    const SegmentPointer segments(pointer);
    check_pairs(pointer, pointer, segments.complete());
    CHECK_FALSE(segments.complete().bipartite());
    CHECK_FALSE(segments.complete().stored());
    const test::StoredTwin twin(segments.complete());
    CHECK(test::edges_of(twin.view()) == test::edges_of(segments.complete()));
  }
}

TEST_CASE("two-sided graphs are complete side by side with destinations of their own",
          "[graph][segments][reference]") {
  const Pointer sources{0, 3, 3, 5, 9}, destinations{0, 1, 4, 6, 6};
  const SegmentPointer segments(sources, destinations);
  CHECK(segments.complete().bipartite());
  check_pairs(sources, destinations, segments.complete());
}

TEST_CASE("pairs of many graphs are counted in 64 bits", "[graph][segments][unit]") {
  const SegmentPointer segments(Pointer{0, 100000, 200000});
  const GraphView view = segments.complete();
  CHECK(view.num_edges() == 20000000000);
  CHECK(view.out_edges(199999).edge(99999) == 19999999999);
}

TEST_CASE("the rows of a view know their graphs once a pointer is attached", "[graph][segments][unit]") {
  const CsrGraph graph = test::graph_of(5, {{0, 1}, {3, 2}, {4, 4}});
  const SegmentPointer segments(Pointer{0, 2, 2, 5});
  const GraphView view = segments.attach(graph.view());
  CHECK(view.num_segments() == 3);
  CHECK(test::edges_of(view) == test::edges_of(graph));
  CHECK(view.segment_of_destination(1) == 0);
  CHECK(view.segment_of_destination(2) == 2);
  const SegmentRows rows = segment_rows(view);
  CHECK(rows.offsets == Pointer{0, 2, 2, 5});
  CHECK(rows.rows.empty());
}

TEST_CASE("rows belong to the graphs that begin at them, with segment numbers or without",
          "[graph][segments][unit]") {
  const std::vector<SegmentBegin> begins{{0, 0, 0}, {2, 2, 4}, {2, 2, 4}, {5, 5, 13}};
  const SegmentRows rows = segment_rows(GraphView::complete_segments(begins));
  CHECK(rows.offsets == Pointer{0, 2, 2, 5});
  CHECK(rows.rows.empty());
  CHECK(segment_rows(SegmentPointer().complete()).num_segments() == 0);
}

TEST_CASE("views that do not say which rows are of which graph are refused", "[graph][segments]") {
  const auto refused = [](const GraphView::Arrays& arrays) {
    return message_of([&] { segment_rows(GraphView(3, 3, false, 0, arrays)); });
  };
  GraphView::Arrays arrays;
  arrays.num_segments = 2;
  CHECK(lacking(refused(arrays), {"2 graphs", "which rows", "SegmentPointer::attach"}) == "");
  const std::vector<SegmentBegin> begins{{0, 0, 0}, {2, 2, 4}, {4, 4, 8}};
  arrays.segment_begins = begins;
  CHECK(lacking(refused(arrays), {"3 sources", "end at 4", "SegmentPointer::attach"}) == "");
  arrays.num_segments = 1;
  CHECK(lacking(refused(arrays), {"counts 1 graphs", "of 2 graphs"}) == "");
}

TEST_CASE("the rows of a graph are listed by their numbers, however a view lays them",
          "[graph][segments][unit]") {
  const std::vector<NodeId> numbers{4, 1, 3, 0};
  const std::vector<std::int32_t> graphs{1, 0, 1, 0}, sorted{0, 0, 1, 1};
  GraphView::Arrays arrays;
  arrays.node_ids = numbers;
  const auto rows = [&] { return segment_rows(GraphView(4, 4, false, 0, arrays)); };
  CHECK(rows().offsets == Pointer{0, 4});
  CHECK(rows().rows == std::vector<NodeId>{3, 1, 2, 0});
  arrays.num_segments = 2;
  arrays.segments = graphs;
  CHECK(rows().offsets == Pointer{0, 2, 4});
  CHECK(rows().rows == std::vector<NodeId>{3, 1, 2, 0});
  arrays.segments = sorted;
  CHECK(rows().rows == std::vector<NodeId>{1, 0, 3, 2});
  arrays.segments = {};
  const std::vector<SegmentBegin> begins{{0, 0, 0}, {2, 2, 4}, {4, 4, 8}};
  arrays.segment_begins = begins;
  CHECK(rows().offsets == Pointer{0, 2, 4});
  CHECK(rows().rows == std::vector<NodeId>{1, 0, 3, 2});
}

TEST_CASE("a view without a pointer names the graph of a destination by its segments",
          "[graph][segments][unit]") {
  const std::vector<std::int32_t> numbers{1, 0};
  GraphView::Arrays arrays;
  arrays.segments = numbers;
  arrays.num_segments = 2;
  CHECK(GraphView(2, 2, false, 0, arrays).segment_of_destination(0) == 1);
  CHECK(GraphView(2, 2, false, 0, {}).segment_of_destination(1) == 0);
}

TEST_CASE("ragged segment pointers are refused with the place", "[graph][segments]") {
  CHECK(lacking(refusal({}, {}), {"segment pointer", "nothing", "expected 0"}) == "");
  CHECK(lacking(refusal({1, 4}, {0, 4}), {"begins with 1"}) == "");
  CHECK(lacking(refusal({0, 4, 3}, {0, 4, 4}), {"falls from 4 to 3", "graph 1"}) == "");
  CHECK(lacking(refusal({0, 4}, {0, 2, 1}), {"falls from 2 to 1"}) == "");
  CHECK(lacking(refusal({0, 4}, {0, 2, 4}), {"1 graphs", "2"}) == "");
  const CsrGraph graph = test::graph_of(5, {});
  CHECK(lacking(message_of([&] {
                  SegmentPointer(Pointer{0, 2, 4}).attach(graph.view());
                }),
                {"ends at 4", "5"}) == "");
}

TEST_CASE("a segment pointer of two sides belongs to bipartite graphs, one of one side to the others",
          "[graph][segments]") {
  const Pointer pointer{0, 2, 5};
  const SegmentPointer one(pointer), two(pointer, pointer);
  const GraphView square = GraphView::complete(5, 5), bipartite = GraphView::complete(5, 5, true);
  CHECK(one.attach(square).num_segments() == 2);
  CHECK(two.attach(bipartite).num_segments() == 2);
  CHECK(lacking(message_of([&] { two.attach(square); }), {"segment pointer", "from one row"}) == "");
  CHECK(lacking(message_of([&] { one.attach(bipartite); }), {"segment pointer", "is bipartite"}) == "");
}
