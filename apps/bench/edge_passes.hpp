/// The attention operator alone, forward and backward, with buffers of a largest shape.
#pragma once

#include "bench/suite.hpp"
#include "gat/kernels/attention.hpp"

namespace gat::app {

/// Scores and values are random numbers; no dropout, no terms of edges. With an execution that gathers bf16
/// the values are rounded beforehand, as a layer does.
class EdgePasses {
 public:
  EdgePasses(const BenchGraph& graph, const HeadLayout& largest);

  const BenchGraph& graph() const { return graph_; }
  void forward(const HeadLayout& layout, const Execution& execution);
  /// Uses the state of the last forward pass, which must have had the same shape.
  void backward(const HeadLayout& layout, const Execution& execution);

 private:
  AttentionInput input(const HeadLayout& layout, const Execution& execution);
  ScoreInput scores(const HeadLayout& layout);
  Bf16Rows rounded(ConstMatrixView values, const Execution& execution);

  const BenchGraph& graph_;
  Matrix values_, scores_source_, scores_destination_, out_, d_out_, row_max_, inverse_sum_, ones_;
  Matrix d_values_, d_scores_source_, d_scores_destination_, rounded_;
  Workspace workspace_;
};

/// Adds a forward and a backward case named "edge forward 8 x 32" and so on with a suffix. Returns the
/// number of the forward case; the backward case follows it.
/// \param limited  by one gather of the rows each way
std::size_t add_edge_passes(Suite& suite, EdgePasses& passes, const HeadLayout& layout,
                            const Execution& execution, bool limited = true, const std::string& suffix = "");

}  // namespace gat::app
