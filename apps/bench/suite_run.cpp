#include "bench/suite_run.hpp"

#include <algorithm>
#include <map>

#include "bench/rounds.hpp"

namespace gat::app {

namespace {

constexpr double kGiga = 1e9;
constexpr Rate kGeneralRates[] = {Rate::multiply_add, Rate::triad, Rate::read_l1, Rate::read_l2,
                                  Rate::read_l3};

std::vector<YardstickKey> needed_yardsticks(const Suite& suite, bool all) {
  std::vector<YardstickKey> keys;
  const auto need = [&](const YardstickKey& key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  };
  for (const Case& c : suite.cases()) {
    if (all) {
      for (const Rate rate : kGeneralRates) need({rate, c.threads});
    }
    for (const LimitPart& part : limit_parts(c.work, c.threads)) need(part.yardstick);
  }
  return keys;
}

// The yardsticks of a suite, each with its team.
class Yardsticks {
 public:
  explicit Yardsticks(std::vector<YardstickKey> keys) : keys_(std::move(keys)), yardsticks_(keys_.size()) {
    // Large teams come first: pages lie near the thread that touches them first.
    for (std::size_t k = keys_.size(); k-- > 0;) {
      std::unique_ptr<Team>& team = teams_[keys_[k].threads];
      if (!team) team = std::make_unique<Team>(keys_[k].threads);
      yardsticks_[k] = make_yardstick(keys_[k], *team, buffers_);
      yardsticks_[k]->tune();
    }
  }

  std::size_t size() const { return keys_.size(); }
  std::size_t find(const YardstickKey& key) const {
    return static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), key) - keys_.begin());
  }
  double amount(std::size_t k) const { return yardsticks_[k]->amount(); }
  Measurement measurement(std::size_t k) const {
    return {name_of(keys_[k]), [yardstick = yardsticks_[k].get()] { yardstick->run(); }};
  }
  YardstickResult result(std::size_t k, const std::vector<double>& seconds) const {
    YardstickResult result{
        name_of(keys_[k]), keys_[k].threads, unit_of(keys_[k].rate), yardsticks_[k]->variant(), {}};
    for (const double s : seconds) result.rates.push_back(amount(k) / s / kGiga);
    return result;
  }

 private:
  std::vector<YardstickKey> keys_;
  HugeBuffers buffers_;
  std::map<int, std::unique_ptr<Team>> teams_;
  std::vector<std::unique_ptr<Yardstick>> yardsticks_;
};

CaseResult case_result(const Case& c, const std::vector<double>& seconds, const Yardsticks& yardsticks,
                       const RoundSeconds& all) {
  CaseResult result{c.name, c.threads, seconds, {}, {}, c.peak_bytes, c.num_edges};
  if (!c.work.known()) return result;
  result.limit_seconds.assign(seconds.size(), 0);
  for (const LimitPart& part : limit_parts(c.work, c.threads)) {
    const std::size_t k = yardsticks.find(part.yardstick);
    for (std::size_t r = 0; r < seconds.size(); ++r)
      result.limit_seconds[r] += part.amount / yardsticks.amount(k) * all[k][r];
  }
  result.ratios = ratios(result.limit_seconds, seconds);
  return result;
}

}  // namespace

SuiteResult run_suite(const std::string& name, const Suite& suite, int rounds, bool all_yardsticks,
                      const std::function<void(int)>& progress) {
  const Yardsticks yardsticks(needed_yardsticks(suite, all_yardsticks));
  std::vector<Measurement> measurements;
  for (std::size_t k = 0; k < yardsticks.size(); ++k) measurements.push_back(yardsticks.measurement(k));
  for (const Case& c : suite.cases()) measurements.push_back({c.name, c.run});
  const RoundSeconds seconds = run_rounds(measurements, rounds, progress);

  SuiteResult result;
  result.name = name;
  result.remarks = suite.remarks();
  for (std::size_t k = 0; k < yardsticks.size(); ++k)
    result.yardsticks.push_back(yardsticks.result(k, seconds[k]));
  const std::size_t first = yardsticks.size();
  for (std::size_t c = 0; c < suite.cases().size(); ++c)
    result.cases.push_back(case_result(suite.cases()[c], seconds[first + c], yardsticks, seconds));
  for (const CaseRatio& ratio : suite.case_ratios())
    result.ratios.push_back(
        {ratio.name, ratios(seconds[first + ratio.numerator], seconds[first + ratio.denominator])});
  return result;
}

}  // namespace gat::app
