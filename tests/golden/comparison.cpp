#include "golden/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace golden {

namespace {

double deviation(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double distance = std::abs(a - b);
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

}  // namespace

Difference normwise_difference(std::span<const double> computed, std::span<const double> golden) {
  double scale = 0;
  Difference worst;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    if (std::isfinite(golden[i])) scale = std::max(scale, std::abs(golden[i]));
    const double distance = deviation(computed[i], golden[i]);
    if (distance > worst.error) worst = {distance, i};
  }
  if (scale > 1e-9) worst.error /= scale;
  return worst;
}

}  // namespace golden
