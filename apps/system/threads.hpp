/// How many threads the process may use.
#pragma once

namespace gat::app {

/// More threads than this are refused.
constexpr int kMostThreads = 1024;

/// Processors of the affinity mask, or the cgroup's CPU quota (rounded up) where that is less; at least 1.
int usable_processors();

/// The number of threads to work with. \param asked  0 = as many as the process may use
/// \param on_command_line  if not, and nothing else is asked for, OMP_NUM_THREADS counts
int thread_count(long asked, bool on_command_line);

}  // namespace gat::app
