#include "bench/rounds.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

namespace gat::app {

namespace {

// A step of a small graph lies below on slow machines too: what fits the caches is to be measured warm.
constexpr double kShort = 10e-3;
constexpr double kFull = 20e-3;
constexpr double kMostCalls = 5000;
constexpr int kWarmUpCalls = 5;
constexpr double kWarmUpSeconds = 0.05;

// OpenMP's threads go on spinning for a while after the measurement before and would share the
// processors with this one.
void let_others_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

// The fastest of a few calls says how long one takes: the first call pays for memory and caches, any may
// be interrupted.
int calls_per_round(const Measurement& measurement) {
  let_others_sleep();
  double spent = 0;
  double fastest = std::numeric_limits<double>::max();
  for (int k = 0; k < kWarmUpCalls && spent < kWarmUpSeconds; ++k) {
    const double seconds = seconds_of(measurement.run);
    spent += seconds;
    fastest = std::min(fastest, seconds);
  }
  if (fastest >= kShort) return 1;
  return static_cast<int>(std::min(kFull / std::max(fastest, 1e-7) + 1, kMostCalls));
}

double one_round(const Measurement& measurement, int calls) {
  let_others_sleep();
  // Caches hold what was measured before; calls that are repeated show themselves warm.
  if (calls > 1) measurement.run();
  std::vector<double> seconds;
  for (int k = 0; k < calls; ++k) seconds.push_back(seconds_of(measurement.run));
  return median(std::move(seconds));
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators) {
  std::vector<double> result;
  for (std::size_t k = 0; k < numerators.size(); ++k) result.push_back(numerators[k] / denominators[k]);
  return result;
}

double seconds_of(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

RoundSeconds run_rounds(std::span<const Measurement> measurements, int rounds,
                        const std::function<void(int)>& progress) {
  progress(0);
  std::vector<int> calls;
  for (const Measurement& measurement : measurements) calls.push_back(calls_per_round(measurement));
  RoundSeconds seconds(measurements.size());
  for (int round = 1; round <= rounds; ++round) {
    progress(round);
    for (std::size_t m = 0; m < measurements.size(); ++m)
      seconds[m].push_back(one_round(measurements[m], calls[m]));
  }
  return seconds;
}

}  // namespace gat::app
