// Single kernels at the sizes of the arxiv-shaped network, and of one with a million nodes; dense products
// beside those of other libraries.
#include "bench/arxiv.hpp"
#include "bench/edge_passes.hpp"
#include "bench/products.hpp"
#include "bench/suites.hpp"
#include "gat/graph/reorder.hpp"

namespace gat::app {

namespace {

struct ProductShape {
  Index rows, in, out;
};
constexpr ProductShape kProducts[] = {{169343, 128, 256}, {169343, 256, 256}, {1000000, 100, 64}};

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

// The edge passes on rows of bf16, beside those on floats.
void add_bf16(Suite& suite, EdgePasses& passes, std::size_t floats, Execution on) {
  on.rows = RowPrecision::bf16;
  const std::size_t bf16 = add_edge_passes(suite, passes, HeadLayout(8, 32), on, true, ", bf16");
  suite.compare("edge forward, bf16 / float", bf16, floats);
  suite.compare("edge backward, bf16 / float", bf16 + 1, floats + 1);
}

}  // namespace

void build_kernels(Suite& suite, const SuiteOptions& options) {
  const ArxivData& data = suite.make<ArxivData>();
  EdgePasses& passes = suite.make<EdgePasses>(data.named, HeadLayout(8, 32));
  std::size_t wide = 0;
  for (const Execution& on : options.executions) {
    wide = add_edge_passes(suite, passes, HeadLayout(8, 32), on);
    add_edge_passes(suite, passes, HeadLayout(1, 40), on);
  }
  add_bf16(suite, passes, wide, options.executions.back());
  add_reordered(suite, data, wide, options.executions.back());
  for (const ProductShape& shape : kProducts) {
    DenseProduct& product = suite.make<DenseProduct>(shape.rows, shape.in, shape.out);
    const std::size_t ours = add_products(suite, product, options.executions);
    add_product_peers(suite, product, ours, options.executions.back().num_threads);
  }
}

}  // namespace gat::app
