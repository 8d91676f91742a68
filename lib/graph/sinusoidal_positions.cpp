#include "gat/graph/sinusoidal_positions.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr double kBase = 10000;
// Of a sine, in multiply-adds.
constexpr Index kSineWork = 20;

// Of each sine column; its cosine has the same.
std::vector<double> frequencies(Index width, SinusoidalLayout layout) {
  std::vector<double> result(static_cast<std::size_t>((width + 1) / 2));
  const auto pairs = static_cast<double>(result.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto at = static_cast<double>(i);
    const bool interleaved = layout == SinusoidalLayout::interleaved;
    const double exponent = interleaved ? 2 * at / static_cast<double>(width) : at / std::max(pairs - 1, 1.0);
    result[i] = std::pow(kBase, -exponent);
  }
  return result;
}

}  // namespace

Matrix sinusoidal_positions(std::span<const double> positions, Index width, SinusoidalLayout layout,
                            int num_threads) {
  if (width < 1) throw UsageError("a sinusoidal encoding of width " + std::to_string(width) + "; at least 1");
  const bool interleaved = layout == SinusoidalLayout::interleaved;
  if (!interleaved && width % 2 != 0) {
    throw UsageError("a concatenated sinusoidal encoding has as many sines as cosines, but its width is " +
                     std::to_string(width) + "; use an even width or the interleaved layout");
  }
  const std::vector<double> frequency = frequencies(width, layout);
  const auto pairs = static_cast<Index>(frequency.size());
  const auto rows = static_cast<Index>(positions.size());
  Matrix encoding(rows, width);
  parallel_for(num_threads, rows, kSineWork * width, [&](Index first, Index last, int) {
    for (Index p = first; p < last; ++p) {
      for (Index i = 0; i < pairs; ++i) {
        const double angle = positions[static_cast<std::size_t>(p)] * frequency[static_cast<std::size_t>(i)];
        const Index sine = interleaved ? 2 * i : i;
        const Index cosine = interleaved ? 2 * i + 1 : pairs + i;
        encoding(p, sine) = static_cast<Real>(std::sin(angle));
        if (cosine < width) encoding(p, cosine) = static_cast<Real>(std::cos(angle));
      }
    }
  });
  return encoding;
}

}  // namespace gat::inline GAT_PRECISION
