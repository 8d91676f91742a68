// Single kernels at the sizes of the arxiv-shaped network.
#include "bench/arxiv.hpp"
#include "bench/edge_passes.hpp"
#include "bench/suites.hpp"
#include "gat/graph/reorder.hpp"
#include "gat/kernels/linear.hpp"

namespace gat::app {

namespace {

// Z = X W and its two gradients.
struct DenseProduct {
  DenseProduct(Index row_count, Index in, Index out)
      : rows(random_matrix(row_count, in, 21)),
        weight(random_matrix(in, out, 22)),
        result(row_count, out),
        d_weight(in, out),
        d_rows(row_count, in) {}

  LinearInput input() const {
    LinearInput input;
    input.rows = rows;
    return input;
  }
  double flop() const { return 2.0 * static_cast<double>(result.size()) * static_cast<double>(rows.cols()); }
  std::string shape() const {
    return std::to_string(rows.rows()) + " x " + std::to_string(rows.cols()) + " x " +
           std::to_string(result.cols());
  }

  Matrix rows, weight, result, d_weight, d_rows;
  Workspace workspace;
};

void add_product(Suite& suite, DenseProduct& product, const Execution& on) {
  Work work;
  work.flop = product.flop();
  suite.add({"product " + product.shape(), on.num_threads,
             [&product, on] {
               linear_forward(product.input(), product.weight, product.result, on, product.workspace);
             },
             work});
  suite.add({"product's weight gradient " + product.shape(), on.num_threads,
             [&product, on] {
               linear_backward_weight(product.input(), product.result, product.d_weight, on,
                                      product.workspace);
             },
             work});
  suite.add({"product's input gradient " + product.shape(), on.num_threads,
             [&product, on] {
               linear_backward_input(product.input(), product.weight, product.result, product.d_rows, on,
                                     product.workspace);
             },
             work});
}

// The edge passes on the graph laid out by clusters, beside those on the graph as given.
void add_reordered(Suite& suite, const ArxivData& data, std::size_t given, const Execution& on) {
  const std::vector<NodeId> order = order_that_pays(data.graph, 256 * sizeof(Real));
  const Blocks& blocks = suite.make<Blocks>(Blocks::reordered(data.graph, order, 1));
  const BenchGraph& graph = suite.make<BenchGraph>(BenchGraph{"arxiv, reordered", blocks.layer(0)});
  EdgePasses& passes = suite.make<EdgePasses>(graph, HeadLayout(8, 32));
  const std::size_t reordered = add_edge_passes(suite, passes, HeadLayout(8, 32), on, false, ", reordered");
  suite.compare("edge forward, as given / reordered", given, reordered);
  suite.compare("edge backward, as given / reordered", given + 1, reordered + 1);
}

}  // namespace

void build_kernels(Suite& suite, const SuiteOptions& options) {
  const ArxivData& data = suite.make<ArxivData>();
  EdgePasses& passes = suite.make<EdgePasses>(data.named, HeadLayout(8, 32));
  DenseProduct& narrow = suite.make<DenseProduct>(Index{169343}, Index{128}, Index{256});
  DenseProduct& square = suite.make<DenseProduct>(Index{169343}, Index{256}, Index{256});
  std::size_t wide = 0;
  for (const Execution& on : options.executions) {
    wide = add_edge_passes(suite, passes, HeadLayout(8, 32), on);
    add_edge_passes(suite, passes, HeadLayout(1, 40), on);
    add_product(suite, narrow, on);
    add_product(suite, square, on);
  }
  add_reordered(suite, data, wide, options.executions.back());
}

}  // namespace gat::app
