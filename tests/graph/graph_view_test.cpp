#include "gat/graph/graph_view.hpp"

#include <functional>

#include "catch.hpp"
#include "graphs.hpp"

using namespace gat;

namespace {

using Opens = std::function<bool(Index destination, Index source)>;

// Every row in both directions against the pairs that the rule opens.
void check_rows(const GraphView& view, const Opens& opens) {
  const auto check_row = [&](const EdgeRow& row, Index others, const auto& open, const auto& id) {
    Index k = 0;
    for (Index other = 0; other < others; ++other) {
      if (!open(other)) continue;
      REQUIRE(k < row.count);
      CHECK(row.node(k) == other);
      CHECK(row.edge(k) == id(other));
      ++k;
    }
    CHECK(row.count == k);
    return k;
  };
  const Index sources = view.num_sources();
  Index before = 0;
  for (Index i = 0; i < view.num_destinations(); ++i) {
    CHECK(view.in_edges_before(i) == before);
    before += check_row(
        view.in_edges(i), sources, [&](Index j) { return opens(i, j); },
        [&](Index j) { return i * sources + j; });
  }
  CHECK(view.num_edges() == before);
  before = 0;
  for (Index j = 0; j < sources; ++j) {
    CHECK(view.out_edges_before(j) == before);
    before += check_row(
        view.out_edges(j), view.num_destinations(), [&](Index i) { return opens(i, j); },
        [&](Index i) { return i * sources + j; });
  }
  CHECK(view.out_edges_before(sources) == before);
}

}  // namespace

TEST_CASE("a complete graph links every source with every destination", "[graph][graph_view][reference]") {
  const auto all = [](Index, Index) { return true; };
  for (const Index n : {1, 2, 5}) check_rows(GraphView::complete(n, n), all);
  check_rows(GraphView::complete(4, 3, true), all);
  check_rows(GraphView::complete(3, 4, true), all);
}

TEST_CASE("a causal graph links each position with itself and all earlier ones",
          "[graph][graph_view][reference]") {
  for (const Index n : {1, 2, 6}) check_rows(GraphView::causal(n), [](Index i, Index j) { return j <= i; });
}

TEST_CASE("a banded graph links positions up to its width, however wide", "[graph][graph_view][reference]") {
  for (const Index n : {1, 2, 7}) {
    for (const Index width : {0, 1, 3, 6, 7, 20}) {
      INFO(n << " positions, width " << width);
      check_rows(GraphView::banded(n, width), [&](Index i, Index j) { return std::abs(i - j) <= width; });
    }
  }
}

TEST_CASE("implicit graphs equal stored ones in both directions", "[graph][graph_view][reference]") {
  for (const GraphView& view : {GraphView::complete(5, 5), GraphView::complete(2, 6, true),
                                GraphView::causal(6), GraphView::banded(7, 2)}) {
    const test::StoredTwin twin(view);
    CHECK_FALSE(view.stored());
    CHECK(twin.view().stored());
    CHECK(test::edges_of(twin.view()) == test::edges_of(view));
    CHECK(twin.view().num_edges() == view.num_edges());
    for (Index i = 0; i <= view.num_destinations(); ++i)
      CHECK(twin.view().in_edges_before(i) == view.in_edges_before(i));
    for (Index j = 0; j <= view.num_sources(); ++j)
      CHECK(twin.view().out_edges_before(j) == view.out_edges_before(j));
  }
}

TEST_CASE("edges of an implicit graph are counted in 64 bits", "[graph][graph_view][unit]") {
  const Index n = 100000;
  const GraphView complete = GraphView::complete(n, n);
  CHECK(complete.num_edges() == 10000000000);
  CHECK(complete.edge_id_bound() == 10000000000);
  CHECK(complete.in_edges(n - 1).edge(n - 1) == 9999999999);
  CHECK(complete.out_edges(n - 1).edge(n - 1) == 9999999999);
  CHECK(GraphView::causal(n).num_edges() == 5000050000);
  CHECK(GraphView::banded(n, 49999).out_edges_before(n) == n + 2 * (n * 49999 - Index(49999) * 50000 / 2));
}

TEST_CASE("global numbers of rows are their own unless arrays say otherwise", "[graph][graph_view][unit]") {
  CHECK(GraphView::causal(3).global_source(2) == 2);
  const std::vector<NodeId> sources{7, 5};
  const std::vector<NodeId> destinations{9};
  GraphView::Arrays arrays;
  arrays.node_ids = sources;
  CHECK(GraphView(2, 1, false, 0, arrays).global_destination(0) == 7);
  CHECK(GraphView(2, 1, true, 0, arrays).global_destination(0) == 0);
  arrays.destination_ids = destinations;
  CHECK(GraphView(2, 1, true, 0, arrays).global_destination(0) == 9);
  CHECK(GraphView(2, 1, true, 0, arrays).global_source(1) == 5);
}

TEST_CASE("an empty view has no edges", "[graph][graph_view][unit]") {
  CHECK(GraphView().num_edges() == 0);
  CHECK(GraphView().num_sources() == 0);
}
