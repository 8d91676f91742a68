/// Times training steps and evaluation of a stated network on the user's own data set.
#pragma once

#include <functional>

#include "bench/suite_run.hpp"
#include "run/plan.hpp"

namespace gat::app {

struct DataBench {
  SuiteResult steps;
  Index peak_bytes = 0;  ///< of the process: the data, a training step on the whole graph and an evaluation
};

/// The cases "training step" (whole graph), "evaluation" (all nodes) and, where the training nodes reach at
/// most half of all edges, so that training prunes, "training step, pruned"; without limits.
DataBench bench_data(const Plan& plan, int rounds, const std::function<void(int)>& progress);

}  // namespace gat::app
