// e = LeakyReLU((a_src·z_j + a_dst·z_i) σ(z_i · z_j)), SuperGAT's mixed score (Kim and Oh 2021).
#include "kernels/simd/functions.hpp"
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreDescription kDescription{.name = "supergat_mx",
                                        .formula = "LeakyReLU((a_src·z_j + a_dst·z_i) σ(z_i·z_j))",
                                        .leaky = true,
                                        .node_numbers = true,
                                        .maps = ScoreMaps::one};

struct Policy : ProductTerm {
  static constexpr bool kNumbers = true;

  static GAT_INLINE Lanes sigmoid(const Lanes& x) {
    const Lanes half = all_lanes(Real(0.5));
    return multiply_add(half, GAT_SIMD::tanh(half * x), half);
  }
  template <class Job>
  static GAT_INLINE Lanes logit(const Lanes& total, const Lanes& number, const Job& job) {
    const Lanes x = number * sigmoid(total);
    return select(greater(x, Lanes{}), x, x * job.slope);
  }
  template <class Job>
  static GAT_INLINE Lanes d_total(const Lanes& e, const Lanes& total, const Lanes& number, const Job& job) {
    const Lanes gate = sigmoid(total);
    return leak(e, job) * number * gate * (all_lanes(1) - gate);
  }
  template <class Job>
  static GAT_INLINE Lanes d_number(const Lanes& total, const Lanes&, const Lanes& e, const Job& job) {
    return leak(e, job) * sigmoid(total);
  }
  template <class Job>
  static GAT_INLINE Lanes leak(const Lanes& e, const Job& job) {
    return select(greater(e, Lanes{}), all_lanes(1), job.slope);
  }
};
}  // namespace

extern const ScoreKernels supergat_mx_score = pair_kernels<Policy>(kDescription);

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
