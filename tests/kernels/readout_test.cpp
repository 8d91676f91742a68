#include "gat/kernels/readout.hpp"

#include <cmath>

#include "data/expectations.hpp"
#include "gat/kernels/combine.hpp"
#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::random_matrix;
using gat::test::relative_difference;

namespace {

// Segments of 700, 0, 1 and 299 rows, in order or dealt out like cards.
std::vector<std::int32_t> segment_numbers(bool in_order) {
  std::vector<std::int32_t> numbers;
  for (int r = 0; r < 1000; ++r) {
    const int at = in_order ? r : (r * 387) % 1000;
    numbers.push_back(at < 700 ? 0 : at == 700 ? 2 : 3);
  }
  return numbers;
}

SegmentRows rows_of(const std::vector<std::int32_t>& numbers, Index num_segments) {
  GraphView::Arrays arrays;
  arrays.segments = numbers;
  arrays.num_segments = num_segments;
  const auto count = static_cast<Index>(numbers.size());
  return segment_rows(GraphView(count, count, false, 0, arrays));
}

}  // namespace

TEST_CASE("rows are listed by segment in rising order", "[graph][segments][unit]") {
  CHECK(rows_of({0, 0, 2}, 3).offsets == std::vector<Index>{0, 2, 2, 3});
  CHECK(rows_of({0, 0, 2}, 3).rows.empty());
  const SegmentRows mixed = rows_of({1, 0, 1, 0}, 2);
  CHECK(mixed.rows == std::vector<NodeId>{1, 3, 0, 2});
  CHECK(segment_rows(GraphView::rows(5)).offsets == std::vector<Index>{0, 5});
  CHECK(lacking(message_of([] { rows_of({0, 3}, 3); }), {"segment 3", "0..2"}) == "");
  CHECK(lacking(message_of([] { rows_of({-1}, 1); }), {"segment -1"}) == "");
}

TEST_CASE("sums and maxima of segments, and their gradients, agree with plain loops",
          "[kernels][readout][reference]") {
  const Matrix x = random_matrix(1000, 9, 1), weights = random_matrix(1000, 1, 2),
               d_out = random_matrix(4, 9, 3);
  for (const bool in_order : {true, false}) {
    const auto numbers = segment_numbers(in_order);
    const SegmentRows segments = rows_of(numbers, 4);
    Matrix sums(4, 9), largest(4, 9), d_sums(1000, 9), d_weights(1000, 1);
    for (Index s = 0; s < 4; ++s) {
      for (Index c = 0; c < 9 && s != 1; ++c) largest(s, c) = -2;
    }
    for (Index r = 0; r < 1000; ++r) {
      const Index s = numbers[static_cast<std::size_t>(r)];
      for (Index c = 0; c < 9; ++c) {
        sums(s, c) += weights(r, 0) * x(r, c);
        largest(s, c) = std::max(largest(s, c), x(r, c));
        d_sums(r, c) = weights(r, 0) * d_out(s, c);
        d_weights(r, 0) += d_out(s, c) * x(r, c);
      }
    }
    Workspace workspace;
    Matrix out(4, 9), most(4, 9), d_x(1000, 9), products(1000, 1);
    segment_sums(x, weights, segments, out, 1, workspace);
    CHECK(relative_difference(out, sums) < 1e-5);
    segment_max(x, segments, most, 1, workspace);
    CHECK(test::same_bits(most, largest));
    segment_sums_backward(d_out, weights, segments, d_x, false, 1);
    CHECK(relative_difference(d_x, d_sums) < 1e-6);
    segment_products(x, d_out, segments, products, 1);
    CHECK(relative_difference(products, d_weights) < 1e-5);
  }
}

TEST_CASE("the gradient of a maximum goes to the first row that has it", "[kernels][readout][unit]") {
  const Matrix x = matrix_of({{1, 5}, {3, 2}, {3, 5}, {9, 9}}), out = matrix_of({{3, 5}, {9, 9}});
  const Matrix d_out = matrix_of({{10, 20}, {30, 40}});
  const SegmentRows segments = rows_of({0, 0, 0, 1}, 2);
  Matrix d_x(4, 2);
  d_x.view().fill(1);
  segment_max_backward(x, out, d_out, segments, d_x, true, 1);
  CHECK(test::same_bits(d_x, matrix_of({{1, 21}, {11, 1}, {1, 1}, {31, 41}})));
  segment_max_backward(x, out, d_out, segments, d_x, false, 1);
  CHECK(test::same_bits(d_x, matrix_of({{0, 20}, {10, 0}, {0, 0}, {30, 40}})));
}

TEST_CASE("a softmax sums to one in every segment and is not moved by large scores",
          "[kernels][readout][unit]") {
  const SegmentRows segments = rows_of({0, 1, 0}, 3);
  Matrix scores = test::column_of({1000, -50, 1000 + std::log(3.0)});
  segment_softmax(scores, segments);
  CHECK(relative_difference(scores, test::column_of({0.25, 1, 0.75})) < 1e-4);
  const Matrix exact = test::column_of({0.25, 1, 0.75});
  Matrix d = test::column_of({2, 7, 6});  // mean 0.25 · 2 + 0.75 · 6 = 5
  segment_softmax_backward(exact, d, segments);
  CHECK(relative_difference(d, test::column_of({-0.75, 0, 0.75})) < 1e-6);
}

TEST_CASE("readouts have the same bits for any number of threads", "[kernels][readout][determinism]") {
  const Matrix x = random_matrix(5000, 12, 1), d_out = random_matrix(1, 12, 2);
  const SegmentRows segments = segment_rows(GraphView::rows(5000));
  Workspace workspace;
  Matrix sums(1, 12), largest(1, 12), d_x(5000, 12);
  segment_sums(x, {}, segments, sums, 1, workspace);
  segment_max(x, segments, largest, 1, workspace);
  segment_max_backward(x, largest, d_out, segments, d_x, false, 1);
  for (const int threads : test::kThreads) {
    Matrix again(1, 12), most(1, 12), d_again(5000, 12);
    segment_sums(x, {}, segments, again, threads, workspace);
    segment_max(x, segments, most, threads, workspace);
    segment_max_backward(x, most, d_out, segments, d_again, false, threads);
    CHECK(test::same_bits(again, sums));
    CHECK(test::same_bits(most, largest));
    CHECK(test::same_bits(d_again, d_x));
  }
}

TEST_CASE("rows are copied, added, summed and compared", "[kernels][combine][unit]") {
  const Matrix a = matrix_of({{1, 5}, {2, 2}}), b = matrix_of({{3, 4}, {2, 1}}),
               d = matrix_of({{10, 20}, {30, 40}});
  const ConstMatrixView both[] = {a, b};
  Matrix out(2, 2), d_b = b;
  copy_rows(a, out, false, 1);
  copy_rows(b, out, true, 1);
  CHECK(test::same_bits(out, matrix_of({{4, 9}, {4, 3}})));
  sum_rows(both, out, 1);
  CHECK(test::same_bits(out, matrix_of({{4, 9}, {4, 3}})));
  max_rows(both, out, 1);
  CHECK(test::same_bits(out, matrix_of({{3, 5}, {2, 2}})));
  max_rows_backward(both, out, d, 1, d_b, true, 1);
  CHECK(test::same_bits(d_b, matrix_of({{13, 4}, {2, 1}})));
  max_rows_backward(both, out, d, 0, d_b, false, 1);
  CHECK(test::same_bits(d_b, matrix_of({{0, 20}, {30, 40}})));
}
