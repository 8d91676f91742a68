#include "bench/edge_passes.hpp"

#include "bench/generated.hpp"
#include "gat/kernels/heads.hpp"

namespace gat::app {

namespace {

MatrixView shaped(Matrix& matrix, Index rows, Index cols) { return {matrix.data(), rows, cols}; }

}  // namespace

EdgePasses::EdgePasses(const BenchGraph& graph, const HeadLayout& largest)
    : graph_(graph),
      values_(random_matrix(graph.view.num_sources(), largest.width(), 11)),
      scores_source_(random_matrix(graph.view.num_sources(), largest.score_width(), 12)),
      scores_destination_(random_matrix(graph.view.num_destinations(), largest.score_width(), 13)),
      out_(graph.view.num_destinations(), largest.width()),
      d_out_(random_matrix(graph.view.num_destinations(), largest.width(), 14)),
      row_max_(graph.view.num_destinations(), largest.score_width()),
      inverse_sum_(row_max_),
      ones_(row_max_),
      d_values_(graph.view.num_sources(), largest.width()),
      d_scores_source_(graph.view.num_sources(), largest.score_width()),
      d_scores_destination_(graph.view.num_destinations(), largest.score_width()) {
  ones_.view().fill(1);
}

AttentionInput EdgePasses::input(const HeadLayout& layout, const Execution& execution) {
  const MatrixView values = shaped(values_, graph_.view.num_sources(), layout.width());
  AttentionInput input{graph_.view, layout, values, {}, {}, execution, workspace_};
  if (execution.rows == RowPrecision::bf16) input.bf16_values = rounded(values, execution);
  return input;
}
// Rounded once for each shape, so that the passes alone are timed.
Bf16Rows EdgePasses::rounded(ConstMatrixView values, const Execution& execution) {
  const bool is_new = rounded_.cols() != Bf16Rows::memory_cols(values.cols);
  if (is_new) rounded_.resize(values.rows, Bf16Rows::memory_cols(values.cols));
  const Bf16Rows rows(rounded_, values.cols);
  if (is_new) drop_heads({{}, graph_.view, values, {}, rows}, 0, values.rows, execution.simd);
  return rows;
}
ScoreInput EdgePasses::scores(const HeadLayout& layout) {
  return {shaped(scores_source_, graph_.view.num_sources(), layout.score_width()),
          shaped(scores_destination_, graph_.view.num_destinations(), layout.score_width()),
          {}};
}

void EdgePasses::forward(const HeadLayout& layout, const Execution& execution) {
  const Index rows = graph_.view.num_destinations();
  attention_forward(
      input(layout, execution), scores(layout),
      {shaped(row_max_, rows, layout.score_width()), shaped(inverse_sum_, rows, layout.score_width())},
      shaped(out_, rows, layout.width()), nullptr);
}

void EdgePasses::backward(const HeadLayout& layout, const Execution& execution) {
  const Index rows = graph_.view.num_destinations();
  // The gradient of the result is scaled in place by the inverse sums; with ones it stays what it is.
  attention_backward(
      input(layout, execution), scores(layout),
      {shaped(row_max_, rows, layout.score_width()), shaped(ones_, rows, layout.score_width())},
      shaped(out_, rows, layout.width()), shaped(d_out_, rows, layout.width()),
      {shaped(d_scores_source_, graph_.view.num_sources(), layout.score_width()),
       shaped(d_scores_destination_, rows, layout.score_width()),
       {}},
      {shaped(d_values_, graph_.view.num_sources(), layout.width()), {}, {}});
}

std::size_t add_edge_passes(Suite& suite, EdgePasses& passes, const HeadLayout& layout,
                            const Execution& execution, bool limited, const std::string& suffix) {
  const BenchGraph& graph = passes.graph();
  const Index edges = graph.view.num_edges();
  // Rows of bf16 are rows of half as many floats.
  const bool is_bf16 = execution.rows == RowPrecision::bf16;
  const Index width = is_bf16 ? Bf16Rows::memory_cols(layout.joined()) : layout.joined();
  Work work;
  if (limited) work.gathered = {{&graph, width, static_cast<double>(edges * width) * sizeof(Real)}};
  const std::string shape =
      std::to_string(layout.num_heads) + " x " + std::to_string(layout.head_dim) + suffix;
  const std::size_t first = suite.add({"edge forward " + shape, execution.num_threads,
                                       [=, &passes] { passes.forward(layout, execution); }, work, 0, edges});
  suite.add({"edge backward " + shape, execution.num_threads,
             [=, &passes] { passes.backward(layout, execution); }, work, 0, edges});
  return first;
}

}  // namespace gat::app
