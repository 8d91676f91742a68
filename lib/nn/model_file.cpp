// The model file: a safetensors container whose metadata holds the description as JSON under
// "gat.model", so that one file is a complete model.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "gat/core/error.hpp"
#include "gat/io/safetensors.hpp"
#include "gat/nn/model.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelKey = "gat.model";
// Version 1, before the first release, had one "input" per step and no "edges".
constexpr int kFormatVersion = 2;

Json to_json(const LayerDescription& layer) {
  Json options = Json::object();
  for (const auto& [name, value] : layer.options)
    options[name] = std::visit([](const auto& v) { return Json(v); }, value);
  return options;
}

Json to_json(const ModelDescription& model) {
  Json steps = Json::array();
  for (const Step& step : model.network.steps) {
    steps.push_back({{"name", step.name},
                     {"inputs", step.inputs.names()},
                     {"edges", name_of(step.edges)},
                     {"kind", step.layer.kind},
                     {"options", to_json(step.layer)}});
  }
  const GraphPolicy& policy = model.graph_policy;
  return {{"format_version", kFormatVersion},
          {"num_features", model.network.num_features},
          {"edge_features", model.network.edge_features},
          {"steps", steps},
          {"graph_policy",
           {{"direction", name_of(policy.direction)},
            {"self_loops", name_of(policy.self_loops)},
            {"duplicates", name_of(policy.duplicates)},
            {"dangling", name_of(policy.dangling)},
            {"loop_fill", name_of(policy.loop_fill)},
            {"loop_fill_constant", policy.loop_fill_constant}}},
          {"input_transform", name_of(model.input_transform)},
          {"positions", describe(model.positions)},
          {"multi_label", model.multi_label},
          {"class_names", model.class_names}};
}

OptionValue option_value(const Json& value, const std::string& name) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  throw UsageError("option \"" + name + "\" is neither a number, a text nor true or false");
}

Step step_from(const Json& json, int version) {
  Step step;
  step.name = json.at("name").get<std::string>();
  if (version == 1) {
    step.inputs = json.at("input").get<std::string>();
  } else {
    step.inputs = json.at("inputs").get<std::vector<std::string>>();
    step.edges = step_edges_named(json.at("edges").get<std::string>());
  }
  step.layer.kind = json.at("kind").get<std::string>();
  for (const auto& [name, value] : json.at("options").items())
    step.layer.options[name] = option_value(value, name);
  return step;
}

ModelDescription description_from(const Json& json) {
  const int version = json.at("format_version").get<int>();
  if (version < 1 || version > kFormatVersion) {
    throw UsageError("format version " + std::to_string(version) +
                     " is not known, this library reads versions 1 to " + std::to_string(kFormatVersion) +
                     "; use the version of gat that wrote the file");
  }
  ModelDescription model;
  model.network.num_features = json.at("num_features").get<Index>();
  model.network.edge_features = json.at("edge_features").get<Index>();
  for (const Json& step : json.at("steps")) model.network.steps.push_back(step_from(step, version));
  const Json& policy = json.at("graph_policy");
  model.graph_policy.direction = direction_named(policy.at("direction").get<std::string>());
  model.graph_policy.self_loops = self_loops_named(policy.at("self_loops").get<std::string>());
  model.graph_policy.duplicates = duplicates_named(policy.at("duplicates").get<std::string>());
  model.graph_policy.dangling = dangling_named(policy.at("dangling").get<std::string>());
  model.graph_policy.loop_fill = loop_fill_named(policy.at("loop_fill").get<std::string>());
  model.graph_policy.loop_fill_constant = policy.at("loop_fill_constant").get<double>();
  model.input_transform = input_transform_named(json.at("input_transform").get<std::string>());
  // Files from before there were encodings do not have the key.
  model.positions = parse_position_encodings(json.value("positions", std::string()));
  model.multi_label = json.at("multi_label").get<bool>();
  model.class_names = json.at("class_names").get<std::vector<std::string>>();
  return model;
}

