#include "gat/core/csr_matrix.hpp"

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::sparse_copy;

namespace {

// 0 1 2
// 3 0 0
CsrMatrix small() { return {2, 3, {0, 2, 3}, {1, 2, 0}, {1, 2, 3}}; }

std::string refusal(const CsrMatrix& matrix) {
  try {
    validate(matrix.view(), "features");
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a sound sparse matrix is accepted, also without rows or columns", "[core][csr][unit]") {
  CHECK(refusal(small()).empty());
  CHECK(refusal(CsrMatrix{}).empty());
  CHECK(refusal({3, 0, {0, 0, 0, 0}, {}, {}}).empty());
  CHECK(small().num_entries() == 3);
}

TEST_CASE("sparse arrays that contradict each other are refused by name", "[core][csr][unit]") {
  CsrMatrix m = small();
  m.row_offsets.pop_back();
  CHECK_THAT(refusal(m), Catch::Contains("features: 2 row offsets for 2 rows"));
  m = small();
  m.row_offsets[0] = 1;
  CHECK_THAT(refusal(m), Catch::Contains("run from 1 to 3"));
  m = small();
  m.row_offsets[2] = 2;
  CHECK_THAT(refusal(m), Catch::Contains("3 column indices"));
  m = small();
  m.values.push_back(1);
  CHECK_THAT(refusal(m), Catch::Contains("4 values"));
  m = small();
  m.row_offsets = {0, 4, 3};
  CHECK_THAT(refusal(m), Catch::Contains("fall after row 1"));
}

TEST_CASE("columns outside a sparse matrix are refused", "[core][csr][unit]") {
  for (const NodeId column : {NodeId(-1), NodeId(3)}) {
    CsrMatrix m = small();
    m.column_indices[1] = column;
    CHECK_THAT(refusal(m), Catch::Contains("column index " + std::to_string(column) + " is outside 0..2"));
  }
}

TEST_CASE("feature rows have one shape whether they are dense, sparse or chosen", "[core][features][unit]") {
  const Matrix dense = matrix_of({{0, 1, 2}, {3, 0, 0}});
  const CsrMatrix sparse = small();
  const std::vector<NodeId> ids{1, 0, 1};
  for (FeatureView view : {FeatureView(dense), FeatureView(sparse.view())}) {
    CHECK_FALSE(view.empty());
    CHECK(view.rows() == 2);
    CHECK(view.cols() == 3);
    CHECK(view.stored_row(1) == 1);
    view.row_ids = ids;
    CHECK(view.rows() == 3);
    CHECK(view.stored_row(0) == 1);
  }
  CHECK(FeatureView().empty());
  CHECK(FeatureView(sparse.view()).is_sparse());
  CHECK_FALSE(FeatureView(dense).is_sparse());
}

TEST_CASE("the first rows of features are a view of the same form", "[core][features][unit]") {
  const Matrix dense = matrix_of({{0, 1, 2}, {3, 0, 0}});
  const CsrMatrix sparse = small();
  const std::vector<NodeId> ids{1, 0, 1};
  CHECK(first_rows(FeatureView(dense), 1).rows() == 1);
  const FeatureView first = first_rows(FeatureView(sparse.view()), 1);
  CHECK(first.rows() == 1);
  CHECK(first.sparse.row_offsets.size() == 2);
  FeatureView chosen(dense);
  chosen.row_ids = ids;
  CHECK(first_rows(chosen, 2).rows() == 2);
  CHECK(first_rows(chosen, 2).stored_row(0) == 1);
}

TEST_CASE("features are one of two forms", "[core][features][unit]") {
  Features features;
  features.dense = matrix_of({{1, 0}});
  CHECK(features.rows() == 1);
  CHECK(features.cols() == 2);
  features.sparse = sparse_copy(matrix_of({{1, 0, 0}, {0, 0, 1}}));
  features.is_sparse = true;
  CHECK(features.rows() == 2);
  CHECK(features.cols() == 3);
  CHECK(features.view().is_sparse());
}
