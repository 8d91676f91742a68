/// What `gat bench` says: tables for people, one JSON document for programs.
#pragma once

#include <span>
#include <string>

#include "bench/suite_run.hpp"
#include "output/json.hpp"

namespace gat::app {

/// "Seconds on a shared machine …": how the numbers may be used; part of both forms.
extern const char* const kBenchNote;

/// Yardsticks and cases with all their rounds: {"yardsticks": […], "cases": […], "case_ratios": […],
/// "remarks": […]}.
Json suites_json(std::span<const SuiteResult> results);
/// {"steps": […]}, the cases of a data set.
Json steps_json(const SuiteResult& result);

/// The tables of one suite; parts without rows are left out.
std::string suite_text(const SuiteResult& result);

/// A time in the unit that suits it: "12.3 ms".
std::string time_text(double seconds);

}  // namespace gat::app
