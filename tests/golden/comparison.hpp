/// How far a computed array is from its golden one.
#pragma once

#include <cstddef>
#include <span>

namespace golden {

struct Difference {
  double error = 0;    ///< normwise; infinite when an element is NaN or infinite on one side only
  std::size_t at = 0;  ///< position of the largest deviation
};

/// max|A − B| / s with s = max|B| over its finite elements, or 1 when that is at most 1e-9 (such an
/// array vanishes in exact arithmetic). Equal infinities agree, and so do two NaN.
/// \pre equal sizes
Difference normwise_difference(std::span<const double> computed, std::span<const double> golden);

}  // namespace golden
