/// Everything that is decided before the first epoch: data, effective settings, graph, network.
#pragma once

#include <string>
#include <vector>

#include "gat/data/dataset.hpp"
#include "gat/data/split.hpp"
#include "gat/nn/model.hpp"
#include "verbs/verb_table.hpp"

namespace gat::app {

struct Plan {
  Dataset dataset;
  std::string fingerprint;  ///< of the data set
  Settings settings;        ///< nothing is "auto" any more; paths are absolute
  SplitOptions split;
  ModelDescription description;  ///< without metadata
  PreparedGraph graph;
  std::vector<std::int64_t> seeds;
  Execution execution;               ///< threads and instruction level
  std::vector<std::string> remarks;  ///< decisions that the user should know

  bool multi_label() const { return dataset.labels.multi_label(); }
  /// What the number is called that rules and summaries use: "accuracy" or "micro-F1".
  std::string score_name() const { return multi_label() ? "micro-F1" : "accuracy"; }
};

/// Loads the data and settles what was left open.
/// \throws UsageError when settings do not fit each other or the data, and what loading throws
Plan make_plan(const Call& call);

/// The lines that state every setting: data, graph, split, network, training.
std::vector<std::string> plan_lines(const Plan& plan);

/// As --split spells it; "public (stored:0)" for the one well-known split of a data set.
std::string split_name(const Dataset& dataset, const SplitOptions& options);

/// "train 140 (20 20 20 …), validation 500, test 1000"
std::string split_line(const Dataset& dataset, const Split& split);

/// Bytes that training will need besides the data.
Index training_memory(const Plan& plan);

}  // namespace gat::app
