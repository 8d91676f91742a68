// Encodings of positions as part of a model.
#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/graph/positions.hpp"
#include "io/temporary_folder.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::predict;
using gat::test::random_data;
using gat::test::same_bits;

namespace {

Model model_with_positions() {
  ModelDescription d = test::small_description(4 + 7);
  d.positions = parse_position_encodings("laplacian:2,random_walk:3,sinusoidal:2");
  return Model(d, test::random_weights(Network(d.network)));
}

// The rows of features as dense numbers.
Matrix dense_copy(FeatureView rows) {
  if (!rows.is_sparse()) return Matrix(rows.dense);
  Matrix matrix(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (auto e = static_cast<std::size_t>(rows.sparse.row_offsets[at]);
         e < static_cast<std::size_t>(rows.sparse.row_offsets[at + 1]); ++e)
      matrix(i, rows.sparse.column_indices[e]) = rows.sparse.values[e];
  }
  return matrix;
}

}  // namespace

TEST_CASE("columns are put behind dense and sparse features alike", "[nn][positions][unit]") {
  Features dense;
  dense.dense = matrix_of({{1, 0}, {0, 2}});
  Features sparse;
  sparse.sparse = test::sparse_copy(dense.dense);
  sparse.is_sparse = true;
  const Matrix columns = matrix_of({{0.5, 0}, {0, -3}});
  const Matrix expected = matrix_of({{1, 0, 0.5, 0}, {0, 2, 0, -3}});
  CHECK(same_bits(with_columns(dense, columns).dense, expected));
  const Features joined = with_columns(sparse, columns);
  CHECK(joined.is_sparse);
  CHECK(joined.sparse.num_entries() == 4);
  CHECK(same_bits(dense_copy(joined.view()), expected));
}

TEST_CASE("positions are computed on the model's graph and not transformed", "[nn][positions][unit]") {
  const GraphData data = random_data(30, 4);
  const Model model = model_with_positions();
  const PreparedGraph graph = model.prepare(data, Reorder::off, 2);
  const Matrix features = dense_copy(graph.features());
  REQUIRE(features.cols() == 11);
  const ConstMatrixView view = features;
  CHECK(same_bits(view.columns(0, 4), apply(InputTransform::row_normalize, data.features).dense));
  CHECK(same_bits(view.columns(4, 7), encode_positions(graph.graph(), model.description().positions)));
}

TEST_CASE("a loaded model has the same positions, to the bit", "[nn][positions][model_file]") {
  const TemporaryFolder folder;
  const GraphData data = random_data(30, 4);
  const Model model = model_with_positions();
  model.save(folder / "model.safetensors");
  const Model loaded = Model::load(folder / "model.safetensors");
  CHECK(loaded.description().positions == model.description().positions);
  CHECK(same_bits(predict(loaded, data), predict(model, data)));
}

TEST_CASE("chosen nodes have the positions of the whole graph", "[nn][positions]") {
  const GraphData data = random_data(60, 4);
  const Model model = model_with_positions();
  const PreparedGraph graph = model.prepare(data);
  Workspace workspace;
  const Matrix all = model.class_logits(graph, workspace);
  const std::vector<NodeId> nodes{41, 3};
  CHECK(same_bits(model.class_logits(graph, nodes, workspace), test::rows_of(all, nodes)));
}

TEST_CASE("widths that do not fit the positions are refused", "[nn][positions]") {
  CHECK_THROWS_WITH(model_with_positions().prepare(random_data(10, 11)),
                    Catch::Contains("for 4 node features"));
  ModelDescription d = test::small_description(4);
  d.positions = parse_position_encodings("laplacian:5");
  CHECK_THROWS_AS(Model(d, test::random_weights(Network(d.network))), UsageError);
}
