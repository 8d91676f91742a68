#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/rounds.hpp"
#include "system/environment.hpp"

namespace gat::app {

const char* const kBenchNote =
    "Compare ratios, not seconds: each is the median of ratios within one round, and what else the machine "
    "does changes from round to round.";

namespace {

double smallest(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

Json yardstick_json(const std::string& suite, const YardstickResult& yardstick) {
  return {{"suite", suite},           {"name", yardstick.name},       {"threads", yardstick.threads},
          {"unit", yardstick.unit},   {"variant", yardstick.variant}, {"median", median(yardstick.rates)},
          {"rounds", yardstick.rates}};
}

Json case_json(const std::string& suite, const CaseResult& result) {
  Json json{{"suite", suite},
            {"name", result.name},
            {"threads", result.threads},
            {"seconds_median", median(result.seconds)},
            {"seconds_min", smallest(result.seconds)},
            {"rounds", result.seconds}};
  if (!result.ratios.empty()) {
    json["limit_seconds_median"] = median(result.limit_seconds);
    json["ratio_median"] = median(result.ratios);
    json["ratios"] = result.ratios;
  }
  if (result.num_edges > 0)
    json["seconds_per_edge_median"] = median(result.seconds) / static_cast<double>(result.num_edges);
  if (result.peak_bytes > 0) json["peak_memory_bytes"] = result.peak_bytes;
  return json;
}

// Wide enough for every name of a suite.
std::size_t name_width(const SuiteResult& result) {
  std::size_t width = 46;
  for (const YardstickResult& y : result.yardsticks) width = std::max(width, y.name.size());
  for (const CaseResult& c : result.cases) width = std::max(width, c.name.size());
  for (const RatioResult& r : result.ratios) width = std::max(width, r.name.size());
  return width;
}

std::string yardstick_lines(const SuiteResult& result) {
  const std::size_t width = name_width(result);
  std::string text = fmt::format("  {:<{}} {:>7} {:>14}\n", "yardstick", width, "threads", "rate");
  for (const YardstickResult& y : result.yardsticks) {
    text += fmt::format("  {:<{}} {:>7} {:>6.1f} {:<7}", y.name, width, y.threads, median(y.rates), y.unit);
    text += y.variant.empty() ? "\n" : "  " + y.variant + "\n";
  }
  return text;
}

std::string case_lines(const SuiteResult& result) {
  const std::size_t width = name_width(result);
  std::string text =
      fmt::format("  {:<{}} {:>7} {:>10} {:>10} {:>6}\n", "case", width, "threads", "time", "limit", "ratio");
  for (const CaseResult& c : result.cases) {
    text += fmt::format("  {:<{}} {:>7} {:>10}", c.name, width, c.threads, time_text(median(c.seconds)));
    if (!c.ratios.empty())
      text += fmt::format(" {:>10} {:>6.3f}", time_text(median(c.limit_seconds)), median(c.ratios));
    if (c.num_edges > 0)
      text += fmt::format("  {:.2f} ns per edge", median(c.seconds) / static_cast<double>(c.num_edges) * 1e9);
    if (c.peak_bytes > 0) text += "  peak memory " + memory_text(c.peak_bytes);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

Json suites_json(std::span<const SuiteResult> results) {
  Json yardsticks = Json::array();
  Json cases = Json::array();
  Json ratios = Json::array();
  Json remarks = Json::array();
  for (const SuiteResult& suite : results) {
    for (const YardstickResult& y : suite.yardsticks) yardsticks.push_back(yardstick_json(suite.name, y));
    for (const CaseResult& c : suite.cases) cases.push_back(case_json(suite.name, c));
    for (const std::string& text : suite.remarks) remarks.push_back({{"suite", suite.name}, {"text", text}});
    for (const RatioResult& r : suite.ratios)
      ratios.push_back(
          {{"suite", suite.name}, {"name", r.name}, {"median", median(r.ratios)}, {"rounds", r.ratios}});
  }
  return {{"yardsticks", yardsticks}, {"cases", cases}, {"case_ratios", ratios}, {"remarks", remarks}};
}

Json steps_json(const SuiteResult& result) {
  Json steps = Json::array();
  for (const CaseResult& c : result.cases) {
    Json step = case_json(result.name, c);
    step.erase("suite");
    steps.push_back(std::move(step));
  }
  return {{"steps", steps}};
}

std::string suite_text(const SuiteResult& result) {
  std::string text = result.name + "\n";
  if (!result.yardsticks.empty()) text += yardstick_lines(result);
  text += case_lines(result);
  for (const RatioResult& r : result.ratios)
    text += fmt::format("  {:<{}} {:>36.3f}\n", r.name, name_width(result), median(r.ratios));
  for (const std::string& remark : result.remarks) text += "  " + remark + "\n";
  return text;
}

}  // namespace gat::app
