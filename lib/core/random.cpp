#include "gat/core/random.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

double RandomStream::normal(std::uint64_t index) const {
  // 1 − u lies in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(2 * index)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(2 * index + 1));
}

void RandomStream::shuffle(std::span<NodeId> ids) const {
  for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[below(i, i)]);
}

DropoutMask::DropoutMask(RandomStream stream, double probability) : stream_(stream) {
  if (!(probability >= 0.0 && probability < 1.0)) {
    throw UsageError("dropout probability " + std::to_string(probability) +
                     " is outside [0, 1); give the probability of dropping");
  }
  threshold_ = static_cast<std::uint32_t>(std::lround(probability * 65536.0));
  if (threshold_ > 65535) threshold_ = 65535;
  scale_ = static_cast<Real>(65536.0 / (65536.0 - threshold_));
}

}  // namespace gat::inline GAT_PRECISION
