#include "system/signals.hpp"

namespace gat::app {

namespace {

// A signal handler can reach nothing but a variable of this kind.
volatile std::sig_atomic_t noted_signal = 0;

void note(int signal) {
  if (noted_signal != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  noted_signal = signal;
}

struct sigaction watch_for(int signal) {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  // Files that are being written go on.
  action.sa_flags = SA_RESTART;
  // Shells start background jobs with SIGINT ignored; a signal that is sent to this process still counts.
  ::sigaction(signal, &action, &old);
  return old;
}

}  // namespace

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

InterruptWatch::InterruptWatch() : old_interrupt_(watch_for(SIGINT)), old_terminate_(watch_for(SIGTERM)) {}

InterruptWatch::~InterruptWatch() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

int InterruptWatch::noted() { return noted_signal; }

const char* signal_name(int signal) { return signal == SIGTERM ? "SIGTERM" : "SIGINT"; }

}  // namespace gat::app
