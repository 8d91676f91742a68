#include "gat/graph/graph_builder.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "graphs.hpp"

using namespace gat;
using gat::test::edge_list;
using gat::test::Edges;
using gat::test::edges_of;
using gat::test::kAsGiven;

namespace {

using Ids = std::vector<EdgeId>;
using Lines = std::vector<std::string>;

Ids ids(std::span<const EdgeId> span) { return {span.begin(), span.end()}; }

BuiltGraph built(Index nodes, const Edges& edges, const GraphPolicy& policy) {
  return build_graph(edge_list(edges), nodes, policy);
}

GraphPolicy loops(SelfLoops policy) { return {.self_loops = policy, .duplicates = Duplicates::keep}; }
GraphPolicy symmetrized(Duplicates duplicates = Duplicates::merge) {
  return {.direction = Direction::symmetrize, .self_loops = SelfLoops::as_given, .duplicates = duplicates};
}

//  ⟲0 ← 1 → 2    user edges: 0 the loop, 1 → 0, 1 → 2
const Edges kWithLoop{{0, 0}, {1, 0}, {1, 2}};

}  // namespace

TEST_CASE("rows keep the order of the list, added loops come last", "[graph][builder][unit]") {
  //  2 → 0 ⇄ 1
  const CsrGraph graph = built(3, {{2, 0}, {1, 0}, {0, 1}}, GraphPolicy{}).graph;
  CHECK(edges_of(graph) == Edges{{2, 0}, {1, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 2}});
  CHECK(ids(graph.user_edge_ids()) == Ids{0, 1, kNone, 2, kNone, kNone});
  CHECK(ids(graph.edge_of_user()) == Ids{0, 1, 3});
  CHECK(graph.reverse_edge_of_user().empty());
  CHECK(graph.in_degree(0) == 3);
  CHECK(graph.out_degree(0) == 2);
  CHECK(graph.num_user_edges() == 3);
}

TEST_CASE("loops as given are ordinary edges", "[graph][builder][loops][unit]") {
  const auto [graph, report] = built(3, kWithLoop, loops(SelfLoops::as_given));
  CHECK(edges_of(graph) == Edges{{0, 0}, {1, 0}, {1, 2}});
  CHECK(report.num_self_loops == 1);
  CHECK(report.num_isolated == 1);
  CHECK(report.num_edges == 3);
}

TEST_CASE("removed loops leave no edge behind", "[graph][builder][loops][unit]") {
  const auto [graph, report] = built(3, kWithLoop, loops(SelfLoops::remove));
  CHECK(edges_of(graph) == Edges{{1, 0}, {1, 2}});
  CHECK(ids(graph.edge_of_user()) == Ids{kNone, 0, 1});
  CHECK(report.num_self_loops_removed == 1);
}

TEST_CASE("missing loops are added, the user's loops stay", "[graph][builder][loops][unit]") {
  const auto [graph, report] = built(3, kWithLoop, loops(SelfLoops::add_missing));
  CHECK(edges_of(graph) == Edges{{0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 2}});
  CHECK(ids(graph.user_edge_ids()) == Ids{0, 1, kNone, 2, kNone});
  CHECK(report.num_self_loops_added == 2);
  CHECK(report.num_isolated == 0);
}

TEST_CASE("replaced loops are all new and last", "[graph][builder][loops][unit]") {
  const auto [graph, report] = built(3, kWithLoop, loops(SelfLoops::replace));
  CHECK(edges_of(graph) == Edges{{1, 0}, {0, 0}, {1, 1}, {1, 2}, {2, 2}});
  CHECK(ids(graph.user_edge_ids()) == Ids{1, kNone, kNone, 2, kNone});
  CHECK(ids(graph.edge_of_user()) == Ids{kNone, 0, 3});
  CHECK(report.num_self_loops_removed == 1);
  CHECK(report.num_self_loops_added == 3);
}

