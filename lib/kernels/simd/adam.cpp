// Adam's update; tests/train/optimizer_test.cpp holds it against steps worked out in double precision.
#include "gat/kernels/adam.hpp"

#include <cmath>

#include "core/parallel.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/partial_lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

GAT_INLINE Lanes square_root(const Lanes& x) {
  Real lanes[kLanes];
  store(lanes, x);
#pragma omp simd
  for (Index l = 0; l < kLanes; ++l) lanes[l] = std::sqrt(lanes[l]);
  return load(lanes);
}

}  // namespace

void adam_update(const AdamFactors& f, const Real* gradient, Real* weight, Real* first_moment,
                 Real* second_moment, Index count, const Execution& execution) {
  const Index vectors = (count + kLanes - 1) / kLanes;
  parallel_for(execution.num_threads, vectors, 8, [&](Index begin, Index end, int) {
    const Lanes beta1 = all_lanes(f.beta1), beta2 = all_lanes(f.beta2);
    const Lanes rest1 = all_lanes(f.rest1), rest2 = all_lanes(f.rest2);
    const Lanes rate = all_lanes(f.rate), root_scale = all_lanes(f.root_scale),
                epsilon = all_lanes(f.epsilon);
    const Lanes l2 = all_lanes(f.l2), keep = all_lanes(f.keep);
    for (Index k = begin * kLanes; k < end * kLanes; k += kLanes) {
      const Index rest = count - k;
      const Lanes w = load_first(weight + k, rest);
      const Lanes g = multiply_add(l2, w, load_first(gradient + k, rest));
      const Lanes m = multiply_add(beta1, load_first(first_moment + k, rest), rest1 * g);
      const Lanes v = multiply_add(beta2, load_first(second_moment + k, rest), rest2 * g * g);
      store_first(first_moment + k, m, rest);
      store_first(second_moment + k, v, rest);
      store_first(weight + k, keep * w - rate * m / multiply_add(root_scale, square_root(v), epsilon), rest);
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
