// gat bench: suites of cases beside what the machine can do, or the steps of one network on one data set.
#include <fmt/format.h>

#include "bench/comparison.hpp"
#include "bench/data_bench.hpp"
#include "bench/loops.hpp"
#include "bench/report.hpp"
#include "bench/suites.hpp"
#include "exit_code.hpp"
#include "gat/core/error.hpp"
#include "output/sink.hpp"
#include "run/environment_file.hpp"
#include "run/execution.hpp"
#include "run/report.hpp"
#include "system/environment.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

// A line per round on a terminal; elsewhere nothing but the start of each suite.
std::function<void(int)> round_lines(Console& console, const std::string& name, int rounds) {
  return [&console, name, rounds](int round) {
    if (round == 0) console.note(name + ": warming up");
    if (console.can_move()) console.draw_line(fmt::format("{}: round {} of {}", name, round, rounds));
  };
}

Json measure_data(const Call& call, int rounds, std::string& text) {
  const Plan plan = make_plan(call);
  for (const std::string& line : plan_lines(plan)) call.console.note(line);
  const DataBench result = bench_data(plan, rounds, round_lines(call.console, plan.dataset.name, rounds));
  Json json = steps_json(result.steps);
  json["peak_memory_bytes"] = result.peak_bytes;
  json["threads"] = plan.execution.num_threads;
  json["data"] = {
      {"name", plan.dataset.name}, {"source", plan.dataset.source}, {"fingerprint", plan.fingerprint}};
  json["settings"] = settings_json(plan.settings);
  text = suite_text(result.steps) + "peak memory " + memory_text(result.peak_bytes) + "\n";
  return json;
}

Json measure_suites(const Call& call, int rounds, std::string& text) {
  const Execution most = execution_of(call);
  SuiteOptions options{call.settings, {{1, most.simd}}};
  if (most.num_threads > 1) options.executions.push_back(most);
  std::vector<SuiteResult> results;
  for (const SuiteEntry* entry : suites_named(call.settings.suite)) {
    call.console.note(std::string(entry->name) + ": " + std::string(entry->summary));
    Suite suite;
    entry->build(suite, options);
    results.push_back(run_suite(std::string(entry->name), suite, rounds, true,
                                round_lines(call.console, std::string(entry->name), rounds)));
    call.console.clear_line();
    text += suite_text(results.back()) + "\n";
  }
  Json json = suites_json(results);
  json["yardstick_level"] = best_loops().name;
  return json;
}

}  // namespace

int run_bench(const Call& call) {
  const Settings& settings = call.settings;
  if (!settings.data.empty() && settings.suite != Settings{}.suite)
    throw UsageError("--suite: " + settings.suite + " and DATA exclude each other; leave one");
  if (settings.data.empty() && settings.precision != Settings{}.precision)
    throw UsageError("--precision " + settings.precision +
                     ": is for DATA; the suites kernels and arxiv measure both precisions");
  std::vector<TimedCase> earlier;
  if (!settings.compare.empty()) earlier = read_cases(settings.compare);
  const int rounds = static_cast<int>(settings.rounds);
  std::string text;
  Json json = settings.data.empty() ? measure_suites(call, rounds, text) : measure_data(call, rounds, text);
  call.console.clear_line();
  json["program"] = build_information();
  json["processor"] = processor_name();
  json["simd"] = name_of(execution_of(call).simd);
  json["round_count"] = rounds;
  json["note"] = kBenchNote;
  if (!settings.compare.empty()) {
    json["comparison"] = comparison_json(earlier, cases_of(json, "this run"));
    text += comparison_text(json["comparison"]);
  }
  print(settings.json ? json_document(json)
                      : text + fmt::format("{} rounds on {}, {} kernels. {}\n", rounds, processor_name(),
                                           name_of(execution_of(call).simd), kBenchNote));
  return kDone;
}

}  // namespace gat::app
