#include "bench/edge_passes.hpp"

#include "bench/generated.hpp"

namespace gat::app {

namespace {

MatrixView shaped(Matrix& matrix, Index rows, Index cols) { return {matrix.data(), rows, cols}; }

}  // namespace

EdgePasses::EdgePasses(const BenchGraph& graph, Index most_heads, Index most_width)
    : graph_(graph),
      values_(random_matrix(graph.view.num_sources(), most_width, 11)),
      scores_source_(random_matrix(graph.view.num_sources(), most_heads, 12)),
      scores_destination_(random_matrix(graph.view.num_destinations(), most_heads, 13)),
      out_(graph.view.num_destinations(), most_width),
      d_out_(random_matrix(graph.view.num_destinations(), most_width, 14)),
      row_max_(graph.view.num_destinations(), most_heads),
      inverse_sum_(graph.view.num_destinations(), most_heads),
      d_values_(graph.view.num_sources(), most_width),
      d_scores_source_(graph.view.num_sources(), most_heads),
      d_scores_destination_(graph.view.num_destinations(), most_heads) {}

void EdgePasses::forward(int num_heads, Index head_dim, int num_threads) {
  const Index sources = graph_.view.num_sources();
  const Index destinations = graph_.view.num_destinations();
  const Index width = num_heads * head_dim;
  attention_forward(
      {graph_.view, shaped(values_, sources, width), num_heads, {}, {}, num_threads, workspace_},
      {shaped(scores_source_, sources, num_heads), shaped(scores_destination_, destinations, num_heads), {}},
      {shaped(row_max_, destinations, num_heads), shaped(inverse_sum_, destinations, num_heads)},
      shaped(out_, destinations, width), nullptr);
}

void EdgePasses::backward(int num_heads, Index head_dim, int num_threads) {
  const Index sources = graph_.view.num_sources();
  const Index destinations = graph_.view.num_destinations();
  const Index width = num_heads * head_dim;
  attention_backward(
      {graph_.view, shaped(values_, sources, width), num_heads, {}, {}, num_threads, workspace_},
      {shaped(scores_source_, sources, num_heads), shaped(scores_destination_, destinations, num_heads), {}},
      {shaped(row_max_, destinations, num_heads), shaped(inverse_sum_, destinations, num_heads)},
      shaped(out_, destinations, width), shaped(d_out_, destinations, width),
      {shaped(d_scores_source_, sources, num_heads),
       shaped(d_scores_destination_, destinations, num_heads),
       {}},
      {shaped(d_values_, sources, width), {}, {}});
}

std::size_t add_edge_passes(Suite& suite, EdgePasses& passes, int num_heads, Index head_dim, int num_threads,
                            bool limited, const std::string& suffix) {
  const BenchGraph& graph = passes.graph();
  const Index edges = graph.view.num_edges();
  const Index width = num_heads * head_dim;
  Work work;
  if (limited) work.gathered = {{&graph, width, static_cast<double>(edges * width) * sizeof(Real)}};
  const std::string shape = std::to_string(num_heads) + " x " + std::to_string(head_dim) + suffix;
  const std::size_t first =
      suite.add({"edge forward " + shape, num_threads,
                 [=, &passes] { passes.forward(num_heads, head_dim, num_threads); }, work, 0, edges});
  suite.add({"edge backward " + shape, num_threads,
             [=, &passes] { passes.backward(num_heads, head_dim, num_threads); }, work, 0, edges});
  return first;
}

}  // namespace gat::app
