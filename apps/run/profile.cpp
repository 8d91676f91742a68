#include "run/profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "system/environment.hpp"

namespace gat::app {

namespace {

struct Phase {
  const char* name;
  double PhaseTimes::*seconds;
  std::vector<double> StepTimes::*steps;  // null: not told apart
};

constexpr Phase kPhases[] = {
    {"preparation", &PhaseTimes::preparation_seconds, nullptr},
    {"forward", &PhaseTimes::forward_seconds, &StepTimes::forward_seconds},
    {"loss", &PhaseTimes::loss_seconds, nullptr},
    {"backward", &PhaseTimes::backward_seconds, &StepTimes::backward_seconds},
    {"update", &PhaseTimes::update_seconds, nullptr},
    {"validation", &PhaseTimes::validation_seconds, nullptr},
    {"observer", &PhaseTimes::observer_seconds, nullptr},
};

// Of the run, in no phase.
double other_seconds(const Profile& profile) {
  double seconds = profile.seconds;
  for (const Phase& phase : kPhases) seconds -= profile.phases.*phase.seconds;
  return std::max(0.0, seconds);
}

std::string line(const Profile& profile, const std::string& name, double seconds) {
  const double share = profile.seconds > 0 ? seconds / profile.seconds : 0;
  return fmt::format("{:<24}{:>12.3f}{:>9.1f} %{:>14.3f}\n", name, seconds, 100 * share,
                     1000 * seconds / std::max(1, profile.epochs));
}

}  // namespace

Profile make_profile(const PhaseTimes& phases, const Network& network, int epochs, double seconds) {
  Profile profile{phases, {}, epochs, seconds, peak_resident_bytes()};
  for (const Step& step : network.description().steps) profile.steps.push_back(step.name);
  return profile;
}

Json to_json(const Profile& profile) {
  Json json;
  for (const Phase& phase : kPhases)
    json[std::string(phase.name) + "_seconds"] = profile.phases.*phase.seconds;
  json["other_seconds"] = other_seconds(profile);
  const StepTimes& times = profile.phases.steps;
  for (std::size_t k = 0; k < profile.steps.size(); ++k)
    json["steps"].push_back({{"name", profile.steps[k]},
                             {"forward_seconds", times.forward_seconds.at(k)},
                             {"backward_seconds", times.backward_seconds.at(k)}});
  json["peak_memory_bytes"] = profile.peak_bytes;
  return json;
}

std::string profile_text(const Profile& profile) {
  std::string text = fmt::format("{:<24}{:>12}{:>11}{:>14}\n", "phase", "seconds", "share", "ms per epoch");
  for (const Phase& phase : kPhases) {
    text += line(profile, phase.name, profile.phases.*phase.seconds);
    if (phase.steps == nullptr) continue;
    for (std::size_t k = 0; k < profile.steps.size(); ++k)
      text += line(profile, "  " + profile.steps[k], (profile.phases.steps.*phase.steps).at(k));
  }
  text += line(profile, "other", other_seconds(profile)) + line(profile, "all", profile.seconds);
  return text + "peak memory " + memory_text(profile.peak_bytes) + "\n";
}

}  // namespace gat::app
