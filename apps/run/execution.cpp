#include "run/execution.hpp"

#include <string>

#include "gat/core/error.hpp"
#include "system/threads.hpp"

namespace gat::app {

Execution execution_of(const Call& call) {
  const Settings& s = call.settings;
  return {thread_count(s.threads, call.threads_given),
          s.simd == "auto" ? best_simd_level() : simd_level_named(s.simd), row_precision_named(s.precision)};
}

void check_precision(const Network& network, const Execution& execution) {
  if (execution.rows == RowPrecision::full) return;
  for (int k = 0; k < network.num_steps(); ++k) {
    const Step& step = network.description().steps[static_cast<std::size_t>(k)];
    if (network.layer(k).num_heads() == 0 || step.layer.kind == "gat") continue;
    throw UsageError(
        "--precision " + std::string(name_of(execution.rows)) + ": " + step.name + " is of kind " +
        step.layer.kind +
        ", which gathers rows as floats alone; use --precision float, or a network whose attention "
        "is of kind gat: --block gat, or residual, gat-sep or classic with the score gat");
  }
}

}  // namespace gat::app
