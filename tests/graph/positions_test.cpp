#include "gat/graph/positions.hpp"

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/graph/laplacian_positions.hpp"
#include "gat/graph/random_walk_positions.hpp"
#include "gat/graph/sinusoidal_positions.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::same_bits;

namespace {

using Encodings = std::vector<PositionEncoding>;

constexpr const char* kAll = "sinusoidal:5,sinusoidal_concatenated:4,laplacian:3,random_walk:6";

}  // namespace

TEST_CASE("encodings are named with their width, in both directions", "[graph][positions][unit]") {
  const Encodings encodings = parse_position_encodings(kAll);
  CHECK(encodings == Encodings{{PositionKind::sinusoidal, 5},
                               {PositionKind::sinusoidal_concatenated, 4},
                               {PositionKind::laplacian, 3},
                               {PositionKind::random_walk, 6}});
  CHECK(describe(encodings) == kAll);
  CHECK(position_width(encodings) == 18);
  CHECK(parse_position_encodings("").empty());
  CHECK(describe({}).empty());
  for (const std::string_view name : position_kind_names()) CHECK(name_of(position_kind_named(name)) == name);
  CHECK(position_kind_names().size() == encodings.size());
}

TEST_CASE("a text that names no encoding is refused with what was expected", "[graph][positions][unit]") {
  CHECK_THROWS_WITH(parse_position_encodings("laplace:8"), Catch::Contains("laplacian"));
  for (const char* text : {"laplacian", "laplacian:", "laplacian:0", "laplacian:-1", "laplacian:8x",
                           "laplacian:1000000000000", "laplacian:99999999999999999999"})
    CHECK_THROWS_WITH(parse_position_encodings(text), Catch::Contains("NAME:WIDTH"));
  CHECK_THROWS_AS(parse_position_encodings("laplacian:8,"), UsageError);
  CHECK_THROWS_AS(parse_position_encodings(",laplacian:8"), UsageError);
  CHECK_THROWS_AS(parse_position_encodings("sinusoidal_concatenated:3"), UsageError);
}

TEST_CASE("encodings stand side by side", "[graph][positions][unit]") {
  const CsrGraph graph = test::random_graph(20, 60, 1);
  std::vector<double> numbers;
  for (int i = 0; i < 20; ++i) numbers.push_back(i);
  const Matrix all = encode_positions(graph, parse_position_encodings(kAll), 2);
  const ConstMatrixView view = all;
  CHECK(same_bits(view.columns(0, 5), sinusoidal_positions(numbers, 5)));
  CHECK(same_bits(view.columns(5, 4), sinusoidal_positions(numbers, 4, SinusoidalLayout::concatenated)));
  CHECK(same_bits(view.columns(9, 3), laplacian_positions(graph, 3).vectors));
  CHECK(same_bits(view.columns(12, 6), random_walk_positions(graph, 6)));
}

TEST_CASE("self-loops that a policy added are no steps of a walk", "[graph][positions][unit]") {
  const EdgeList list = test::edge_list({{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}});
  const CsrGraph plain = build_graph(list, 4, test::kAsGiven).graph;
  const CsrGraph looped = build_graph(list, 4, {.self_loops = SelfLoops::add_missing}).graph;
  REQUIRE(looped.num_edges() > plain.num_edges());
  const Encodings encodings = parse_position_encodings("random_walk:4,laplacian:4");
  CHECK(same_bits(encode_positions(looped, encodings), encode_positions(plain, encodings)));
  // The user's own loop is one.
  CHECK(encode_positions(plain, encodings)(2, 0) == Real(0.5));
}
