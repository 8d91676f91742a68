/// The table of suites that `gat bench` knows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite.hpp"
#include "gat/core/execution.hpp"
#include "settings.hpp"

namespace gat::app {

/// What suites are made for.
struct SuiteOptions {
  const Settings& settings;
  std::vector<Execution> executions;  ///< by rising threads: 1 and the number to work with
};

/// To add a suite: a file in bench/suites/ with a function that adds its cases, and a line in the table.
struct SuiteEntry {
  std::string_view name;
  std::string_view summary;
  bool standard;  ///< part of `gat bench` without --suite
  void (*build)(Suite& suite, const SuiteOptions& options);
};

std::span<const SuiteEntry> suite_table();

/// The suites of a list of names: "cora,arxiv", "standard" or "all".
/// \throws UsageError for an unknown name, with the known ones
std::vector<const SuiteEntry*> suites_named(std::string_view names);

void build_kernels(Suite& suite, const SuiteOptions& options);
void build_cora(Suite& suite, const SuiteOptions& options);
void build_arxiv(Suite& suite, const SuiteOptions& options);
void build_large(Suite& suite, const SuiteOptions& options);
void build_scaling(Suite& suite, const SuiteOptions& options);
void build_scores(Suite& suite, const SuiteOptions& options);
void build_shapes(Suite& suite, const SuiteOptions& options);

}  // namespace gat::app
