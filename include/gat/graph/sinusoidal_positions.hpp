/// Sinusoidal encodings of positions (Vaswani et al. 2017, section 3.5).
#pragma once

#include <span>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// Which frequency a column has. In both layouts a pair of sine and cosine of one frequency ω turns by the
/// fixed angle k ω when the position moves by k, so one rotation leads from each encoding of p to that of
/// p + k.
enum class SinusoidalLayout {
  /// Column 2i is sin(p ω_i), column 2i + 1 cos(p ω_i), ω_i = 10000^(−2i / width); an odd width ends with a
  /// sine. Vaswani et al. 2017.
  interleaved,
  /// All sines, then all cosines, ω_i = 10000^(−i / (width/2 − 1)), 1 for width 2: the encoding of PyG and
  /// of tensor2tensor. The frequencies are not those of `interleaved`. An even width only.
  concatenated
};

/// One row per position (any finite number, also between and below the whole ones) × width, each number in
/// [−1, 1]. Computed in double; the same for any number of threads.
/// \throws UsageError for a width below 1, or an odd one where the layout has pairs only
Matrix sinusoidal_positions(std::span<const double> positions, Index width,
                            SinusoidalLayout layout = SinusoidalLayout::interleaved, int num_threads = 1);

}  // namespace gat::inline GAT_PRECISION
