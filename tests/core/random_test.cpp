#include "gat/core/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "catch.hpp"
#include "gat/core/error.hpp"

using namespace gat;

TEST_CASE("random bits are the published sequence of SplitMix64", "[core][random][reference]") {
  // The seed whose key is 1234567, and the first numbers of the generator started there.
  const RandomStream stream(2988731921114639530ULL);
  const std::array<std::uint64_t, 5> published{6457827717110365317ULL, 3203168211198807973ULL,
                                               9817491932198370423ULL, 4593380528125082431ULL,
                                               16408922859458223821ULL};
  for (std::uint64_t k = 0; k < published.size(); ++k) CHECK(stream.bits(k) == published[k]);
}

TEST_CASE("seeds and streams keep their numbers from version to version", "[core][random][reference]") {
  // Worked out by another program from the definition in the header.
  CHECK(RandomStream(0).bits(0) == 10597403551382543892ULL);
  CHECK(RandomStream(0).bits(1) == 15655174069228407320ULL);
  CHECK(RandomStream(0).bits(1000000000000ULL) == 15430095706597158126ULL);
  const RandomStream child = RandomStream(0).derive(5);
  CHECK(child.bits(0) == 10148298900129882676ULL);
  CHECK(child.bits(1) == 17012313704715932761ULL);
  CHECK(child.uniform(0) == 0.5501403857276537);
  CHECK(child.below(0, 10) == 5);
}

TEST_CASE("different seeds and tags give different numbers", "[core][random][property]") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t s = 0; s < 30; ++s) {
    for (std::uint64_t tag = 0; tag < 30; ++tag) {
      for (std::uint64_t k = 0; k < 3; ++k) seen.insert(RandomStream(s).derive(tag).bits(k));
    }
    seen.insert(RandomStream(s).bits(0));
  }
  CHECK(seen.size() == 30 * (30 * 3 + 1));
  CHECK(RandomStream(1).derive(2).derive(3).bits(0) != RandomStream(1).derive(3).derive(2).bits(0));
}

TEST_CASE("uniform numbers lie in [0, 1) and fill it evenly", "[core][random][property]") {
  const RandomStream stream(3);
  std::array<int, 10> tenths{};
  for (std::uint64_t k = 0; k < 100000; ++k) {
    const double u = stream.uniform(k);
    REQUIRE((u >= 0 && u < 1));
    ++tenths[static_cast<std::size_t>(u * 10)];
  }
  for (const int count : tenths) CHECK(std::abs(count - 10000) < 400);  // four standard deviations
}

TEST_CASE("whole numbers below a bound are all reached and equally often", "[core][random][property]") {
  const RandomStream stream(4);
  std::array<int, 7> counts{};
  for (std::uint64_t k = 0; k < 70000; ++k) {
    const std::uint64_t n = stream.below(k, 7);
    REQUIRE(n < 7);
    ++counts[n];
  }
  for (const int count : counts) CHECK(std::abs(count - 10000) < 400);
  for (std::uint64_t k = 0; k < 100; ++k) CHECK(stream.below(k, 1) == 0);
}

TEST_CASE("normal numbers have mean 0 and variance 1", "[core][random][property]") {
  const RandomStream stream(5);
  double sum = 0;
  double squares = 0;
  for (std::uint64_t k = 0; k < 100000; ++k) {
    const double x = stream.normal(k);
    REQUIRE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  CHECK(std::abs(sum / 100000) < 0.013);
  CHECK(std::abs(squares / 100000 - 1) < 0.018);
}

TEST_CASE("shuffling keeps every id and is decided by the stream", "[core][random][property]") {
  std::vector<NodeId> first(100);
  std::iota(first.begin(), first.end(), NodeId(0));
  std::vector<NodeId> same = first;
  std::vector<NodeId> other = first;
  const std::vector<NodeId> sorted = first;
  RandomStream(1).shuffle(first);
  RandomStream(1).shuffle(same);
  RandomStream(2).shuffle(other);
  CHECK(first == same);
  CHECK(first != other);
  CHECK(std::is_permutation(first.begin(), first.end(), sorted.begin()));
  CHECK(first != sorted);
}

TEST_CASE("dropout drops the asked share and keeps the mean", "[core][dropout][property]") {
  for (const double p : {0.1, 0.5, 0.6, 0.9}) {
    const DropoutMask mask(RandomStream(6), p);
    CHECK(mask.scale() == Approx(1 / (1 - p)).epsilon(1e-3));
    int dropped = 0;
    double sum = 0;
    for (std::uint64_t k = 0; k < 100000; ++k) {
      const Real factor = mask.factor(k);
      REQUIRE((factor == 0 || factor == mask.scale()));
      dropped += factor == 0;
      sum += static_cast<double>(factor);
    }
    const double deviation = std::sqrt(p * (1 - p) / 100000);
    CHECK(std::abs(dropped / 100000.0 - p) < 4 * deviation);
    CHECK(std::abs(sum / 100000 - 1) < 4 * deviation / (1 - p));
  }
}

TEST_CASE("the mask of an element does not depend on which others are asked for",
          "[core][dropout][property]") {
  const DropoutMask mask(RandomStream(7), 0.5);
  const DropoutMask copy = mask;
  std::vector<Real> forward;
  for (std::uint64_t k = 0; k < 64; ++k) forward.push_back(mask.factor(k));
  for (std::uint64_t k = 64; k-- > 0;) CHECK(copy.factor(k) == forward[k]);
  CHECK(DropoutMask(RandomStream(7), 0.5).factor(2559999999ULL) == mask.factor(2559999999ULL));
}

TEST_CASE("reading a mask in any order gives its factors", "[core][dropout][property]") {
  const DropoutMask mask(RandomStream(8), 0.5);
  DropoutReader reader(mask);
  for (const std::uint64_t step : {1U, 3U, 4U, 17U}) {
    for (std::uint64_t k = 0; k < 200; k += step) CHECK(reader.factor(k) == mask.factor(k));
    for (std::uint64_t k = 200; k-- > 0;) CHECK(reader.factor(k) == mask.factor(k));
  }
  CHECK(reader.factor(~std::uint64_t(0)) == mask.factor(~std::uint64_t(0)));
  CHECK(DropoutReader(DropoutMask()).factor(3) == 1);
}

TEST_CASE("a mask with probability 0 is not active and drops nothing", "[core][dropout][unit]") {
  CHECK_FALSE(DropoutMask().active());
  CHECK_FALSE(DropoutMask(RandomStream(1), 0).active());
  CHECK(DropoutMask(RandomStream(1), 0).factor(5) == 1);
  const DropoutMask nearly_all(RandomStream(1), 0.9999999);
  CHECK(nearly_all.scale() == 65536);
}

TEST_CASE("drop probabilities outside [0, 1) are refused", "[core][dropout][unit]") {
  for (const double p : {-0.1, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(DropoutMask(RandomStream(1), p), UsageError);
  }
}
