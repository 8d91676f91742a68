#include "gat/core/matrix.hpp"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
// Smaller blocks would waste a good part of their last huge page.
constexpr std::size_t kLargeBlock = 4 * kHugePage;

}  // namespace

Real* allocate_numbers(Index count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Real);
  const std::size_t alignment = bytes >= kLargeBlock ? kHugePage : kLine;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  // A wish: without it, or where it is refused, ordinary pages serve.
  if (bytes >= kLargeBlock) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  return static_cast<Real*>(memory);
}

void release_numbers(Real* memory) noexcept { std::free(memory); }

}  // namespace gat::inline GAT_PRECISION
