// e = q_i · k_j (Luong et al. 2015).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreDescription kDescription{
    .name = "dot", .formula = "q_i·(k_j [+ W_e x_ij])", .edge_features = true};
}  // namespace

extern const ScoreKernels dot_score = pair_kernels<ProductTerm>(kDescription);

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
