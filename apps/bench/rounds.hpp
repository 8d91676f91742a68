/// Interleaved rounds: every measurement is taken once per round, in order, so that what a shared
/// machine does in one minute meets all of them, and ratios are formed within a round.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gat::app {

/// One thing to time.
struct Measurement {
  std::string name;
  std::function<void()> run;
};

/// Seconds of each measurement (first index) in each round (second index).
using RoundSeconds = std::vector<std::vector<double>>;

/// The middle number, of an even count the mean of the two in the middle. \pre values are not empty
double median(std::vector<double> values);

/// The quotients of two lists of the same length, number by number.
std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators);

/// Calls everything to warm up (up to five times what is short), then `rounds` times in turn. What took less
/// than 10 ms when warm is called again within a round until 20 ms are full, and the round counts the median
/// call. \param progress  called before each round with its number; 0 is the warm-up
RoundSeconds run_rounds(std::span<const Measurement> measurements, int rounds,
                        const std::function<void(int)>& progress);

/// Seconds that a call takes on a monotonic clock.
double seconds_of(const std::function<void()>& call);

}  // namespace gat::app
