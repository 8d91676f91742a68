// Whole steps on the arxiv-shaped graph, with and without dropout.
#include "bench/arxiv.hpp"
#include "bench/memory_probe.hpp"
#include "bench/suites.hpp"
#include "gat/graph/reorder.hpp"

namespace gat::app {

namespace {

constexpr double kGiga = 1e9;

// Counts for some 2.49 million edges with loops: operations, all bytes, and of these the gathered ones, which
// are rows of 1,024 bytes but for those of the last layer.
Work counted_work(const ArxivData& data, double gflop, double gigabytes, double gathered,
                  int last_layer_passes) {
  const double edges = static_cast<double>(data.num_edges());
  const double narrow = last_layer_passes * edges * 40 * sizeof(float);
  Work work;
  work.flop = gflop * kGiga;
  work.streamed_bytes = (gigabytes - gathered) * kGiga;
  work.gathered = {{&data.named, 256, gathered * kGiga - narrow}, {&data.named, 40, narrow}};
  return work;
}

}  // namespace

void build_arxiv(Suite& suite, const SuiteOptions& options) {
  MemoryProbe memory;
  const ArxivData& data = suite.make<ArxivData>();
  memory.restart_peak();
  GeneratedTraining& plain = suite.make<GeneratedTraining>(data, arxiv_network(0));
  const Execution most = options.executions.back();
  plain.steps.training_step(most);
  const Index peak = memory.peak_bytes();
  GeneratedTraining& dropping = suite.make<GeneratedTraining>(data, arxiv_network(0.5));

  const std::vector<NodeId> order = order_that_pays(data.graph, 256 * sizeof(Real));
  GeneratedTraining& reordered = suite.make<GeneratedTraining>(data, arxiv_network(0), order);

  const Work step = counted_work(data, 99.2, 19.9, 12.0, 2);
  const Work forward = counted_work(data, 36.8, 8.1, 5.8, 1);
  std::vector<std::size_t> steps;
  for (const Execution& on : options.executions) {
    steps.push_back(suite.add({"training step, no dropout", on.num_threads,
                               [&plain, on] { plain.steps.training_step(on); }, step,
                               on.num_threads == most.num_threads ? peak : 0}));
    suite.add({"evaluation", on.num_threads, [&plain, on] { plain.steps.evaluation(on); }, forward});
  }
  const std::size_t with_dropout = suite.add({"training step, dropout 0.5", most.num_threads,
                                              [&dropping, most] { dropping.steps.training_step(most); }});
  const std::size_t in_order = suite.add({"training step, no dropout, reordered", most.num_threads,
                                          [&reordered, most] { reordered.steps.training_step(most); }});
  Execution rounding = most;
  rounding.rows = RowPrecision::bf16;
  const std::size_t bf16 = suite.add({"training step, no dropout, bf16", most.num_threads,
                                      [&plain, rounding] { plain.steps.training_step(rounding); }});
  suite.compare("training step, bf16 / float", bf16, steps.back());
  suite.compare("training step, dropout 0.5 / none", with_dropout, steps.back());
  suite.compare("training step, as given / reordered", steps.back(), in_order);
  if (steps.size() > 1) suite.compare("training step, 1 thread / all", steps.front(), steps.back());
}

}  // namespace gat::app
