// What the program's benchmarks are made of: rounds, medians, limits, and loops that do what they count.
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bench/huge_buffer.hpp"
#include "bench/limits.hpp"
#include "bench/loops.hpp"
#include "bench/peers/products.hpp"
#include "bench/rounds.hpp"
#include "bench/team.hpp"
#include "catch.hpp"

using namespace gat;
using namespace gat::app;

TEST_CASE("the median is the middle number, or the mean of two", "[program][bench]") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7);
}

TEST_CASE("ratios are formed round by round", "[program][bench]") {
  // The machine was half as fast in the second round: its ratio stays.
  const std::vector<double> limits{1, 2, 1};
  const std::vector<double> seconds{2, 4, 4};
  CHECK(ratios(limits, seconds) == std::vector<double>{0.5, 0.5, 0.25});
}

TEST_CASE("rounds interleave what they measure, after a warm-up", "[program][bench]") {
  std::string order;
  // Longer than what is repeated within a round.
  const auto slow = [&](char name) {
    return [&order, name] {
      order += name;
      std::this_thread::sleep_for(std::chrono::milliseconds(12));
    };
  };
  const Measurement measurements[] = {{"a", slow('a')}, {"b", slow('b')}};
  std::vector<int> rounds;
  const RoundSeconds seconds = run_rounds(measurements, 2, [&](int round) {
    rounds.push_back(round);
    order += '|';
  });
  CHECK(rounds == std::vector<int>{0, 1, 2});
  CHECK(order.substr(order.find('|', 1)) == "|ab|ab");
  REQUIRE(seconds.size() == 2);
  CHECK(seconds[0].size() == 2);
}

TEST_CASE("what is short is repeated within a round", "[program][bench]") {
  int calls = 0;
  const Measurement measurement{"short", [&] { ++calls; }};
  run_rounds({&measurement, 1}, 1, [](int) {});
  CHECK(calls > 1000);
}

TEST_CASE("a team runs every thread once and can be used again", "[program][bench]") {
  for (const int size : {1, 2, 5}) {
    Team team(size);
    std::vector<int> calls(static_cast<std::size_t>(size));
    for (int k = 0; k < 200; ++k) team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    CHECK(calls == std::vector<int>(static_cast<std::size_t>(size), 200));
  }
}

TEST_CASE("a limit has one part for each kind of work", "[program][bench]") {
  const BenchGraph graph{"g", {}};
  Work work;
  CHECK_FALSE(work.known());
  work.flop = 1;
  work.streamed_bytes = 2;
  work.gathered = {{&graph, 8, 3}};
  const std::vector<LimitPart> parts = limit_parts(work, 2);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].yardstick == YardstickKey{Rate::multiply_add, 2});
  CHECK(parts[1].yardstick == YardstickKey{Rate::triad, 2});
  CHECK(parts[2].yardstick == YardstickKey{Rate::gather, 2, &graph, 8});
  CHECK(parts[2].amount == 3);
}

namespace {

// Numbers by which sums of gathered rows differ from the plain ones. Degrees are 0, 1, … 7 over 9 sources.
int wrong_sums(const Loops& loops, int stride, int distance, bool to_second) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  for (int row = 0; row < 8; ++row) {
    for (int k = 0; k < row; ++k) columns.push_back((3 * row + k) % 9);
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  columns.resize(columns.size() + kColumnPadding);
  HugeBuffer rows(9 * stride), sums(8 * stride);
  for (int k = 0; k < 9 * stride; ++k) rows.data()[k] = static_cast<float>(k % 101);
  loops.gather(
      {offsets.data(), columns.data(), 0, 8, rows.data(), stride, sums.data(), stride, distance, to_second});
  int wrong = 0;
  for (int k = 0; k < 8 * stride; ++k) {
    const auto row = static_cast<std::size_t>(k / stride);
    float expected = 0;
    for (auto e = offsets[row]; e < offsets[row + 1]; ++e)
      expected += rows.data()[columns[static_cast<std::size_t>(e)] * stride + k % stride];
    wrong += sums.data()[k] != expected;
  }
  return wrong;
}

}  // namespace

TEST_CASE("the gathering loop sums the rows of each destination at every level", "[program][bench]") {
  for (const Loops* loops : available_loops()) {
    for (const int stride : {1, 2, 4, 8, 16, 48, 64, 112, 256, 272, 1024}) {
      for (const int distance : {0, 4, 96}) {
        for (const bool to_second : {false, true}) {
          INFO(loops->name << ", stride " << stride << ", distance " << distance << ", into the second cache "
                           << to_second);
          CHECK(wrong_sums(*loops, stride, distance, to_second) == 0);
        }
      }
    }
  }
}

TEST_CASE("triad and reading loops touch every number at every level", "[program][bench]") {
  HugeBuffer a(1024), b(1024), c(1024);
  std::iota(b.data(), b.data() + 1024, 0.0F);
  std::fill(c.data(), c.data() + 1024, 2.0F);
  for (const Loops* loops : available_loops()) {
    INFO(loops->name);
    for (const bool other : {false, true}) {
      std::fill(a.data(), a.data() + 1024, 0.0F);
      loops->triad(a.data(), b.data(), c.data(), 3, 1024, other);
      CHECK(a.data()[1023] == 1029);
      CHECK(std::accumulate(a.data(), a.data() + 1024, 0.0F) == 1024 * 6 + 1023 * 512);
      alignas(64) float sums[64] = {};
      loops->read(c.data(), 1024, 3, other, sums);
      CHECK(std::accumulate(sums, sums + 64, 0.0F) == 3 * 2 * 1024);
    }
    alignas(64) float sink[16] = {0.5F, 1.0F};
    CHECK(loops->multiply_add(20, sink) == 2 * loops->multiply_add(10, sink));
  }
}

TEST_CASE("products of other libraries multiply what they are given", "[program][bench]") {
  // (1 2 3; 4 5 6) times (1 10; 2 20; 3 30), and the transpose of (1 4; 2 5; 3 6) times the same; rows of 4.
  const float a[] = {1, 2, 3, 0, 4, 5, 6, 0};
  const float a_transposed[] = {1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0, 0};
  const float b[] = {1, 10, 0, 0, 2, 20, 0, 0, 3, 30, 0, 0};
  for (const ProductPeer& peer : product_peers()) {
    INFO(peer.name);
    CHECK((peer.multiply == nullptr) == !peer.missing.empty());
    if (peer.multiply == nullptr) continue;
    for (const bool transposed : {false, true}) {
      std::vector<float> c(8, 7);
      peer.multiply({transposed, 2, 2, 3, transposed ? a_transposed : a, 4, b, 4, c.data(), 4});
      CHECK(c == std::vector<float>{14, 140, 7, 7, 32, 320, 7, 7});
    }
  }
}
