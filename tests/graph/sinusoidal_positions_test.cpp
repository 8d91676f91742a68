#include "gat/graph/sinusoidal_positions.hpp"

#include <cmath>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

const std::vector<double> kPositions{0, 1, 2.5, 7, 100};

// The frequency of the pair of columns (2i, 2i + 1), by the formula.
double frequency(Index i, Index width) {
  return std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(width));
}

// Turns each pair of columns by `shift` times its frequency: sin(a + b) and cos(a + b) from those of a.
Matrix turned(const Matrix& encoding, double shift) {
  Matrix result(encoding.rows(), encoding.cols());
  for (Index i = 0; i < encoding.cols() / 2; ++i) {
    const double angle = shift * frequency(i, encoding.cols());
    const auto sine = static_cast<Real>(std::sin(angle)), cosine = static_cast<Real>(std::cos(angle));
    for (Index p = 0; p < encoding.rows(); ++p) {
      const Real s = encoding(p, 2 * i), c = encoding(p, 2 * i + 1);
      result(p, 2 * i) = s * cosine + c * sine;
      result(p, 2 * i + 1) = c * cosine - s * sine;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("position 0 is encoded by sines of 0 and cosines of 1", "[graph][positions][unit]") {
  const std::vector<double> zero{0};
  CHECK(same_bits(sinusoidal_positions(zero, 5), matrix_of({{0, 1, 0, 1, 0}})));
  CHECK(same_bits(sinusoidal_positions(zero, 4, SinusoidalLayout::concatenated), matrix_of({{0, 0, 1, 1}})));
}

TEST_CASE("an encoding of width 3 is a sine, its cosine and a slower sine", "[graph][positions][unit]") {
  const std::vector<double> one{1};
  const Matrix expected = matrix_of({{std::sin(1), std::cos(1), std::sin(std::pow(10000.0, -2.0 / 3))}});
  CHECK(relative_difference(sinusoidal_positions(one, 3), expected) < 1e-6);
}

TEST_CASE("one rotation leads from every position to the one that many steps on",
          "[graph][positions][property]") {
  for (const double shift : {1.0, 3.0, -2.0, 0.5}) {
    std::vector<double> shifted = kPositions;
    for (double& position : shifted) position += shift;
    const Matrix expected = sinusoidal_positions(shifted, 16);
    CHECK(relative_difference(turned(sinusoidal_positions(kPositions, 16), shift), expected) < 1e-6);
    CHECK(relative_difference(turned(sinusoidal_positions(kPositions, 16), shift + 0.01), expected) > 1e-3);
  }
}

TEST_CASE("the frequencies of the concatenated layout end at 1/10000", "[graph][positions][unit]") {
  const std::vector<double> position{5000};
  const Matrix encoding = sinusoidal_positions(position, 6, SinusoidalLayout::concatenated);
  CHECK(encoding(0, 1) == Approx(std::sin(50.0)).epsilon(1e-5));
  CHECK(encoding(0, 2) == Approx(std::sin(0.5)).epsilon(1e-6));
  CHECK(encoding(0, 5) == Approx(std::cos(0.5)).epsilon(1e-6));
  CHECK(sinusoidal_positions(position, 2, SinusoidalLayout::concatenated)(0, 0) ==
        Approx(std::sin(5000.0)).epsilon(1e-5));
}

TEST_CASE("sinusoidal encodings have the same bits at any number of threads",
          "[graph][positions][determinism]") {
  std::vector<double> positions;
  for (int p = 0; p < 5000; ++p) positions.push_back(p);
  const Matrix one = sinusoidal_positions(positions, 7);
  for (const int threads : {2, 3, 8})
    CHECK(same_bits(sinusoidal_positions(positions, 7, SinusoidalLayout::interleaved, threads), one));
}

TEST_CASE("widths that a sinusoidal encoding cannot have are refused", "[graph][positions][unit]") {
  CHECK_THROWS_AS(sinusoidal_positions(kPositions, 0), UsageError);
  CHECK_THROWS_AS(sinusoidal_positions(kPositions, 5, SinusoidalLayout::concatenated), UsageError);
}
