/// Where the time and memory of a training run went (--profile).
#pragma once

#include <string>
#include <vector>

#include "gat/train/trainer.hpp"
#include "output/json.hpp"

namespace gat::app {

struct Profile {
  PhaseTimes phases;
  std::vector<std::string> steps;  ///< names of the network's steps
  int epochs = 0;
  double seconds = 0;    ///< of the run
  Index peak_bytes = 0;  ///< of the process so far
};

Profile make_profile(const PhaseTimes& phases, const Network& network, int epochs, double seconds);

/// {"preparation_seconds", "forward_seconds", …, "other_seconds", "steps": [{"name", "forward_seconds",
/// "backward_seconds"}], "peak_memory_bytes"}: seconds over all epochs.
Json to_json(const Profile& profile);
/// One line per phase and step: seconds, share of the run, milliseconds per epoch.
std::string profile_text(const Profile& profile);

}  // namespace gat::app
