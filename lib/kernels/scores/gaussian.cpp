// e = −½ w² |q_i − k_j|² with a learned w = 1/σ per head: Nadaraya–Watson pooling with a Gaussian kernel.
#include "kernels/simd/scaled_rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreParameter kParameters[] = {
    {"w", ScoreParameter::Shape::per_head, ScoreParameter::Start::ones}};
constexpr ScoreDescription kDescription{
    .name = "gaussian", .formula = "−½ w² |q_i − k_j|²", .parameters = kParameters};

struct Policy : PlainPair {
  static GAT_INLINE Lanes term(const Lanes& own, const Lanes& other, const Lanes&, const Lanes&) {
    const Lanes difference = own - other;
    return all_lanes(Real(-0.5)) * difference * difference;
  }
  static GAT_INLINE Lanes d_own(const Lanes& own, const Lanes& other, const Lanes&, const Lanes&) {
    return other - own;
  }
};
}  // namespace

// Both sides are multiplied by w, and the loops see w = 1.
extern const ScoreKernels gaussian_score = pair_kernels<Policy>(kDescription, kScaledRows, kScaledRows);

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
