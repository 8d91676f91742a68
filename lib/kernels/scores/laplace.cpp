// e = −|w (q_i − k_j)|₁ with a learned w per head, one over the length scale: a kernel regression's Laplace
// kernel (Kim et al. 2019, Attentive Neural Processes). Its gradient jumps where a query and a key share a
// feature; there it is taken as 0, the middle of the two sides.
#include "kernels/simd/scaled_rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreParameter kParameters[] = {
    {"w", ScoreParameter::Shape::per_head, ScoreParameter::Start::ones}};
constexpr ScoreDescription kDescription{
    .name = "laplace", .formula = "−|w (q_i − k_j)|₁", .parameters = kParameters};

struct Policy : PlainPair {
  static GAT_INLINE Lanes term(const Lanes& own, const Lanes& other, const Lanes&, const Lanes&) {
    return min(own - other, other - own);
  }
  static GAT_INLINE Lanes d_own(const Lanes& own, const Lanes& other, const Lanes&, const Lanes&) {
    const Lanes one = all_lanes(1);
    return select(greater(other, own), one, select(greater(own, other), Lanes{} - one, Lanes{}));
  }
};
}  // namespace

// Both sides are multiplied by w, and the loops see w = 1.
extern const ScoreKernels laplace_score = pair_kernels<Policy>(kDescription, kScaledRows, kScaledRows);

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
