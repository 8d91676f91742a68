// e = q_i · k_j / √(width of a key) (Vaswani et al. 2017).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreDescription kDescription{
    .name = "scaled_dot", .formula = "q_i·(k_j [+ W_e x_ij]) / √(key width)", .edge_features = true};

struct Policy : ProductTerm {
  template <class Job>
  static GAT_INLINE Lanes logit(const Lanes& total, const Lanes&, const Job& job) {
    return total * job.scale;
  }
  template <class Job>
  static GAT_INLINE Lanes d_total(const Lanes&, const Lanes&, const Lanes&, const Job& job) {
    return job.scale;
  }
};
}  // namespace

extern const ScoreKernels scaled_dot_score = pair_kernels<Policy>(kDescription);

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
