// gat info: looks at each argument and says what it holds.
#include "verbs/info.hpp"

#include <filesystem>

#include "exit_code.hpp"
#include "output/sink.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace fs = std::filesystem;

namespace {

bool is_model(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (fs::exists(path / "model.safetensors", ignored)) return true;
    // The folder of several seeds; asking for its model says which ones there are.
    return fs::exists(path / "summary.json", ignored) && fs::exists(path / "config.toml", ignored);
  }
  return path.extension() == ".safetensors";
}

std::string scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "none";
  return json_line(value);
}

// Short things share a line; sentences have one each.
bool fits_one_line(const Json& value) {
  if (!value.is_array()) return false;
  for (const Json& element : value) {
    if (element.is_structured() || scalar_text(element).find(' ') != std::string::npos) return false;
  }
  return true;
}

std::string list_text(const Json& list) {
  std::string text;
  for (const Json& element : list) text += (text.empty() ? "" : ", ") + scalar_text(element);
  return text;
}

}  // namespace

std::string facts_text(const Json& facts, std::size_t indent) {
  const std::string space(indent, ' ');
  std::string text;
  for (const auto& [name, value] : facts.items()) {
    const std::string label = space + (facts.is_array() ? "-" : name + ":");
    if (fits_one_line(value)) {
      text += label + " " + list_text(value) + "\n";
    } else if (value.is_structured()) {
      text += label + "\n" + facts_text(value, indent + 2);
    } else {
      text += label + " " + scalar_text(value) + "\n";
    }
  }
  return text;
}

int run_info(const Call& call) {
  Json documents = Json::array();
  std::string text;
  for (const std::string& name : call.settings.files) {
    Json facts = is_model(name) ? model_facts(name) : dataset_facts(call, name);
    if (!text.empty()) text += "\n";
    text += facts_text(facts);
    documents.push_back(std::move(facts));
  }
  print(!call.settings.json ? text : json_document(documents.size() == 1 ? documents.front() : documents));
  return kDone;
}

}  // namespace gat::app
