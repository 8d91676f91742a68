/// Arithmetic without denormal numbers for as long as an object lives.
///
/// A denormal operand costs some hundred cycles, and decaying moments and coefficients become denormal by
/// the thousand. Results and operands below the smallest normal number count as zero, in every kernel and
/// on every thread alike, so that bits do not depend on who computes them.
#pragma once

#include <cstdint>

#include "gat/core/real.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gat::inline GAT_PRECISION {

class WithoutDenormals {
 public:
#if defined(__x86_64__)
  WithoutDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushAndIgnore); }
  ~WithoutDenormals() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
  WithoutDenormals() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
    __asm__ volatile("msr fpcr, %0" : : "r"(saved_ | kFlush));
  }
  ~WithoutDenormals() { __asm__ volatile("msr fpcr, %0" : : "r"(saved_)); }
#endif
  WithoutDenormals(const WithoutDenormals&) = delete;
  WithoutDenormals& operator=(const WithoutDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned kFlushAndIgnore = 0x8040;  // FTZ and DAZ of the control register MXCSR
  unsigned saved_;
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;  // FZ of the control register FPCR
  std::uint64_t saved_;
#endif
};

}  // namespace gat::inline GAT_PRECISION
