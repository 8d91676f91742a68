#include "data/formats/heterophilous_npz.hpp"

#include <array>
#include <utility>

#include "data/counted.hpp"
#include "data/feature_forms.hpp"
#include "data/finish_dataset.hpp"
#include "data/formats/npz_members.hpp"
#include "gat/core/error.hpp"
#include "gat/data/statistics.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

EdgeList read_edges(const StoredArray& array, Index num_nodes) {
  if (array.rank() != 2 || array.shape()[1] != 2) {
    throw InputError(array.place(), "found " + shape_text(array) + ", expected edges x 2");
  }
  const std::vector<std::int64_t> ids = array.as_integers();
  EdgeList edges;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] >= 0 && ids[k] < num_nodes) continue;
    throw InputError(array.place(), "edge " + std::to_string(k / 2) + ": node id " + std::to_string(ids[k]) +
                                        " is outside 0.." + std::to_string(num_nodes - 1) +
                                        ", the rows of node_features");
  }
  for (std::size_t k = 0; k < ids.size(); k += 2) {
    edges.add(static_cast<NodeId>(ids[k]), static_cast<NodeId>(ids[k + 1]));
  }
  return edges;
}

// One mask per split; a single one may come without that dimension.
std::vector<std::vector<NodeId>> read_masks(const StoredArray& array, Index num_nodes) {
  const Index splits = array.rank() == 2 ? array.shape()[0] : 1;
  if (array.rank() < 1 || array.rank() > 2 || array.shape().back() != num_nodes) {
    throw InputError(array.place(),
                     "found " + shape_text(array) + ", expected splits x " + std::to_string(num_nodes));
  }
  const std::vector<std::uint8_t> mask = array.as_booleans();
  std::vector<std::vector<NodeId>> parts(static_cast<std::size_t>(splits));
  for (std::size_t s = 0; s < parts.size(); ++s) {
    for (Index i = 0; i < num_nodes; ++i) {
      if (mask[s * static_cast<std::size_t>(num_nodes) + static_cast<std::size_t>(i)] != 0) {
        parts[s].push_back(static_cast<NodeId>(i));
      }
    }
  }
  return parts;
}

void read_splits(Dataset& dataset, const NpzArchive& archive) {
  constexpr std::array<const char*, 3> kMembers{"train_masks", "val_masks", "test_masks"};
  if (!archive.contains(kMembers[0])) return;
  std::array<std::vector<std::vector<NodeId>>, 3> parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    parts[p] = read_masks(archive.array(kMembers[p]), dataset.num_nodes());
    if (parts[p].size() == parts[0].size()) continue;
    throw InputError(archive.array(kMembers[p]).place(),
                     "found " + counted(static_cast<Index>(parts[p].size()), "split") + ", train_masks has " +
                         std::to_string(parts[0].size()));
  }
  for (std::size_t s = 0; s < parts[0].size(); ++s) {
    dataset.splits.push_back({std::move(parts[0][s]), std::move(parts[1][s]), std::move(parts[2][s])});
  }
  dataset.split_kind = "stored";
}

}  // namespace

bool recognises_heterophilous_npz(const std::filesystem::path& path) {
  return has_members(path, {"node_features", "node_labels", "edges"});
}

Dataset load_heterophilous_npz(const std::filesystem::path& path) {
  const NpzArchive archive(path);
  Dataset dataset;
  dataset.name = path.stem().string();
  dataset.format = "heterophilous-npz";
  dataset.source = path.string();
  const StoredArray features = archive.array("node_features");
  dataset.graph_data.features = features_from(features.as_matrix());
  require_finite(dataset.graph_data.features.view(), features.place());
  const Index num_nodes = dataset.graph_data.features.rows();
  dataset.graph_data.graph = graph_as_given(read_edges(archive.array("edges"), num_nodes), num_nodes);
  set_classes(dataset, archive.array("node_labels"));
  read_splits(dataset, archive);
  const EdgeStatistics counts = edge_statistics(dataset.graph_data.graph);
  if (counts.num_one_way == counts.num_distinct) dataset.suggested_direction = Direction::symmetrize;
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