TEST_CASE("only nodes without in-edges get a loop when asked so", "[graph][builder][loops][unit]") {
  const auto [graph, report] = built(3, kWithLoop, loops(SelfLoops::only_isolated));
  CHECK(edges_of(graph) == Edges{{0, 0}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(report.num_self_loops_added == 1);
}

TEST_CASE("making a graph symmetric adds missing reverses once", "[graph][builder][direction][unit]") {
  //  0 ⇄ 1 → 2
  const Edges one_way{{0, 1}, {1, 0}, {1, 2}};
  const auto [graph, report] = built(3, one_way, symmetrized());
  CHECK(edges_of(graph) == Edges{{1, 0}, {0, 1}, {2, 1}, {1, 2}});
  CHECK(ids(graph.user_edge_ids()) == Ids{1, 0, 2, 2});
  CHECK(graph.is_reversed(2));
  CHECK_FALSE(graph.is_reversed(3));
  CHECK(ids(graph.edge_of_user()) == Ids{1, 0, 3});
  CHECK(ids(graph.reverse_edge_of_user()) == Ids{kNone, kNone, 2});
  CHECK(report.num_reversed_added == 1);
  CHECK(edges_of(rebuild_graph(graph, symmetrized()).graph) == edges_of(graph));
  CHECK(built(3, edges_of(graph), symmetrized()).graph.num_edges() == 4);
}

TEST_CASE("each of two equal one-way edges has a reverse copy, merged or kept",
          "[graph][builder][direction][unit]") {
  const Edges twice{{0, 1}, {0, 1}};
  const CsrGraph kept = built(2, twice, symmetrized(Duplicates::keep)).graph;
  CHECK(edges_of(kept) == Edges{{1, 0}, {1, 0}, {0, 1}, {0, 1}});
  CHECK(ids(kept.reverse_edge_of_user()) == Ids{0, 1});
  const CsrGraph merged = built(2, twice, symmetrized()).graph;
  CHECK(edges_of(merged) == Edges{{1, 0}, {0, 1}});
  CHECK(ids(merged.edge_of_user()) == Ids{1, 1});
  CHECK(ids(merged.reverse_edge_of_user()) == Ids{0, 0});
}

TEST_CASE("loops have no reverse copy", "[graph][builder][direction][unit]") {
  const auto [graph, report] = built(1, {{0, 0}}, symmetrized());
  CHECK(graph.num_edges() == 1);
  CHECK(report.num_one_way == 0);
}

TEST_CASE("duplicates are merged to the lowest user edge, or kept", "[graph][builder][duplicates][unit]") {
  const Edges edges{{1, 0}, {2, 0}, {1, 0}, {0, 0}, {0, 0}};
  const auto [merged, report] = built(3, edges, {.self_loops = SelfLoops::as_given});
  CHECK(edges_of(merged) == Edges{{1, 0}, {2, 0}, {0, 0}});
  CHECK(ids(merged.user_edge_ids()) == Ids{0, 1, 3});
  CHECK(ids(merged.edge_of_user()) == Ids{0, 1, 0, 2, 2});
  CHECK(report.num_duplicates == 2);
  CHECK(report.num_merged == 2);
  const auto [kept, report_of_kept] = built(3, edges, kAsGiven);
  CHECK(edges_of(kept) == edges);
  CHECK(report_of_kept.num_duplicates == 2);
  CHECK(report_of_kept.num_merged == 0);
}

TEST_CASE("edges without both ends are refused by number, or dropped and counted",
          "[graph][builder][dangling][unit]") {
  for (const auto& bad : Edges{{0, 2}, {2, 0}, {-1, 0}, {0, -1}}) {
    const Edges edges{{0, 1}, bad, {1, 0}};
    CHECK_THROWS_AS(built(2, edges, GraphPolicy{}), InputError);
    CHECK(lacking(message_of([&] { built(2, edges, GraphPolicy{}); }),
                  {"edge 1: ", "outside 0..1", "drop"}) == "");
    const auto [graph, report] =
        built(2, edges, {.self_loops = SelfLoops::as_given, .dangling = Dangling::drop});
    CHECK(edges_of(graph) == Edges{{1, 0}, {0, 1}});
    CHECK(ids(graph.edge_of_user()) == Ids{1, kNone, 0});
    CHECK(report.num_dangling == 1);
    CHECK(report.num_given == 3);
  }
}

TEST_CASE("lists that are no lists of edges are refused", "[graph][builder][unit]") {
  EdgeList uneven;
  uneven.sources = {0, 1};
  uneven.destinations = {1};
  CHECK_THROWS_AS(build_graph(uneven, 2, GraphPolicy{}), ShapeError);
  CHECK_THROWS_AS(build_graph(EdgeList{}, -1, GraphPolicy{}), UsageError);
  CHECK(build_graph(EdgeList{}, 0, GraphPolicy{}).graph.num_edges() == 0);
}

TEST_CASE("the report says in words what was found and done", "[graph][builder][report][unit]") {
  const Edges edges{{1, 0}, {1, 0}, {2, 2}, {1, 2}, {0, 9}};
  GraphPolicy policy{.self_loops = SelfLoops::replace, .dangling = Dangling::drop};
  CHECK(built(4, edges, policy).report.lines(policy) ==
        Lines{"1 dangling edge, dropped", "1 duplicate edge, merged", "1 given self-loop removed",
              "2 of 2 edges have no reverse", "4 self-loops added"});
  policy = {Direction::symmetrize, SelfLoops::as_given, Duplicates::keep, Dangling::drop};
  CHECK(built(4, edges, policy).report.lines(policy) ==
        Lines{"1 dangling edge, dropped", "1 duplicate edge, kept", "3 reverse edges added",
              "1 node without in-edges: output is the bias plus the residual"});
  CHECK(built(1, {{0, 0}}, kAsGiven).report.lines(kAsGiven).empty());
}

TEST_CASE("one-way edges are reported only where the direction is as given",
          "[graph][builder][report][unit]") {
  const Edges edges{{0, 1}, {1, 0}, {1, 2}};
  CHECK(built(3, edges, kAsGiven).report.lines(kAsGiven) == Lines{"1 of 3 edges has no reverse"});
  CHECK(built(3, edges, symmetrized()).report.lines(symmetrized()) == Lines{"1 reverse edge added"});
}

TEST_CASE("policies have names, and unknown names answer with the known ones",
          "[graph][builder][names][unit]") {
  for (const char* name : {"as-given", "symmetrize"}) CHECK(name_of(direction_named(name)) == name);
  for (const char* name : {"as-given", "remove", "add-missing", "replace", "only-isolated"}) {
    CHECK(name_of(self_loops_named(name)) == name);
  }
  for (const char* name : {"merge", "keep"}) CHECK(name_of(duplicates_named(name)) == name);
  for (const char* name : {"error", "drop"}) CHECK(name_of(dangling_named(name)) == name);
  for (const char* name : {"mean", "sum", "min", "max", "product", "constant"})
    CHECK(name_of(loop_fill_named(name)) == name);
  CHECK_THROWS_AS(self_loops_named("add"), UsageError);
  CHECK(lacking(message_of([] { self_loops_named("add-mising"); }),
                {"self-loop policy", "did you mean \"add-missing\"", "only-isolated"}) == "");
}
