// e = LeakyReLU(z_i · z_j / √(width)), SuperGAT's scaled product (Kim and Oh 2021).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreDescription kDescription{
    .name = "supergat_sd", .formula = "LeakyReLU(z_i·z_j / √(width))", .leaky = true, .maps = ScoreMaps::one};

struct Policy : ProductTerm {
  template <class Job>
  static GAT_INLINE Lanes logit(const Lanes& total, const Lanes&, const Job& job) {
    const Lanes x = total * job.scale;
    return select(greater(x, Lanes{}), x, x * job.slope);
  }
  template <class Job>
  static GAT_INLINE Lanes d_total(const Lanes& e, const Lanes&, const Lanes&, const Job& job) {
    return select(greater(e, Lanes{}), job.scale, job.scale * job.slope);
  }
};
}  // namespace

extern const ScoreKernels supergat_sd_score = pair_kernels<Policy>(kDescription);

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
