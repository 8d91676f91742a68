/// How much resident memory something needs at its peak.
#pragma once

#include "gat/core/real.hpp"

namespace gat::app {

/// Counts from its construction on, above what the process held then.
class MemoryProbe {
 public:
  MemoryProbe();
  /// Forgets the peak so far (of making the data, say), not what is held.
  void restart_peak();
  /// The most that was held on top since; 0 where the system cannot say.
  Index peak_bytes() const;

 private:
  Index held_ = 0;
  bool works_ = false;
};

}  // namespace gat::app
