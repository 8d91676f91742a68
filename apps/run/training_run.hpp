/// One seed: trains, scores the kept weights, writes the files.
#pragma once

#include <filesystem>
#include <functional>

#include "run/plan.hpp"
#include "run/report.hpp"

namespace gat::app {

/// Where a run's files go, and what goes on meanwhile.
struct RunPlace {
  const std::filesystem::path& folder;
  Console& console;
};

/// Writes metrics.jsonl, model.safetensors, predictions.csv and summary.json. The reported numbers are
/// those of the saved model. An interrupt ends training after the epoch; everything is saved then too.
/// \param on_first_epoch  called once there is something worth keeping
RunReport run_training(const Plan& plan, std::int64_t seed, const RunPlace& place,
                       const std::function<void()>& on_first_epoch);

}  // namespace gat::app