// Hostile numbers must not become allocations: a weight can be no larger than the file that holds it.
void check_widths(const NetworkDescription& network, Index file_bytes) {
  const Index most = file_bytes;
  if (network.num_features < 0 || network.num_features > most || network.edge_features < 0 ||
      network.edge_features > most) {
    throw UsageError("feature widths do not fit the size of the file");
  }
  for (const Step& step : network.steps) {
    // Widths, and the least that any layer takes; one that needs more says so itself.
    constexpr std::pair<const char*, std::int64_t> kWidths[] = {
        {"num_heads", 1},       {"head_dim", 1},      {"out_features", 1},
        {"hidden_features", 0}, {"key_dim", 0},       {"query_dim", 0},
        {"output_dim", 0},      {"position_dim", 0},  {"destination_features", 0},
        {"value_features", 0},  {"num_positions", 1}, {"width", 0}};
    for (const auto& [name, least] : kWidths) {
      const auto found = step.layer.options.find(name);
      if (found == step.layer.options.end() || !std::holds_alternative<std::int64_t>(found->second)) continue;
      const std::int64_t width = std::get<std::int64_t>(found->second);
      if (width < least || width > most)
        throw UsageError(std::string(name) + " does not fit the size of the file");
    }
  }
}

std::string shape_text(std::span<const Index> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// Every parameter has its tensor and every tensor its parameter, checked before any weight is made: a
// file that lies about widths costs no memory.
void check_tensors(const TensorFile& file, const Network& network, const std::string& place) {
  std::vector<std::string> wanted;
  for (int k = 0; k < network.num_steps(); ++k) {
    for (const ParameterSpec& spec : network.layer(k).parameters()) {
      const std::string name =
          network.description().steps[static_cast<std::size_t>(k)].name + "." + spec.name;
      wanted.push_back(name);
      const StoredArray* array = file.find(name);
      if (array == nullptr) {
        throw InputError(
            place, "tensor \"" + name + "\" is missing; was it renamed, or is this another kind of model?");
      }
      if (array->shape() != spec.shape) {
        throw InputError(place, "tensor \"" + name + "\" has the shape " + shape_text(array->shape()) +
                                    ", the model needs " + shape_text(spec.shape));
      }
    }
  }
  for (const Tensor& tensor : file.tensors) {
    if (std::find(wanted.begin(), wanted.end(), tensor.name) == wanted.end()) {
      throw InputError(place, "tensor \"" + tensor.name + "\" belongs to no parameter of the model");
    }
  }
}

}  // namespace

Model Model::load(const std::filesystem::path& path) {
  TensorFile file = read_safetensors(path);
  const std::string place = path.string();
  const auto found = file.metadata.find(kModelKey);
  if (found == file.metadata.end()) {
    throw InputError(place,
                     "is a safetensors file without \"gat.model\" in its metadata; only models written by "
                     "gat can be loaded");
  }
  try {
    ModelDescription description = description_from(Json::parse(found->second));
    check_widths(description.network, static_cast<Index>(std::filesystem::file_size(path)));
    const Network network(description.network);
    check_tensors(file, network, place);
    Weights weights = network.make_weights();
    for (Index i = 0; i < weights.count(); ++i)
      weights.import_values(i, file.find(weights.spec(i).name)->as_reals());
    file.metadata.erase(kModelKey);
    file.metadata.erase("format");
    description.metadata = std::move(file.metadata);
    return Model(std::move(description), std::move(weights));
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(place, std::string("the model's description is wrong: ") + error.what());
  } catch (const nlohmann::json::exception& error) {
    throw InputError(
        place, std::string("the model's description (metadata \"gat.model\") is damaged: ") + error.what());
  }
}

void Model::save(const std::filesystem::path& path) const {
  TensorFile file;
  for (Index i = 0; i < weights_.count(); ++i) {
    file.tensors.push_back(
        {weights_.spec(i).name, StoredArray::of(weights_.export_values(i), weights_.spec(i).shape)});
  }
  file.metadata = description_.metadata;
  file.metadata["format"] = "pt";
  file.metadata["gat.version"] = GAT_VERSION;
  file.metadata[kModelKey] = to_json(description_).dump();
  write_safetensors(path, file);
}

}  // namespace gat::inline GAT_PRECISION
