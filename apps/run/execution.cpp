#include "run/execution.hpp"

#include "system/threads.hpp"

namespace gat::app {

Execution execution_of(const Call& call) {
  const Settings& s = call.settings;
  return {thread_count(s.threads, call.threads_given),
          s.simd == "auto" ? best_simd_level() : simd_level_named(s.simd), row_precision_named(s.precision)};
}

}  // namespace gat::app
