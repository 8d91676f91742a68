#include "bench/data_bench.hpp"

#include <utility>

#include "bench/training_steps.hpp"
#include "gat/data/statistics.hpp"
#include "run/network_plan.hpp"
#include "system/environment.hpp"

namespace gat::app {

namespace {

// As `gat::train` decides: a copy of most edges would cost more than the missing rows save.
bool worth_pruning(const Blocks& field, Index num_edges) {
  Index edges = 0;
  for (int l = 0; l < field.num_layers(); ++l) edges += field.layer(l).num_edges();
  return edges <= num_edges * field.num_layers() / 2;
}

}  // namespace

DataBench bench_data(const Plan& plan, int rounds, const std::function<void(int)>& progress) {
  const Execution& on = plan.execution;
  const Split split = make_split(plan.dataset, plan.split, static_cast<std::uint64_t>(plan.seeds.front()));
  const Network network(plan.description.network);
  const StepTask task{network,
                      plan.graph.graph().view(),
                      plan.graph.features(),
                      plan.graph.edge_features(),
                      plan.dataset.labels,
                      split.train,
                      train_options(plan.settings, class_counts(plan.dataset, split.train), on)};
  Suite suite;
  TrainingSteps& whole = suite.make<TrainingSteps>(task, Blocks::whole(task.graph, network.num_steps()));
  whole.training_step(on);
  whole.evaluation(on);
  DataBench result;
  result.peak_bytes = peak_resident_bytes();
  suite.add({"training step", on.num_threads, [&] { whole.training_step(on); }});
  Blocks field = Blocks::receptive_field(plan.graph.graph(), split.train, network.reach(Mode::training));
  if (worth_pruning(field, task.graph.num_edges())) {
    TrainingSteps& pruned = suite.make<TrainingSteps>(task, std::move(field));
    suite.add({"training step, pruned", on.num_threads, [&] { pruned.training_step(on); }});
  }
  suite.add({"evaluation", on.num_threads, [&] { whole.evaluation(on); }});
  result.steps = run_suite(plan.dataset.name, suite, rounds, false, progress);
  return result;
}

}  // namespace gat::app
