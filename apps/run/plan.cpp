#include "run/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/data/load.hpp"
#include "gat/data/statistics.hpp"
#include "options/block_choice.hpp"
#include "options/option_value.hpp"
#include "options/position_choice.hpp"
#include "run/execution.hpp"
#include "run/network_plan.hpp"

namespace gat::app {

namespace fs = std::filesystem;

namespace {

std::string absolute(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

// A configuration must start the same run from any folder; names of data sets stay names.
void make_paths_absolute(Settings& settings, const Dataset& dataset) {
  const std::vector<std::string> names = dataset_names();
  const bool is_name = std::find(names.begin(), names.end(), settings.data) != names.end();
  std::error_code ignored;
  if (dataset.source != "embedded" && dataset.source != "generated" &&
      (!is_name || !settings.data_format.empty())) {
    if (fs::exists(settings.data, ignored)) settings.data = absolute(settings.data);
  }
  if (!settings.data_dir.empty()) settings.data_dir = absolute(settings.data_dir);
}

// Without an own choice, a split without validation nodes trains for all epochs.
void settle_stop_rule(const Call& call, const Split& split, Plan& plan) {
  Settings& s = plan.settings;
  if (stop_rule_named(s.stop) == StopRule::none || !split.validation.empty()) return;
  if (call.is_given("training.stop")) {
    throw UsageError("--stop " + s.stop +
                     ": needs validation nodes, and the split has none; use --stop none or another --split");
  }
  s.stop = "none";
  plan.remarks.push_back(
      "the split has no validation nodes, so all epochs are run and the last one is kept (--stop none)");
}

// A rule by ROC-AUC needs a binary task.
void check_stop_rule(const Plan& plan) {
  if (stop_rule_named(plan.settings.stop) != StopRule::roc_auc) return;
  if (!plan.multi_label() && plan.dataset.num_classes == 2) return;
  throw UsageError("--stop roc_auc: needs two classes, one per node, but " + plan.dataset.name + " has " +
                   std::to_string(plan.dataset.num_classes) +
                   (plan.multi_label() ? " labels, several per node" : " classes") + "; use --stop accuracy");
}

// The loss and its weights fit the labels.
void check_loss(const Plan& plan) {
  const Settings& s = plan.settings;
  const LossKind kind = loss_kind_named(s.loss);
  if (kind == LossKind::softmax && plan.multi_label())
    throw UsageError("--loss softmax: needs one class per node, but the nodes of " + plan.dataset.name +
                     " have several labels; use --loss sigmoid");
  if (kind == LossKind::sigmoid && !plan.multi_label())
    throw UsageError("--loss sigmoid: needs several labels per node, but each node of " + plan.dataset.name +
                     " has one class; use --loss softmax");
  if (s.class_weights != "none" && plan.multi_label())
    throw UsageError("--class-weights: weigh the softmax loss; several labels take --positive-weights");
  if (s.positive_weights != "none" && !plan.multi_label())
    throw UsageError("--positive-weights: weigh the sigmoid loss; one class per node takes --class-weights");
}

void settle_split(Plan& plan) {
  Settings& s = plan.settings;
  plan.split = parse_split(s.split);
  if (plan.split.kind == SplitOptions::Kind::file) plan.split.path = absolute(plan.split.path);
  if (plan.split.kind == SplitOptions::Kind::automatic) {
    if (plan.dataset.splits.empty()) {
      plan.split.kind = SplitOptions::Kind::fraction;
      plan.remarks.push_back(
          "the data has no split of its own: 60/20/20 of each class are drawn by the seed (--split)");
    } else {
      plan.split.kind = SplitOptions::Kind::stored;
      const std::size_t count = plan.dataset.splits.size();
      if (count > 1) {
        plan.remarks.push_back("stored split " + std::to_string(plan.split.index) + " of 0.." +
                               std::to_string(count - 1) + " is used (--split stored:K)");
      }
    }
  }
  s.split = describe(plan.split);
}

ModelDescription describe_model(const Settings& settings, const Dataset& dataset) {
  ModelDescription description;
  description.network = describe_network(settings, dataset);
  description.graph_policy = graph_policy(settings);
  description.input_transform = input_transform_named(settings.input_transform);
  description.positions = parse_positions(settings.positions).encodings;
  description.multi_label = dataset.labels.multi_label();
  description.class_names = dataset.class_names;
  return description;
}

}  // namespace

Plan make_plan(const Call& call) {
  Settings settings = call.settings;
  if (settings.data.empty()) {
    throw UsageError(
        "gat train: DATA is missing; name a data set, a file or a folder, for example gat train karate");
  }
  Dataset dataset = load_data(settings);
  if (dataset.labels.empty()) {
    throw InputError(dataset.source, "there are no labels to train on; add labels.csv (id,label)");
  }
  if (settings.direction == "auto") settings.direction = std::string(name_of(dataset.suggested_direction));
  if (settings.activation == "leaky-relu" && !call.is_given("model.activation_parameter"))
    settings.activation_parameter = 0.01;
  const std::string block(block_of(settings).name);
  settings.score = std::string(score_of(settings));
  settings.block = block;
  make_paths_absolute(settings, dataset);
  ModelDescription description = describe_model(settings, dataset);
  const Execution execution = execution_of(call);
  check_precision(Network(description.network), execution);
  PreparedGraph graph(dataset.graph_data, description.graph_policy, description.input_transform,
                      description.positions, execution.num_threads);
  std::string fingerprint = dataset.fingerprint();
  Plan plan{std::move(dataset),
            std::move(fingerprint),
            std::move(settings),
            {},
            std::move(description),
            std::move(graph),
            {},
            {},
            {}};
  plan.seeds = plan.settings.seeds.empty() ? std::vector<std::int64_t>{plan.settings.seed}
                                           : parse_ranges(plan.settings.seeds);
  plan.execution = execution;
  settle_split(plan);
  const Split split = make_split(plan.dataset, plan.split, static_cast<std::uint64_t>(plan.seeds.front()));
  settle_stop_rule(call, split, plan);
  check_stop_rule(plan);
  check_loss(plan);
  // For what it refuses.
  train_options(plan.settings, class_counts(plan.dataset, split.train), plan.execution);
  return plan;
}

Index training_memory(const Plan& plan) {
  const Network network(plan.description.network);
  return training_memory_bytes(network, plan.dataset.graph_data, plan.graph.graph().num_edges());
}

}  // namespace gat::app
