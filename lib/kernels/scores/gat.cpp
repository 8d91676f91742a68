// e = LeakyReLU(s_src_j + s_dst_i [+ s_edge_ij]), with s = a · z (Veličković et al. 2018).
//
// A separable score: the operator itself knows its loops (kernels/simd/scores.hpp).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreDescription kDescription{.name = "gat",
                                        .formula = "LeakyReLU(a_src·z_j + a_dst·z_i [+ a_edge·W_e x_ij])",
                                        .separable = true,
                                        .leaky = true,
                                        .reads_rows = false,
                                        .node_numbers = true,
                                        .edge_features = true,
                                        .maps = ScoreMaps::one};
}  // namespace

extern const ScoreKernels gat_score{.description = &kDescription};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
