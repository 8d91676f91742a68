// Dropout of rows; tests/kernels/dropout_test.cpp holds it against the mask, element by element.
#include "gat/kernels/dropout.hpp"

#include "core/parallel.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/masked_rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// to += m ⊙ from for `count` numbers whose mask begins at an element
void add_masked(const DropoutMask& mask, std::uint64_t element, const Real* from, Real* to, Index count) {
  Real factor[kFactorRun + kLanes];
  for (Index c = 0; c < count; c += kFactorRun) {
    const Index run = std::min(kFactorRun, count - c);
    element_factors(mask, element + static_cast<std::uint64_t>(c), run, factor);
    for (Index k = 0; k < run; k += kLanes) {
      const Lanes sum =
          multiply_add(load_first(from + c + k, run - k), load(factor + k), load_first(to + c + k, run - k));
      store_first(to + c + k, sum, run - k);
    }
  }
}

}  // namespace

void drop_rows(const DropRows& drop, const Execution& execution) {
  const Index width = drop.from.cols;
  parallel_for(execution.num_threads, drop.from.rows, width, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      const std::uint64_t element = first_element(drop.global_rows, r, width);
      if (drop.add) add_masked(drop.mask, element, drop.from.row(r), drop.to.row(r), width);
      else multiply_masked(drop.mask, element, drop.from.row(r), drop.to.row(r), width);
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
