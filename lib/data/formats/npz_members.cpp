#include "data/formats/npz_members.hpp"

#include <algorithm>
#include <fstream>
#include <unordered_set>
#include <utility>

#include "data/counted.hpp"
#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

bool starts_as_zip(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  char start[2] = {};
  std::ifstream(path, std::ios::binary).read(start, 2);
  return start[0] == 'P' && start[1] == 'K';
}

}  // namespace

bool has_members(const std::filesystem::path& path, std::initializer_list<std::string_view> names) {
  if (!starts_as_zip(path)) return false;
  const NpzArchive archive(path);
  return std::all_of(names.begin(), names.end(),
                     [&](std::string_view name) { return archive.contains(name); });
}

std::string shape_text(const StoredArray& array) {
  std::string text;
  for (const Index size : array.shape()) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text.empty() ? "a single value" : "shape " + text;
}

CsrMatrix read_csr(const NpzArchive& archive, const std::string& prefix) {
  return csr_from_arrays(archive.array(prefix + "shape").as_integers(), archive.array(prefix + "indptr"),
                         archive.array(prefix + "indices"), archive.array(prefix + "data"),
                         archive.place() + ": members " + prefix + "*");
}

EdgeList edges_of(const CsrMatrix& adjacency, const std::string& place) {
  if (adjacency.rows != adjacency.cols) {
    throw InputError(place, "found an adjacency matrix of " + std::to_string(adjacency.rows) + " x " +
                                std::to_string(adjacency.cols) + ", expected a square one");
  }
  EdgeList edges;
  edges.sources.reserve(adjacency.column_indices.size());
  edges.destinations = adjacency.column_indices;
  for (Index i = 0; i < adjacency.rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    edges.sources.resize(static_cast<std::size_t>(adjacency.row_offsets[at + 1]), static_cast<NodeId>(i));
  }
  return edges;
}

void set_classes(Dataset& dataset, const StoredArray& labels) {
  const std::vector<std::int64_t> values = labels.as_integers();
  if (labels.rank() != 1 || labels.size() != dataset.num_nodes()) {
    throw InputError(labels.place(), "found " + counted(labels.size(), "label") + " in " +
                                         counted(labels.rank(), "dimension") +
                                         ", expected one for each of the " +
                                         counted(dataset.num_nodes(), "node"));
  }
  const Index limit = std::max(dataset.num_nodes(), static_cast<Index>(dataset.class_names.size()));
  dataset.num_classes = static_cast<Index>(dataset.class_names.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= limit) {
      throw InputError(labels.place(), "found class " + std::to_string(values[i]) + " at node " +
                                           std::to_string(i) +
                                           ", more than there are nodes; number the classes 0, 1, 2, …");
    }
    const NodeId label = values[i] < 0 ? kNoLabel : static_cast<NodeId>(values[i]);
    dataset.labels.classes.push_back(label);
    dataset.num_classes = std::max<Index>(dataset.num_classes, label + 1);
  }
  if (!dataset.class_names.empty() && dataset.num_classes > static_cast<Index>(dataset.class_names.size())) {
    throw InputError(labels.place(),
                     "found class " + std::to_string(dataset.num_classes - 1) + ", but there are only " +
                         counted(static_cast<Index>(dataset.class_names.size()), "class name"));
  }
}

std::vector<std::string> read_names(const NpzArchive& archive, std::string_view member) {
  if (!archive.contains(member)) return {};
  const StoredArray array = archive.array(member);
  if (array.is_object()) return {};
  std::vector<std::string> names = array.as_strings();
  for (std::string& name : names) name.erase(name.find_last_not_of(" \t\r\n") + 1);
  return names;
}

void set_node_names(Dataset& dataset, std::vector<std::string> names) {
  if (names.empty()) return;
  if (static_cast<Index>(names.size()) != dataset.num_nodes()) {
    dataset.notes.push_back(counted(static_cast<Index>(names.size()), "node name") + " for " +
                            counted(dataset.num_nodes(), "node") + ": left out");
    return;
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    dataset.notes.push_back("node names are left out, \"" + name + "\" is there twice");
    return;
  }
  dataset.node_names = std::move(names);
}

}  // namespace gat::inline GAT_PRECISION
