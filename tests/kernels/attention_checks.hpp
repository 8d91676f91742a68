/// What the tests of the attention operator share: comparisons, options of every kind, a graph with hubs.
#pragma once

#include "graphs.hpp"
#include "kernels/attention_reference.hpp"
#include "kernels/levels.hpp"

namespace gat::test {

/// Relative to the largest number of each array: 1e-5.
inline void check_close(const AttentionResults& results, const AttentionResults& expected) {
  results.compare(expected, [](const char* name, const Matrix& mine, const Matrix& theirs) {
    INFO(name);
    REQUIRE(mine.size() == theirs.size());
    // Closed edges have the logit −∞ in both; their difference would be NaN.
    Matrix finite_mine = mine;
    Matrix finite_theirs = theirs;
    for (Index k = 0; k < mine.size(); ++k) {
      if (mine.data()[k] == theirs.data()[k]) finite_mine.data()[k] = finite_theirs.data()[k] = 0;
    }
    double scale = 0;
    for (Index k = 0; k < theirs.size(); ++k) {
      if (std::isfinite(theirs.data()[k]))
        scale = std::max(scale, static_cast<double>(std::abs(theirs.data()[k])));
    }
    double worst = 0;
    for (Index k = 0; k < mine.size(); ++k) {
      const double difference =
          std::abs(static_cast<double>(finite_mine.data()[k] - finite_theirs.data()[k]));
      worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    }
    // With slope 1 the softmax cancels what a destination adds, and its gradient vanishes.
    CHECK(worst <= 1e-5 * (scale > 1e-9 ? scale : 1));
  });
}

inline void check_same_bits(const AttentionResults& results, const AttentionResults& expected) {
  results.compare(expected, [](const char* name, const Matrix& mine, const Matrix& theirs) {
    INFO(name);
    CHECK(same_bits(mine, theirs));
  });
}

inline AttentionResults run_once(const AttentionNumbers& numbers, const Execution& execution) {
  Workspace workspace;
  return run_attention(numbers, execution, workspace);
}

/// At every level, on a graph of which rows are split in both directions.
inline void check_bits_of_threads(const AttentionNumbers& numbers) {
  at_every_level([&](SimdLevel level) {
    const AttentionResults serial = run_once(numbers, {1, level});
    for (const int threads : {2, 3, 8}) {
      Workspace workspace;
      check_same_bits(run_attention(numbers, {threads, level}, workspace), serial);
      CHECK(workspace.statistics.largest_team == threads);
      CHECK(workspace.statistics.split_in_rows > 0);
      CHECK(workspace.statistics.split_out_rows > 0);
    }
  });
}

/// Each term alone, and several together.
inline const std::vector<AttentionOptions> kOptions{
    {},
    {.heads = 1, .dim = 1},
    {.heads = 8, .dim = 8},
    {.destination = false},
    {.edge = true},
    {.mask = true},
    {.log_prior_columns = 1},
    {.log_prior_columns = 3},
    {.factor_columns = 1},
    {.factor_columns = 3},
    {.dropout = 0.4},
    {.slope = 0},
    {.slope = 1},
    {.heads = 5,
     .dim = 7,
     .edge = true,
     .mask = true,
     .log_prior_columns = 5,
     .factor_columns = 1,
     .dropout = 0.5},
    {.edge = true, .mask = true, .log_prior_columns = 1, .factor_columns = 3, .dropout = 0.3, .slope = 0.01}};

/// 1500 edges into node 0 and 2500 out of node 1: both rows are longer than a chunk.
inline CsrGraph hub_graph() {
  EdgeList list = random_edge_list(2600, 2600, 6000, 5);
  for (NodeId k = 0; k < 1500; ++k) list.add(k + 1, 0);
  for (NodeId k = 0; k < 2500; ++k) list.add(1, k + 2);
  return build_graph(list, 2600, kAsGiven).graph;
}

}  // namespace gat::test
