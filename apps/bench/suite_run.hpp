/// Runs a suite in interleaved rounds together with the yardsticks that its limits rest on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/suite.hpp"

namespace gat::app {

struct YardstickResult {
  std::string name;
  int threads = 1;
  const char* unit = "";
  std::string variant;
  std::vector<double> rates;  ///< one per round, in the unit
};

struct CaseResult {
  std::string name;
  int threads = 1;
  std::vector<double> seconds;        ///< one per round
  std::vector<double> limit_seconds;  ///< from each round's own yardsticks; empty = no limit
  std::vector<double> ratios;         ///< limit / seconds within each round: 1 is the machine's limit
  Index peak_bytes = 0, num_edges = 0;
};

struct RatioResult {
  std::string name;
  std::vector<double> ratios;  ///< one per round
};

struct SuiteResult {
  std::string name;
  std::vector<YardstickResult> yardsticks;
  std::vector<CaseResult> cases;
  std::vector<RatioResult> ratios;
  std::vector<std::string> remarks;
};

/// \param all_yardsticks  also those on which no limit of the suite rests, at each of its thread counts
/// \param progress  called before each round; 0 is the warm-up
SuiteResult run_suite(const std::string& name, const Suite& suite, int rounds, bool all_yardsticks,
                      const std::function<void(int)>& progress);

}  // namespace gat::app
