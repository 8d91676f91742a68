// The facts behind gat info.
#include <cmath>

#include "gat/data/load.hpp"
#include "gat/data/statistics.hpp"
#include "gat/graph/statistics.hpp"
#include "run/model_on_data.hpp"
#include "run/network_plan.hpp"
#include "system/environment.hpp"
#include "system/threads.hpp"
#include "verbs/info.hpp"

namespace gat::app {

namespace {

Json edge_facts(const CsrGraph& graph) {
  const EdgeStatistics e = edge_statistics(graph);
  const DegreeStatistics d = in_degree_statistics(graph);
  const double one_way =
      e.num_distinct > 0 ? static_cast<double>(e.num_one_way) / static_cast<double>(e.num_distinct) : 0;
  return {{"stored", e.num_stored},
          {"undirected", e.num_undirected},
          {"duplicates", e.num_duplicates},
          {"self_loops", e.num_self_loops},
          {"one_way_share", one_way},
          {"isolated_nodes", e.num_isolated},
          {"in_degree", {{"smallest", d.smallest}, {"mean", d.mean}, {"largest", d.largest}}}};
}

Json split_facts(const Split& split) {
  return {
      {"train", split.train.size()}, {"validation", split.validation.size()}, {"test", split.test.size()}};
}

Json label_facts(const Dataset& dataset) {
  Json classes = Json::object();
  const std::vector<Index> counts = class_counts(dataset);
  for (std::size_t c = 0; c < counts.size(); ++c) classes[dataset.class_names[c]] = counts[c];
  return {{"kind", dataset.labels.multi_label() ? "several per node" : "one per node"},
          {"classes", dataset.num_classes},
          {"unlabelled_nodes", num_unlabelled(dataset)},
          {"nodes_by_class", classes}};
}

// What the network of these settings would need on this data.
Json training_facts(const Settings& settings, const Dataset& dataset) {
  Settings s = settings;
  if (s.direction == "auto") s.direction = std::string(name_of(dataset.suggested_direction));
  const Network network(describe_network(s, dataset));
  const BuiltGraph built = rebuild_graph(dataset.graph_data.graph, graph_policy(s));
  const Index bytes = training_memory_bytes(network, dataset.graph_data, built.report.num_edges);
  return {{"direction", s.direction},
          {"edges", built.report.num_edges},
          {"parameters", network.make_weights().num_parameters()},
          {"memory_bytes", bytes},
          {"memory", memory_text(bytes)}};
}

}  // namespace

Json dataset_facts(const Call& call, const std::string& name_or_path) {
  Settings settings = call.settings;
  settings.data = name_or_path;
  const Dataset dataset = load_data(settings);
  const GraphData& data = dataset.graph_data;
  const WeakComponents components = weak_components(data.graph);
  Json facts{{"data", dataset.name},
             {"format", dataset.format},
             {"source", dataset.source},
             {"fingerprint", dataset.fingerprint()},
             {"nodes", dataset.num_nodes()},
             {"features", data.num_features()},
             {"features_stored", data.features.is_sparse ? "sparse" : "dense"},
             {"edge_features", data.edge_features.cols()},
             {"edges", edge_facts(data.graph)},
             {"weak_components", {{"count", components.count}, {"largest", components.largest}}},
             {"suggested_direction", name_of(dataset.suggested_direction)},
             {"data_memory_bytes", data.memory_bytes()}};
  if (!dataset.labels.empty()) {
    facts["labels"] = label_facts(dataset);
    if (const auto homophily = edge_homophily(dataset)) facts["edge_homophily"] = *homophily;
    facts["training"] = training_facts(settings, dataset);
  }
  if (!dataset.splits.empty()) {
    facts["splits"] = {{"kind", dataset.split_kind},
                       {"count", dataset.splits.size()},
                       {"first", split_facts(dataset.splits.front())}};
  }
  if (call.is_given("data.split")) {
    const SplitOptions options = parse_split(settings.split);
    facts["split"] =
        split_facts(make_split(dataset, options, static_cast<std::uint64_t>(settings.data_seed)));
  }
  if (!dataset.notes.empty()) facts["notes"] = dataset.notes;
  return facts;
}

Json model_facts(const std::string& path) {
  const std::filesystem::path file = model_file(path);
  const Model model = Model::load(file);
  const ModelDescription& description = model.description();
  Json parameters = Json::object();
  for (const ParameterSpec& spec : model.weights().specs())
    parameters[spec.name] = json_line(Json(spec.shape));
  const GraphPolicy& policy = description.graph_policy;
  Json facts{{"model", file.string()},
             {"node_features", description.network.num_features},
             {"edge_features", description.network.edge_features},
             {"classes", description.class_names},
             {"labels", description.multi_label ? "several per node" : "one per node"},
             {"layers", network_lines(model.network())},
             {"num_parameters", model.weights().num_parameters()},
             {"parameters", parameters},
             {"graph_policy",
              {{"direction", name_of(policy.direction)},
               {"self_loops", name_of(policy.self_loops)},
               {"duplicates", name_of(policy.duplicates)},
               {"loop_fill", name_of(policy.loop_fill)}}},
             {"input_transform", name_of(description.input_transform)},
             {"positions", description.positions.empty() ? "none" : describe(description.positions)}};
  for (const auto& [name, value] : description.metadata) {
    const Json nested = Json::parse(value, nullptr, false);
    facts["origin"][name] = nested.is_object() ? nested : Json(value);
  }
  return facts;
}

}  // namespace gat::app
