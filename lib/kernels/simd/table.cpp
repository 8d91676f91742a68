// The table of this level's kernels.
#include "kernels/kernel_table.hpp"
#include "kernels/simd/level.hpp"
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

std::span<const ScoreDescription* const> score_descriptions() {
#define GAT_SCORE_DESCRIPTION(name) name##_score.description,
  static const ScoreDescription* const kDescriptions[] = {GAT_SCORES(GAT_SCORE_DESCRIPTION)};
#undef GAT_SCORE_DESCRIPTION
  return kDescriptions;
}

#define GAT_KERNEL_NAME(result, name, parameters) GAT_SIMD::name,
extern const KernelTable kTable{GAT_KERNELS(GAT_KERNEL_NAME) & score_descriptions};
#undef GAT_KERNEL_NAME

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
