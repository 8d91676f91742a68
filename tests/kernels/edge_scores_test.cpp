#include "gat/kernels/edge_scores.hpp"

#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::random_matrix;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

constexpr double kBound = 1e-5;

double number(Real x) { return static_cast<double>(x); }
// Results start at 1 where they are to be added to.
Matrix ones(Index rows, Index cols) {
  Matrix matrix(rows, cols);
  matrix.view().fill(1);
  return matrix;
}

struct Shape {
  Index heads, dim, features;
};
const Shape kShapes[] = {{1, 1, 1}, {1, 7, 3}, {8, 8, 16}, {3, 5, 17}, {20, 2, 33}};

struct Queries {
  Matrix weight, a, d_query;
  explicit Queries(const Shape& s)
      : weight(random_matrix(s.features, s.heads * s.dim, 1)),
        a(random_matrix(s.heads, s.dim, 2)),
        d_query(random_matrix(s.heads, s.features, 3)) {}
};

struct Scores {
  Matrix x, query, d_s;
  Scores(const Shape& s, Index edges)
      : x(random_matrix(edges, s.features, 4)),
        query(random_matrix(s.heads, s.features, 5)),
        d_s(random_matrix(edges, s.heads, 6)) {}
};

struct ScoreResults {
  Matrix s, d_query, d_x;
};
ScoreResults run(const Scores& n, const Execution& execution) {
  Workspace workspace;
  ScoreResults r{Matrix(n.d_s.rows(), n.d_s.cols()), ones(n.query.rows(), n.query.cols()),
                 ones(n.x.rows(), n.x.cols())};
  edge_scores(n.x, n.query, r.s, execution);
  edge_scores_backward(n.x, n.query, n.d_s, r.d_query, r.d_x, execution, workspace);
  return r;
}
ScoreResults naive(const Scores& n) {
  ScoreResults r{Matrix(n.d_s.rows(), n.d_s.cols()), ones(n.query.rows(), n.query.cols()),
                 ones(n.x.rows(), n.x.cols())};
  for (Index h = 0; h < n.query.rows(); ++h) {
    for (Index k = 0; k < n.x.cols(); ++k) {
      double d_query = 1;
      for (Index e = 0; e < n.x.rows(); ++e) d_query += number(n.d_s(e, h)) * number(n.x(e, k));
      r.d_query(h, k) = static_cast<Real>(d_query);
    }
  }
  for (Index e = 0; e < n.x.rows(); ++e) {
    for (Index h = 0; h < n.query.rows(); ++h) {
      double s = 0;
      for (Index k = 0; k < n.x.cols(); ++k) s += number(n.query(h, k)) * number(n.x(e, k));
      r.s(e, h) = static_cast<Real>(s);
    }
    for (Index k = 0; k < n.x.cols(); ++k) {
      double d_x = 1;
      for (Index h = 0; h < n.query.rows(); ++h) d_x += number(n.d_s(e, h)) * number(n.query(h, k));
      r.d_x(e, k) = static_cast<Real>(d_x);
    }
  }
  return r;
}

}  // namespace

TEST_CASE("queries of edge features agree with plain loops, forward and backward",
          "[kernels][edge_scores][reference]") {
  test::at_every_level([](SimdLevel level) {
    for (const Shape& s : kShapes) {
      const Queries n(s);
      Matrix query(s.heads, s.features), expected(query);
      Matrix d_weight = ones(s.features, s.heads * s.dim), d_a = ones(s.heads, s.dim);
      Matrix expected_weight = d_weight, expected_a = d_a;
      edge_queries(n.weight, n.a, query, level);
      edge_queries_backward(n.weight, n.a, n.d_query, d_weight, d_a, level);
      for (Index h = 0; h < s.heads; ++h) {
        for (Index d = 0; d < s.dim; ++d) {
          double sum = 1;
          for (Index k = 0; k < s.features; ++k) {
            const Index column = h * s.dim + d;
            sum += number(n.weight(k, column)) * number(n.d_query(h, k));
            expected(h, k) += n.weight(k, column) * n.a(h, d);
            expected_weight(k, column) += n.a(h, d) * n.d_query(h, k);
          }
          expected_a(h, d) = static_cast<Real>(sum);
        }
      }
      CHECK(relative_difference(query, expected) < kBound);
      CHECK(relative_difference(d_weight, expected_weight) < kBound);
      CHECK(relative_difference(d_a, expected_a) < kBound);
    }
  });
}

TEST_CASE("scores of edges agree with plain loops, forward and backward",
          "[kernels][edge_scores][reference]") {
  for (const Shape& s : kShapes) {
    for (const Index edges : {0, 1, 15, 16, 17, 300}) {
      const Scores n(s, edges);
      const ScoreResults expected = naive(n);
      test::at_every_level([&](SimdLevel level) {
        const ScoreResults r = run(n, {1, level});
        CHECK(relative_difference(r.s, expected.s) < kBound);
        CHECK(relative_difference(r.d_query, expected.d_query) < kBound);
        CHECK(relative_difference(r.d_x, expected.d_x) < kBound);
      });
    }
  }
}

TEST_CASE("scores of edges have the same bits for any number of threads, with and without d_x",
          "[kernels][edge_scores][determinism]") {
  const Scores n({3, 5, 17}, 4000);
  test::at_every_level([&](SimdLevel level) {
    const ScoreResults serial = run(n, {1, level});
    for (const int threads : test::kThreads) {
      const ScoreResults r = run(n, {threads, level});
      CHECK(same_bits(r.s, serial.s));
      CHECK(same_bits(r.d_query, serial.d_query));
      CHECK(same_bits(r.d_x, serial.d_x));
      Workspace workspace;
      Matrix d_query = ones(3, 17);
      edge_scores_backward(n.x, n.query, n.d_s, d_query, {}, {threads, level}, workspace);
      CHECK(same_bits(d_query, serial.d_query));
    }
  });
}
