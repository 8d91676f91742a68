// The same layer from 10⁴ to 10⁷ edges at a fixed mean degree: time in units of the gather rate at that
// size, and memory.
#include "bench/generated.hpp"
#include "bench/memory_probe.hpp"
#include "bench/suites.hpp"

namespace gat::app {

namespace {

constexpr Index kDegree = 16;
constexpr Index kFeatures = 64;
constexpr LayerShape kLayer[] = {{4, 16}};
constexpr Index kSizes[] = {10000, 30000, 100000, 300000, 1000000, 3000000, 10000000};

PowerLawOptions graph_of(Index edges) {
  PowerLawOptions options;
  options.num_nodes = edges / kDegree;
  options.num_edges = edges;
  options.self_loops = true;
  return options;
}

}  // namespace

void build_scaling(Suite& suite, const SuiteOptions& options) {
  const Execution on = options.executions.back();
  for (const Index edges : kSizes) {
    MemoryProbe memory;
    const std::string size = std::to_string(edges) + " edges";
    const GeneratedData& data = suite.make<GeneratedData>(size, graph_of(edges), kFeatures, Index{64}, 0.5);
    memory.restart_peak();
    GeneratedTraining& training = suite.make<GeneratedTraining>(data, gat_network(kFeatures, kLayer, 0));
    training.steps.training_step(on);
    const Index peak = memory.peak_bytes();
    Work work;
    work.gathered = {{&data.named, 64, static_cast<double>(data.num_edges()) * 64 * sizeof(float)}};
    suite.add({"evaluation, " + size, on.num_threads, [&training, on] { training.steps.evaluation(on); },
               work, 0, edges});
    // One gather forward and one backward.
    work.gathered.front().bytes *= 2;
    suite.add({"training step, " + size, on.num_threads,
               [&training, on] { training.steps.training_step(on); }, work, peak, edges});
  }
}

}  // namespace gat::app
