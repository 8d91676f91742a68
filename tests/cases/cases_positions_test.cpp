// Reported faults about encodings of positions.
#include <cmath>

#include "catch.hpp"
#include "gat/graph/laplacian_positions.hpp"
#include "gat/graph/random_walk_positions.hpp"
#include "graphs.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::relative_difference;
using gat::test::same_bits;

TEST_CASE("B43: return probabilities are divided by the weighted degree; isolated nodes have zeros",
          "[cases][positions]") {
  // path 0–1–2 and the isolated node 3
  const CsrGraph graph = test::graph_of(4, {{1, 0}, {0, 1}, {2, 1}, {1, 2}});
  const Matrix expected = matrix_of({{0, 0.5, 0}, {0, 1, 0}, {0, 0.5, 0}, {0, 0, 0}});
  CHECK(same_bits(random_walk_positions(graph, 3), expected));
  CHECK(same_bits(random_walk_positions(graph, 3, std::vector<Real>(4, Real(100))), expected));
  const Matrix weighted = random_walk_positions(graph, 3, std::vector<Real>{1, 1, 3, 3});
  CHECK(weighted(0, 1) == Real(0.25));
  CHECK(weighted(1, 1) == 1);
  CHECK(weighted(2, 1) == Real(0.75));
  CHECK(weighted(3, 1) == 0);
}

TEST_CASE("B44: more eigenvectors than there are become columns of zeros", "[cases][positions]") {
  const CsrGraph path = test::graph_of(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  const LaplacianPositions positions = laplacian_positions(path, 5);
  REQUIRE(positions.eigenvalues.size() == 2);
  CHECK(positions.num_skipped == 1);
  CHECK(positions.eigenvalues[0] == Approx(1));
  CHECK(positions.eigenvalues[1] == Approx(2));
  const double half = std::sqrt(0.5);
  // The sign rule: the largest component is positive, of equal ones that of the lowest node.
  const Matrix expected = matrix_of({{half, -0.5, 0, 0, 0}, {0, half, 0, 0, 0}, {-half, -0.5, 0, 0, 0}});
  CHECK(relative_difference(positions.vectors, expected) < 1e-6);
  for (Index k = 2; k < 5; ++k)
    for (Index i = 0; i < 3; ++i) CHECK(positions.vectors(i, k) == 0);
}

TEST_CASE("B44: the constant vector of every component is skipped", "[cases][positions]") {
  const CsrGraph pairs = test::graph_of(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}});
  const LaplacianPositions positions = laplacian_positions(pairs, 1);
  CHECK(positions.num_skipped == 2);
  REQUIRE(positions.eigenvalues.size() == 1);
  CHECK(positions.eigenvalues[0] == Approx(2));
  // Of the eigenvalue 2, which comes twice, any vector is alternating within each pair.
  const Matrix& v = positions.vectors;
  CHECK(v(0, 0) == Approx(-v(1, 0)).margin(1e-6));
  CHECK(v(2, 0) == Approx(-v(3, 0)).margin(1e-6));
  CHECK(v(0, 0) * v(0, 0) + v(2, 0) * v(2, 0) == Approx(0.5));
}
