/// The only parallel pragmas of the library.
///
/// The number of threads belongs to a call, never to the process. A body runs over a range of items
/// that it alone writes, so results do not depend on how the ranges are cut. Bodies must not throw; they
/// run without denormal numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

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

/// Splits [0, count) into contiguous ranges of nearly equal work and calls body(first, last, member)
/// for each; `member` in [0, num_threads) picks the scratch memory of the calling thread.
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
    const int parts = omp_get_num_threads();
    const int t = omp_get_thread_num();
    const WithoutDenormals arithmetic;
    if (t == 0) team = parts;
    const Index first = boundary(t, parts);
    const Index last = boundary(t + 1, parts);
    if (first < last) body(first, last, t);
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
