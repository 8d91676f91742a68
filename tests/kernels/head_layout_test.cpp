#include "gat/kernels/head_layout.hpp"

#include <vector>

#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;

TEST_CASE("every feature of every head has a column of its own", "[kernels][head_layout][unit]") {
  test::for_head_shapes([](int heads, Index dim) {
    const HeadLayout layout(heads, dim);
    CHECK(layout.width() % kLanes == 0);
    CHECK(layout.score_width() >= heads);
    std::vector<int> uses(static_cast<std::size_t>(layout.width()), 0);
    for (Index h = 0; h < heads; ++h) {
      for (Index d = 0; d < dim; ++d) ++uses.at(static_cast<std::size_t>(layout.column(h, d)));
    }
    CHECK(std::count(uses.begin(), uses.end(), 1) == heads * dim);
    CHECK(std::count(uses.begin(), uses.end(), 0) == layout.width() - heads * dim);
    Index in_groups = 0;
    for (Index group = 0; group < layout.num_groups; ++group) in_groups += layout.heads_in(group);
    CHECK(in_groups == heads);
  });
}

TEST_CASE("heads that are interleaved and joined again are the same, and padding is zero",
          "[kernels][head_layout][unit]") {
  test::for_head_shapes([](int heads, Index dim) {
    const HeadLayout layout(heads, dim);
    const Matrix joined = test::random_matrix(1, layout.joined(), 3);
    Matrix row(1, layout.width()), back(1, layout.joined());
    row.view().fill(99);
    interleave_heads(layout, joined.data(), row.data());
    join_heads(layout, row.data(), back.data());
    CHECK(test::same_bits(back, joined));
    for (Index h = 0; h < heads; ++h) {
      for (Index d = 0; d < dim; ++d) row(0, layout.column(h, d)) = 0;
    }
    CHECK(test::same_bits(row, Matrix(1, layout.width())));
  });
}

TEST_CASE("rows of H·D numbers stay within 16 numbers per feature or vector",
          "[kernels][head_layout][unit]") {
  // 8 heads of 8: no padding. 3 heads of 5: four lanes, 20 columns, rounded up. 17 heads: two groups of 16.
  CHECK(HeadLayout(8, 8).width() == 64);
  CHECK(HeadLayout(3, 5).lanes == 4);
  CHECK(HeadLayout(3, 5).width() == 32);
  CHECK(HeadLayout(1, 7).width() == 16);
  CHECK(HeadLayout(17, 3).num_groups == 2);
  CHECK(HeadLayout(17, 3).width() == 96);
  CHECK(HeadLayout(17, 3).column(16, 1) == 48 + 16);
  CHECK(HeadLayout(17, 3).heads_in(1) == 1);
}
