/// Adds the time of a scope to a sum; without a sum it reads no clock.
#pragma once

#include <chrono>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

class TimedScope {
 public:
  /// \param seconds  borrowed, or null
  explicit TimedScope(double* seconds) : seconds_(seconds) {
    if (seconds_ != nullptr) start_ = Clock::now();
  }
  ~TimedScope() {
    if (seconds_ != nullptr) *seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  TimedScope(const TimedScope&) = delete;
  TimedScope& operator=(const TimedScope&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double* seconds_;
  Clock::time_point start_;
};

}  // namespace gat::inline GAT_PRECISION
