#include "data/formats/folder.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "data/counted.hpp"
#include "data/feature_forms.hpp"
#include "data/finish_dataset.hpp"
#include "data/formats/folder_tables.hpp"
#include "data/split_file.hpp"
#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> kTables{".csv", ".tsv", ".txt"};
constexpr std::array<std::string_view, 3> kEdgeLists{".edges", ".edgelist", ".el"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The ending of a file, without `.gz`.
std::string ending(const fs::path& path) {
  return path.extension() == ".gz" ? path.stem().extension().string() : path.extension().string();
}

template <class Endings>
bool ends_as(const fs::path& path, const Endings& endings) {
  return std::find(endings.begin(), endings.end(), ending(path)) != endings.end();
}

/// The one file of a name, with any of the usual endings. \throws UsageError when there are several
std::optional<fs::path> find_file(const fs::path& folder, const std::string& name, bool or_npy = false) {
  std::vector<fs::path> found;
  for (const std::string_view end : kTables) {
    for (const char* packed : {"", ".gz"}) {
      const fs::path file = folder / (name + std::string(end) + packed);
      if (is_file(file)) found.push_back(file);
    }
  }
  if (or_npy && is_file(folder / (name + ".npy"))) found.push_back(folder / (name + ".npy"));
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) {
    throw UsageError(folder.string() + ": both " + found[0].filename().string() + " and " +
                     found[1].filename().string() + "; keep one of them");
  }
  return found[0];
}

std::optional<fs::path> find_edges(const fs::path& folder) {
  if (const auto file = find_file(folder, "edges")) return file;
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (is_file(it->path()) && ends_as(it->path(), kEdgeLists)) found.push_back(it->path());
  }
  if (found.size() > 1) {
    std::sort(found.begin(), found.end());
    throw UsageError(folder.string() + ": several edge lists, " + found[0].filename().string() + " and " +
                     found[1].filename().string() + "; name the one you want");
  }
  if (found.empty()) return std::nullopt;
  return found[0];
}

// Text whose first row has at least two fields. What is no text is left to others.
bool starts_as_edge_list(const fs::path& path) {
  std::string start(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.size() == 4096) start.resize(start.find_last_of('\n') + 1);  // npos + 1 = 0
  if (start.empty() || start.find('\0') != std::string::npos) return false;
  try {
    const TextTable table(std::move(start), path.string());
    return table.num_rows() > 0 && table.num_fields(0) >= 2;
  } catch (const InputError&) {
    return false;
  }
}

/// A table that lies beside the edges: features, labels or split.
std::optional<fs::path> find_companion(const fs::path& folder) {
  for (const char* name : {"features", "labels", "split"}) {
    if (auto file = find_file(folder, name, std::string_view(name) == "features")) return file;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_without_edges(const fs::path& folder) {
  const auto companion = find_companion(folder);
  throw InputError(
      folder.string(),
      "edges.csv is missing" + (companion ? " beside " + companion->filename().string() : std::string()) +
          "; add it (or edges.tsv, edges.txt, *.edges): one line per edge, a source and a destination");
}

/// All tables of a folder before they are put together.
struct Tables {
  EdgeTable edges;
  std::optional<FeatureTable> features;
  std::optional<LabelTable> labels;
  std::string rows_of;  ///< what fixes the nodes, for messages
};

std::string rows_text(const fs::path& file, Index rows) {
  return file.filename().string() + " has " + counted(rows, "row");
}

NodeIds number_nodes(Tables& tables, const fs::path& features_file) {
  if (tables.features) {
    tables.rows_of = rows_text(features_file, tables.features->num_rows());
    if (tables.features->has_ids()) return NodeIds::listed(*tables.features->table(), 0);
    return NodeIds::row_numbers(tables.features->num_rows());
  }
  if (tables.labels && !tables.labels->has_ids()) {
    tables.rows_of = rows_text(tables.labels->table().name(), tables.labels->table().num_rows());
    return NodeIds::row_numbers(tables.labels->table().num_rows());
  }
  std::vector<std::string_view> ids = tables.edges.ids();
  if (tables.labels) {
    const std::vector<std::string_view> more = tables.labels->ids();
    ids.insert(ids.end(), more.begin(), more.end());
  }
  return NodeIds::collected(ids);
}

void set_features(Dataset& dataset, Tables& tables, Index num_nodes) {
  if (!tables.features) {
    dataset.graph_data.features = identity_features(num_nodes);
    dataset.notes.push_back("no features file: each node has its own feature (identity)");
    return;
  }
  if (const auto& table = tables.features->table()) {
    dataset.notes.push_back(describe_table(*table) + (tables.features->has_ids()
                                                          ? ", first column: node ids"
                                                          : ", no column of node ids"));
  }
  dataset.graph_data.features = features_from(tables.features->take());
}

std::string name_of(const fs::path& path, bool folder) {
  const fs::path full = fs::absolute(path).lexically_normal();
  if (!folder) return full.stem().string();
  return (full.has_filename() ? full : full.parent_path()).filename().string();
}

}  // namespace

bool recognises_folder(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return find_edges(path) || find_companion(path);
  if (!is_file(path)) return false;
  return ends_as(path, kTables) || ends_as(path, kEdgeLists) || starts_as_edge_list(path);
}

Dataset load_folder(const fs::path& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const auto edges_file = folder ? find_edges(path) : std::optional<fs::path>(path);
  if (!edges_file) refuse_without_edges(path);
  Tables tables{EdgeTable(*edges_file), {}, {}, {}};
  const auto features_file = folder ? find_file(path, "features", true) : std::nullopt;
  if (features_file) tables.features.emplace(*features_file, tables.edges.ids());
  if (const auto file = folder ? find_file(path, "labels") : std::nullopt) tables.labels.emplace(*file);
  const NodeIds nodes = number_nodes(tables, features_file.value_or(fs::path()));

  Dataset dataset;
  dataset.name = name_of(path, folder);
  dataset.format = "folder";
  dataset.source = path.string();
  dataset.notes = tables.edges.notes();
  dataset.node_names = nodes.names();
  dataset.graph_data.graph = graph_as_given(tables.edges.edges(nodes, tables.rows_of), nodes.size());
  dataset.graph_data.edge_features = tables.edges.edge_features();
  set_features(dataset, tables, nodes.size());
  if (tables.labels) tables.labels->set_labels(dataset, nodes, tables.rows_of);
  if (const auto file = folder ? find_file(path, "split") : std::nullopt) {
    dataset.splits.push_back(read_split_file(*file, dataset));
    dataset.split_kind = "stored";
  }
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
