#include "gat/graph/graph_data.hpp"

#include <limits>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;

namespace {

// 0 → 1 with two features per node and one per edge.
GraphData sound() {
  GraphData data;
  data.graph = test::graph_of(2, {{0, 1}});
  data.features.dense = test::matrix_of({{1, 0}, {0, 2}});
  data.edge_features = test::column_of({3});
  return data;
}

GraphData sparse() {
  GraphData data = sound();
  data.features.sparse = test::sparse_copy(data.features.dense);
  data.features.dense = Matrix();
  data.features.is_sparse = true;
  return data;
}

std::string refusal(const GraphData& data) {
  return message_of([&] { data.validate(); });
}

}  // namespace

TEST_CASE("graph data knows its sizes in either form", "[graph][graph_data][unit]") {
  for (const GraphData& data : {sound(), sparse()}) {
    CHECK(refusal(data).empty());
    CHECK(data.num_nodes() == 2);
    CHECK(data.num_features() == 2);
    CHECK(data.has_edge_features());
    CHECK(data.memory_bytes() > 0);
  }
  CHECK(GraphData{}.memory_bytes() >= 0);
  CHECK(refusal(GraphData{}).empty());
}

TEST_CASE("features without a row per node are refused", "[graph][graph_data][unit]") {
  GraphData data = sound();
  data.features.dense.resize(3, 2);
  CHECK(lacking(refusal(data), {"3 rows", "2 nodes"}) == "");
  CHECK_THROWS_AS(data.validate(), ShapeError);
  data = sound();
  data.edge_features.resize(2, 1);
  CHECK(lacking(refusal(data), {"edge features", "2 rows", "1 edges"}) == "");
  CHECK_THROWS_AS(data.validate(), ShapeError);
}

TEST_CASE("sparse features that contradict themselves are refused", "[graph][graph_data][unit]") {
  GraphData data = sparse();
  data.features.sparse.column_indices[1] = 2;
  CHECK(lacking(refusal(data), {"node features", "column index 2"}) == "");
}

TEST_CASE("features that are no finite numbers are refused with their place", "[graph][graph_data][unit]") {
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    GraphData data = sound();
    data.features.dense(1, 0) = bad;
    CHECK(lacking(refusal(data), {"node features: row 1, column 0"}) == "");
    CHECK_THROWS_AS(data.validate(), InputError);
    data = sparse();
    data.features.sparse.values[1] = bad;
    CHECK(lacking(refusal(data), {"node features: row 1, column 1"}) == "");
    data = sound();
    data.edge_features(0, 0) = bad;
    CHECK(lacking(refusal(data), {"edge features: row 0, column 0"}) == "");
  }
}
