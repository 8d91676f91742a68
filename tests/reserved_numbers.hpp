/// Arrays too large to hold, for tests of what reads and writes a few of their elements.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "gat/core/matrix.hpp"

namespace gat::test {

/// Addresses for so many numbers, all 0; the system gives memory only to the pages that are touched.
class ReservedNumbers {
 public:
  explicit ReservedNumbers(std::int64_t numbers)
      : bytes_(static_cast<std::size_t>(numbers) * sizeof(Real)),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                     0)) {}
  ~ReservedNumbers() {
    if (given()) munmap(memory_, bytes_);
  }
  ReservedNumbers(const ReservedNumbers&) = delete;
  ReservedNumbers& operator=(const ReservedNumbers&) = delete;

  bool given() const { return memory_ != MAP_FAILED; }
  Real* numbers() const { return static_cast<Real*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace gat::test
