#include "run/model_on_data.hpp"

#include <algorithm>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/data/load.hpp"
#include "run/execution.hpp"
#include "run/network_plan.hpp"

namespace gat::app {

namespace fs = std::filesystem;

namespace {

// The number that the model gives each class of the data.
std::vector<NodeId> class_numbers(const Dataset& dataset, const std::vector<std::string>& model_classes,
                                  const std::string& place) {
  std::vector<NodeId> numbers;
  for (const std::string& name : dataset.class_names) {
    const auto found = std::find(model_classes.begin(), model_classes.end(), name);
    if (found == model_classes.end()) {
      throw InputError(dataset.source, "class \"" + name + "\" is not among the " +
                                           std::to_string(model_classes.size()) + " classes of the model " +
                                           place + "; use the data that it was trained on");
    }
    numbers.push_back(static_cast<NodeId>(found - model_classes.begin()));
  }
  return numbers;
}

// Class names decide, not their order: another file may list the same classes differently.
void renumber_labels(Dataset& dataset, const ModelDescription& model, const std::string& place) {
  if (dataset.labels.empty()) return;
  if (dataset.labels.multi_label() != model.multi_label) {
    throw InputError(dataset.source, std::string("its nodes have ") +
                                         (model.multi_label ? "one class" : "several labels") +
                                         " each, the model " + place + " was trained for the other kind");
  }
  const std::vector<NodeId> numbers = class_numbers(dataset, model.class_names, place);
  for (NodeId& label : dataset.labels.classes) {
    if (label >= 0) label = numbers[static_cast<std::size_t>(label)];
  }
  if (model.multi_label) {
    Matrix targets(dataset.num_nodes(), static_cast<Index>(model.class_names.size()));
    for (Index i = 0; i < targets.rows(); ++i) {
      for (std::size_t c = 0; c < numbers.size(); ++c)
        targets(i, numbers[c]) = dataset.labels.targets(i, static_cast<Index>(c));
    }
    dataset.labels.targets = std::move(targets);
  }
  dataset.class_names = model.class_names;
  dataset.num_classes = static_cast<Index>(model.class_names.size());
}

// The folder of the smallest seed in a run of several; empty when there is none.
std::string first_seed(const fs::path& path) {
  std::string first;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    std::error_code ignored;
    if (!fs::exists(entry.path() / "model.safetensors", ignored)) continue;
    const std::string name = entry.path().filename().string();
    // seed-9 comes before seed-10.
    const bool smaller = name.size() != first.size() ? name.size() < first.size() : name < first;
    if (first.empty() || smaller) first = name;
  }
  return first;
}

// Names for the outputs of a model that has none.
Model with_class_names(Model model) {
  if (!model.description().class_names.empty()) return model;
  ModelDescription description = model.description();
  for (Index c = 0; c < model.num_classes(); ++c) description.class_names.push_back(std::to_string(c));
  return Model(std::move(description), model.weights());
}

}  // namespace

fs::path model_file(const std::string& run_or_model) {
  const fs::path path = run_or_model;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  const fs::path file = path / "model.safetensors";
  if (fs::exists(file, ignored)) return file;
  if (const std::string name = first_seed(path); !name.empty()) {
    throw UsageError(run_or_model + ": holds runs of several seeds; name one, for example " +
                     (path / name).string());
  }
  throw FileError(run_or_model + ": is no run folder, it has no model.safetensors; check the path");
}

ModelOnData load_model_on_data(const Call& call) {
  fs::path path = model_file(call.settings.model);
  Model model = with_class_names(Model::load(path));
  const Execution execution = execution_of(call);
  check_precision(model.network(), execution);
  Provenance provenance = read_provenance(model.description().metadata, path.string());
  Dataset dataset = load_data(call.settings);
  const bool same = provenance.fingerprint.empty() || provenance.fingerprint == dataset.fingerprint();
  if (!same) {
    call.console.warn(dataset.name + " (" + dataset.source +
                      ") is not the data that the model was trained on, " + provenance.data_name + " (" +
                      provenance.data_source + "): its fingerprint is " + dataset.fingerprint() +
                      ", that was " + provenance.fingerprint);
  }
  // One pass over the graph would not win back the time that looking for an order takes.
  PreparedGraph graph = model.prepare(dataset.graph_data, Reorder::off, execution.num_threads);
  renumber_labels(dataset, model.description(), path.string());
  return {std::move(path),
          std::move(model),
          std::move(provenance),
          std::move(dataset),
          std::move(graph),
          execution,
          same};
}

}  // namespace gat::app
