// e = a · LeakyReLU(q_i + k_j) with q = W_t h, k = W_s h (Brody, Alon, Yahav 2022).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreParameter kParameters[] = {
    {"a", ScoreParameter::Shape::per_feature, ScoreParameter::Start::attention}};
constexpr ScoreDescription kDescription{.name = "gatv2",
                                        .formula = "a·LeakyReLU(q_i + k_j [+ W_e x_ij])",
                                        .leaky = true,
                                        .edge_features = true,
                                        .maps = ScoreMaps::values_are_keys,
                                        .parameters = kParameters};

struct Policy : PlainPair {
  static constexpr bool kVector = true;
  static constexpr bool kCostly = true;

  static GAT_INLINE Lanes term(const Lanes& own, const Lanes& other, const Lanes& a, const Lanes& slope) {
    return a * d_vector(own, other, slope);
  }
  static GAT_INLINE Lanes d_own(const Lanes& own, const Lanes& other, const Lanes& a, const Lanes& slope) {
    return select(greater(own + other, Lanes{}), a, a * slope);
  }
  static GAT_INLINE Lanes d_vector(const Lanes& own, const Lanes& other, const Lanes& slope) {
    const Lanes x = own + other;
    return select(greater(x, Lanes{}), x, x * slope);
  }
};
}  // namespace

extern const ScoreKernels gatv2_score = pair_kernels<Policy>(kDescription);

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
