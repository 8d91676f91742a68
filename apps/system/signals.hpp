/// Interrupts: the first one is noted and the current epoch finishes, the second one ends at once.
#pragma once

#include <csignal>

namespace gat::app {

/// SIGPIPE and SIGXFSZ come back as errors of the write that caused them.
void ignore_write_signals();

/// While it lives, the first SIGINT or SIGTERM is only noted. A second one, and any after its end, acts
/// as if the program had never asked.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// SIGINT, SIGTERM, or 0 when there was none.
  static int noted();

 private:
  struct sigaction old_interrupt_ = {};
  struct sigaction old_terminate_ = {};
};

/// "SIGINT" or "SIGTERM".
const char* signal_name(int signal);

}  // namespace gat::app
