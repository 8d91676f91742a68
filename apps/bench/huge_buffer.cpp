#include "bench/huge_buffer.hpp"

#include <sys/mman.h>

#include <new>

namespace gat::app {

namespace {
constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
}

HugeBuffer::HugeBuffer(std::int64_t count)
    : bytes_(static_cast<std::size_t>(count) * sizeof(float) + 2 * kPage) {
  memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  const auto address = (reinterpret_cast<std::uintptr_t>(memory_) + kPage - 1) / kPage * kPage;
  data_ = reinterpret_cast<float*>(address);
#ifdef MADV_HUGEPAGE
  // Refused where the system has none; small pages do then.
  ::madvise(data_, bytes_ - kPage, MADV_HUGEPAGE);
#endif
}

HugeBuffer::~HugeBuffer() { ::munmap(memory_, bytes_); }

}  // namespace gat::app
