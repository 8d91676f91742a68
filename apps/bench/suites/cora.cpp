// Whole steps of the original's network on Cora's shape.
#include "bench/generated.hpp"
#include "bench/suites.hpp"
#include "gat/nn/model.hpp"
#include "run/network_plan.hpp"

namespace gat::app {

namespace {

// 28 MFLOP and 28 MB through the second cache per whole training step with all dropouts 0.6; 17 MFLOP and
// 18 MB per evaluation.
Work counted_work(double mega_flop, double megabytes) {
  Work work;
  work.flop = mega_flop * 1e6;
  work.l2_bytes = megabytes * 1e6;
  return work;
}

// The network of the original, with one input mask for all heads or one per head, and its data.
struct CoraTraining {
  CoraTraining(const Settings& settings_, Dataset dataset_)
      : settings(settings_),
        dataset(std::move(dataset_)),
        graph(dataset.graph_data, graph_policy(settings), InputTransform::row_normalize),
        network(describe_network(settings, dataset)),
        task{network, graph.graph().view(), graph.features(),
             {},      dataset.labels,       dataset.splits.front().train,
             {}},
        whole(with_optimizer(), Blocks::whole(task.graph, network.num_steps())),
        pruned(with_optimizer(),
               Blocks::receptive_field(graph.graph(), task.train, network.reach(Mode::training))) {}
  CoraTraining(const CoraTraining&) = delete;

  StepTask with_optimizer() const {
    StepTask with = task;
    with.options = train_options(settings, {}, 1);
    return with;
  }

  Settings settings;
  Dataset dataset;
  PreparedGraph graph;
  Network network;
  StepTask task;
  TrainingSteps whole, pruned;
};

// The real data where their folder is named, else a generated graph of the same sizes.
Settings cora_settings(const Settings& given, bool dropout_per_head) {
  Settings settings;
  settings.data_dir = given.data_dir;
  settings.data = given.data_dir.empty() ? "synthetic-cora" : "cora";
  settings.direction = "symmetrize";
  settings.dropout_per_head = dropout_per_head;
  // PyG's and DGL's layers drop inputs and coefficients; the original's also drops the projected features.
  if (!dropout_per_head) settings.value_dropout = 0;
  return settings;
}

}  // namespace

void build_cora(Suite& suite, const SuiteOptions& options) {
  const Settings settings = cora_settings(options.settings, false);
  CoraTraining& one_mask = suite.make<CoraTraining>(settings, load_data(settings));
  const Settings original = cora_settings(options.settings, true);
  CoraTraining& mask_per_head = suite.make<CoraTraining>(original, load_data(original));
  std::vector<std::size_t> steps;
  for (const Execution& on : options.executions) {
    const std::size_t whole =
        suite.add({"training step", on.num_threads, [&one_mask, on] { one_mask.whole.training_step(on); },
                   counted_work(28, 28)});
    const std::size_t pruned = suite.add(
        {"training step, pruned", on.num_threads, [&one_mask, on] { one_mask.pruned.training_step(on); }});
    const std::size_t evaluation =
        suite.add({"evaluation", on.num_threads, [&one_mask, on] { one_mask.whole.evaluation(on); },
                   counted_work(17, 18)});
    const std::size_t per_head = suite.add({"training step, mask per head", on.num_threads,
                                            [&mask_per_head, on] { mask_per_head.whole.training_step(on); }});
    const std::string suffix = on.num_threads == 1 ? ", 1 thread" : "";
    suite.compare("training step, pruned / whole" + suffix, pruned, whole);
    suite.compare("evaluation / training step" + suffix, evaluation, whole);
    suite.compare("training step, mask per head / one mask" + suffix, per_head, whole);
    steps.push_back(whole);
  }
  if (steps.size() > 1) suite.compare("training step, 1 thread / all", steps.front(), steps.back());
}

}  // namespace gat::app
