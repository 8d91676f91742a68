#include "bench/limits.hpp"

namespace gat::app {

std::vector<LimitPart> limit_parts(const Work& work, int threads) {
  std::vector<LimitPart> parts;
  const auto add = [&](const YardstickKey& key, double amount) {
    if (amount > 0) parts.push_back({key, amount});
  };
  add({Rate::multiply_add, threads}, work.flop);
  add({Rate::triad, threads}, work.streamed_bytes);
  add({Rate::read_l2, threads}, work.l2_bytes);
  for (const GatheredRows& rows : work.gathered)
    add({Rate::gather, threads, rows.graph, rows.width}, rows.bytes);
  return parts;
}

}  // namespace gat::app
