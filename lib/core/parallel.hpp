/// The only parallel pragmas of the library.
///
/// The number of threads belongs to a call, never to the process. A body runs over a range of items
/// that it alone writes, so results do not depend on how the ranges are cut. Bodies must not throw; they
/// run without denormal numbers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/denormals.hpp"
#include "gat/core/real.hpp"
#include "gat/core/row_callback.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace gat::inline GAT_PRECISION {

/// Below this many units of work (about one multiply-add each, so some 20 µs) a call stays on its
/// own thread: a team would cost more than it saves.
inline constexpr Index kSerialWork = 20000;

/// The pieces of one part: the member whose part it is takes them from the front, who has finished their own
/// takes from the end. So a member that the machine disturbs is waited for no longer than a piece, and
/// undisturbed members meet the same items, and what their caches hold of them, in every call.
class alignas(64) Share {
 public:
  static constexpr int kNone = -1;

  /// The next piece of `pieces`, the same number in every call, or kNone.
  int take_first(int pieces) {
    const std::uint64_t taken = taken_.fetch_add(1, std::memory_order_relaxed);
    return first(taken) + last(taken) < pieces ? first(taken) : kNone;
  }
  int take_last(int pieces) {
    const std::uint64_t taken = taken_.fetch_add(kLast, std::memory_order_relaxed);
    return first(taken) + last(taken) < pieces ? pieces - 1 - last(taken) : kNone;
  }

 private:
  static constexpr std::uint64_t kLast = std::uint64_t(1) << 32;
  static int first(std::uint64_t taken) { return static_cast<int>(taken % kLast); }
  static int last(std::uint64_t taken) { return static_cast<int>(taken / kLast); }

  std::atomic<std::uint64_t> taken_ = 0;  // pieces from the front, and kLast times those from the end
};
/// Pieces per member of a team.
inline constexpr int kPieces = 8;
/// Members of larger teams have parts in common: nothing is allocated per call.
inline constexpr int kMostShares = 64;

/// Splits [0, count) into contiguous ranges of nearly equal work and calls body(first, last, member)
/// for each, several times per member; `member` in [0, num_threads) picks the scratch memory of the calling
/// thread.
/// \param work_before  work_before(i) is the work of the items below i; it never falls.
/// \return the size of the team that ran.
template <class WorkBefore, class Body>
int parallel_ranges(int num_threads, Index count, const WorkBefore& work_before, const Body& body) {
  if (count <= 0) return 1;
  const Index total = work_before(count);
  if (num_threads <= 1 || total < kSerialWork) {
    const WithoutDenormals arithmetic;
    body(Index(0), count, 0);
    return 1;
  }
#ifdef _OPENMP
  int team = 1;
  Share shares[kMostShares];
  // The first item whose preceding work reaches share t of T.
  const auto boundary = [&](int t, int parts) {
    const Index wanted = static_cast<Index>(static_cast<double>(total) * t / parts);
    Index low = 0;
    Index high = count;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (work_before(middle) < wanted) low = middle + 1;
      else high = middle;
    }
    return t == parts ? count : low;
  };
#pragma omp parallel num_threads(num_threads)
  {
    const int members = omp_get_num_threads();
    const int member = omp_get_thread_num();
    const WithoutDenormals arithmetic;
    if (member == 0) team = members;
    const int parts = std::min(members, kMostShares);
    const int pieces = (members + parts - 1) / parts * kPieces;
    for (int away = 0; away < parts; ++away) {
      const int part = (member + away) % parts;
      const auto take = [&] {
        return away == 0 ? shares[part].take_first(pieces) : shares[part].take_last(pieces);
      };
      for (int piece = take(); piece != Share::kNone; piece = take()) {
        const int at = part * pieces + piece;
        const Index first = boundary(at, parts * pieces);
        const Index last = boundary(at + 1, parts * pieces);
        if (first < last) body(first, last, member);
      }
    }
  }
  return team;
#else
  const WithoutDenormals arithmetic;
  body(Index(0), count, 0);
  return 1;
#endif
}

/// Splits [0, count) evenly; each item costs about `work_per_item` units.
template <class Body>
int parallel_for(int num_threads, Index count, Index work_per_item, const Body& body) {
  return parallel_ranges(
      num_threads, count, [&](Index i) { return i * std::max<Index>(work_per_item, 1); }, body);
}

/// Sums value(first, last) over fixed blocks of [0, count), in order: the same bits for any number
/// of threads.
template <class Value>
double sum_in_blocks(int num_threads, Index count, Index work_per_item, const Value& value) {
  const Index block = sum_block_rows(count);
  double partial[kSumBlocks] = {};
  parallel_for(num_threads, kSumBlocks, block * work_per_item, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      const Index first = std::min(b * block, count);
      const Index last = std::min(first + block, count);
      if (first < last) partial[b] = value(first, last);
    }
  });
  double sum = 0;
  for (const double part : partial) sum += part;
  return sum;
}

}  // namespace gat::inline GAT_PRECISION
