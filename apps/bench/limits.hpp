/// Limits: how long some work takes at least on this machine, from yardsticks of the same round.
#pragma once

#include <functional>
#include <vector>

#include "bench/yardsticks.hpp"

namespace gat::app {

/// Rows that are fetched in a graph's column order.
struct GatheredRows {
  const BenchGraph* graph = nullptr;
  Index width = 0;   ///< floats per row
  double bytes = 0;  ///< of all rows, every fetch counted
};

/// What a case must do whatever its code looks like. All zero = no limit is known.
struct Work {
  double flop = 0;            ///< a multiply-add counts as two
  double streamed_bytes = 0;  ///< read or written in order
  double l2_bytes = 0;        ///< of small cases that never leave the second cache
  std::vector<GatheredRows> gathered;

  bool known() const { return flop + streamed_bytes + l2_bytes > 0 || !gathered.empty(); }
};

/// One part of a limit: an amount and the yardstick that it is done at.
struct LimitPart {
  YardstickKey yardstick;
  double amount = 0;  ///< operations or bytes
};

/// flop / multiply-add rate + streamed / triad + gathered / gather rate + L2 bytes / L2 rate: the sum of
/// the parts, as if nothing overlapped.
std::vector<LimitPart> limit_parts(const Work& work, int threads);

}  // namespace gat::app
