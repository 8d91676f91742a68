// One layer of 4 × 16 on 1 million nodes with 100 features and 16 million edges.
#include "bench/edge_passes.hpp"
#include "bench/generated.hpp"
#include "bench/memory_probe.hpp"
#include "bench/suites.hpp"

namespace gat::app {

namespace {

constexpr Index kNodes = 1000000;
constexpr Index kFeatures = 100;
constexpr int kHeads = 4;
constexpr Index kHeadDim = 16;
constexpr Index kWidth = kHeads * kHeadDim;

// The product, features and result in order, columns of the graph, a row and a score per edge.
Work forward_work(const GeneratedData& data) {
  const auto nodes = static_cast<double>(kNodes);
  const auto edges = static_cast<double>(data.num_edges());
  Work work;
  work.flop = 2 * nodes * kFeatures * kWidth + 2 * edges * kWidth;
  work.streamed_bytes = sizeof(float) * (nodes * (kFeatures + 2 * kWidth + 2 * kHeads) + edges);
  work.gathered = {{&data.named, kWidth, sizeof(float) * edges * (kWidth + kHeads)}};
  return work;
}

// On top: the weights' gradient; for each edge a row of the gradient, two products with it, its three
// numbers per head, and one number per head written and read.
Work step_work(const GeneratedData& data) {
  const auto nodes = static_cast<double>(kNodes);
  const auto edges = static_cast<double>(data.num_edges());
  Work work = forward_work(data);
  work.flop += 2 * nodes * kFeatures * kWidth + 4 * edges * kWidth;
  work.streamed_bytes +=
      sizeof(float) * (nodes * (kFeatures + 4 * kWidth) + edges * (1 + 2 * kHeads)) + sizeof(EdgeId) * edges;
  work.gathered.front().bytes += sizeof(float) * edges * (kWidth + 3 * kHeads);
  return work;
}

}  // namespace

void build_large(Suite& suite, const SuiteOptions& options) {
  MemoryProbe memory;
  const GeneratedData& data = suite.make<GeneratedData>("large", million_nodes(), kFeatures, kWidth, 0.5);
  memory.restart_peak();
  const LayerShape layers[] = {{kHeads, kHeadDim}};
  GeneratedTraining& training = suite.make<GeneratedTraining>(data, gat_network(kFeatures, layers, 0));
  const Execution most = options.executions.back();
  training.steps.training_step(most);
  const Index peak = memory.peak_bytes();
  EdgePasses& passes = suite.make<EdgePasses>(data.named, HeadLayout(kHeads, kHeadDim));
  for (const Execution& on : options.executions) {
    add_edge_passes(suite, passes, HeadLayout(kHeads, kHeadDim), on);
    suite.add({"training step", on.num_threads, [&training, on] { training.steps.training_step(on); },
               step_work(data), on.num_threads == most.num_threads ? peak : 0});
    suite.add({"evaluation", on.num_threads, [&training, on] { training.steps.evaluation(on); },
               forward_work(data)});
  }
}

}  // namespace gat::app
