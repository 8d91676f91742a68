// e = 0: every open edge counts alike, the mean of the neighbourhood (the Const-GAT baseline of
// Veličković et al. 2018).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreDescription kDescription{
    .name = "constant", .formula = "0", .separable = true, .reads_rows = false};
}  // namespace

extern const ScoreKernels constant_score{.description = &kDescription};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
