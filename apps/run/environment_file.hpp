/// env.json: what a run ran on and how it was called.
#pragma once

#include <string>

#include "output/json.hpp"
#include "run/plan.hpp"

namespace gat::app {

/// Version, compiler, precision, OpenMP, processors, and the instruction levels that kernels can use here:
/// the one that they use unless told otherwise, and all.
Json build_information();
/// The processor's model name, or "unknown".
std::string processor_name();
Json run_environment(const Plan& plan, const std::vector<std::string>& command);

}  // namespace gat::app
