#include "bench/suites.hpp"

#include <algorithm>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "options/option_value.hpp"

namespace gat::app {

namespace {

constexpr SuiteEntry kTable[] = {
    {"kernels", "edge passes and dense products on the arxiv-shaped graph", true, build_kernels},
    {"cora", "training steps and evaluation on Cora's shape", true, build_cora},
    {"arxiv", "training steps and evaluation on a graph of ogbn-arxiv's shape", true, build_arxiv},
    {"large", "one layer on 1 million nodes and 16 million edges", true, build_large},
    {"scaling", "time and memory from 10 thousand to 10 million edges", false, build_scaling},
    {"scores", "the edge passes of every score on the arxiv-shaped graph", false, build_scores},
    {"shapes", "edge passes over heads and widths", false, build_shapes},
};

}  // namespace

std::span<const SuiteEntry> suite_table() { return kTable; }

std::vector<const SuiteEntry*> suites_named(std::string_view names) {
  std::vector<std::string_view> known{"standard", "all"};
  for (const SuiteEntry& entry : kTable) known.push_back(entry.name);
  std::vector<const SuiteEntry*> chosen;
  for (const std::string& name : cut(names, ',')) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError("there is no suite \"" + name + "\"; " + known_names_hint(name, known));
    for (const SuiteEntry& entry : kTable) {
      const bool asked = name == "all" || name == entry.name || (name == "standard" && entry.standard);
      if (asked && std::find(chosen.begin(), chosen.end(), &entry) == chosen.end()) chosen.push_back(&entry);
    }
  }
  return chosen;
}

}  // namespace gat::app
