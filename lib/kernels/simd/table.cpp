// The table of this level's kernels.
#include "kernels/kernel_table.hpp"
#include "kernels/simd/level.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

#define GAT_KERNEL_NAME(result, name, parameters) GAT_SIMD::name,
extern const KernelTable kTable{GAT_KERNELS(GAT_KERNEL_NAME)};
#undef GAT_KERNEL_NAME

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
