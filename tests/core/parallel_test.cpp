#include "core/parallel.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace gat;

namespace {

constexpr int kTeams[] = {1, 2, 3, 8, 130};

// The team that should run when there is enough work.
int team_of(int num_threads) {
#ifdef _OPENMP
  return num_threads;
#else
  static_cast<void>(num_threads);
  return 1;
#endif
}

}  // namespace

TEST_CASE("every item is worked once, by a member of the team", "[core][parallel][unit]") {
  for (const int threads : kTeams) {
    for (const Index count : {Index(1), Index(2), Index(7), Index(1000)}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      const int team = parallel_for(threads, count, kSerialWork, [&](Index first, Index last, int member) {
        if (member < 0 || member >= threads) return;
        for (Index i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      CHECK(visits == std::vector<int>(static_cast<std::size_t>(count), 1));
      CHECK(team == team_of(threads));
    }
  }
}

TEST_CASE("little work stays on the calling thread, none calls nobody", "[core][parallel][unit]") {
  int calls = 0;
  const auto count_call = [&](Index, Index, int) { ++calls; };
  CHECK(parallel_for(8, kSerialWork - 1, 1, count_call) == 1);
  CHECK(calls == 1);
  CHECK(parallel_for(8, 0, 1000000, count_call) == 1);
  CHECK(calls == 1);
}

TEST_CASE("ranges are cut by work, not by items", "[core][parallel][unit]") {
  // Item 0 costs as much as the other thousand together.
  const auto before = [](Index i) { return i == 0 ? Index(0) : 100000 + (i - 1) * 100; };
  std::vector<Index> last_of(1001, -1);  // of the range that begins at an item
  const int team = parallel_ranges(2, 1001, before, [&](Index first, Index last, int) {
    last_of[static_cast<std::size_t>(first)] = last;
  });
  CHECK(last_of[0] == (team == 1 ? 1001 : 1));
  for (Index first = 1; first <= 1000; ++first) {
    const Index last = last_of[static_cast<std::size_t>(first)];
    if (last >= 0) CHECK(last - first <= 1000 / kPieces + 1);
  }
}

TEST_CASE("who has finished takes over what a disturbed member has left", "[core][parallel][unit]") {
  constexpr Index kItems = 16;
  std::atomic<Index> worked = 0;
  std::atomic<bool> disturbed = false, in_time = true;
  const int team = parallel_for(2, kItems, kSerialWork, [&](Index first, Index last, int) {
    // The first range waits for all others.
    if (!disturbed.exchange(true)) {
      const auto start = std::chrono::steady_clock::now();
      while (team_of(2) > 1 && worked < kItems - (last - first) && in_time) {
        in_time = std::chrono::steady_clock::now() - start < std::chrono::seconds(60);
        std::this_thread::yield();
      }
    }
    worked += last - first;
  });
  CHECK(team == team_of(2));
  CHECK(in_time);
  CHECK(worked == kItems);
}

TEST_CASE("a share gives each of its pieces once, from both ends", "[core][parallel][unit]") {
  Share share;
  std::vector<int> taken;
  for (int k = 0; k < 8; ++k) taken.push_back(k % 3 == 0 ? share.take_last(8) : share.take_first(8));
  CHECK(taken == std::vector<int>{7, 0, 1, 6, 2, 3, 5, 4});
  CHECK(share.take_first(8) == Share::kNone);
  CHECK(share.take_last(8) == Share::kNone);
}

TEST_CASE("sums over blocks have the same bits for any number of threads", "[core][parallel][determinism]") {
  for (const Index count : {Index(0), Index(1), Index(7), Index(8), Index(9), Index(100003)}) {
    const auto sum_with = [&](int threads) {
      return sum_in_blocks(threads, count, 100, [](Index first, Index last) {
        double sum = 0;
        for (Index i = first; i < last; ++i) sum += std::sin(static_cast<double>(i));
        return sum;
      });
    };
    double plain = 0;
    for (Index i = 0; i < count; ++i) plain += std::sin(static_cast<double>(i));
    CHECK(sum_with(1) == Approx(plain).margin(1e-9));
    for (const int threads : kTeams) CHECK(sum_with(threads) == sum_with(1));
  }
}
