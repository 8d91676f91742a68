#include "data/formats/csr_npz.hpp"

#include <utility>

#include "data/counted.hpp"
#include "data/feature_forms.hpp"
#include "data/finish_dataset.hpp"
#include "data/formats/npz_members.hpp"
#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

/// What the members of one matrix begin with.
struct Prefixes {
  const char* adjacency;
  const char* features;
};
constexpr Prefixes kPlain{"adj_", "attr_"};
constexpr Prefixes kDotted{"adj_matrix.", "attr_matrix."};

// Labels are dense once read; a file of a few bytes must not ask for all memory.
constexpr Index kMaxLabels = Index(1) << 16;
constexpr Index kMaxTargets = Index(1) << 32;

bool has_adjacency(const std::filesystem::path& path, const Prefixes& prefixes) {
  const std::string p = prefixes.adjacency;
  return has_members(path, {p + "data", p + "indices", p + "indptr", p + "shape"});
}

void read_features(Dataset& dataset, const NpzArchive& archive, const std::string& prefix) {
  if (!archive.contains(prefix + "data")) {
    dataset.graph_data.features = identity_features(dataset.num_nodes());
    dataset.notes.push_back("no features: each node has its own (identity)");
    return;
  }
  CsrMatrix features = read_csr(archive, prefix);
  const std::string place = archive.place() + ": members " + prefix + "*";
  if (features.rows != dataset.num_nodes()) {
    throw InputError(place, "found " + counted(features.rows, "feature row") +
                                ", expected one for each of the " + counted(dataset.num_nodes(), "node"));
  }
  require_finite(features.view(), place);
  dataset.graph_data.features = features_from(std::move(features));
}

// Labels that overlap: entry (i, c) says that node i has label c.
void read_label_matrix(Dataset& dataset, const NpzArchive& archive) {
  const CsrMatrix labels = read_csr(archive, "labels.");
  const std::string place = archive.place() + ": members labels.*";
  if (labels.rows != dataset.num_nodes()) {
    throw InputError(place, "found " + counted(labels.rows, "label row") + ", expected one for each of the " +
                                counted(dataset.num_nodes(), "node"));
  }
  if (labels.cols > kMaxLabels || labels.rows * labels.cols > kMaxTargets) {
    throw LimitError(place + ": " + std::to_string(labels.rows) + " x " + std::to_string(labels.cols) +
                     " labels are more than this format reads");
  }
  Matrix& targets = dataset.labels.targets;
  targets.resize(labels.rows, labels.cols);
  for (Index i = 0; i < labels.rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (EdgeId k = labels.row_offsets[at]; k < labels.row_offsets[at + 1]; ++k) {
      const auto e = static_cast<std::size_t>(k);
      if (labels.values[e] != 0 && labels.values[e] != 1) {
        throw InputError(place, "row " + std::to_string(i) + ", column " +
                                    std::to_string(labels.column_indices[e]) +
                                    ": found a label entry that is neither 0 nor 1");
      }
      targets(i, labels.column_indices[e]) = labels.values[e];
    }
  }
  dataset.num_classes = labels.cols;
  if (static_cast<Index>(dataset.class_names.size()) != labels.cols) dataset.class_names.clear();
}

}  // namespace

bool recognises_csr_npz(const std::filesystem::path& path) {
  return has_adjacency(path, kPlain) || has_adjacency(path, kDotted);
}

Dataset load_csr_npz(const std::filesystem::path& path) {
  const NpzArchive archive(path);
  const Prefixes& prefixes = archive.contains("adj_matrix.data") ? kDotted : kPlain;
  Dataset dataset;
  dataset.name = path.stem().string();
  dataset.format = "csr-npz";
  dataset.source = path.string();
  dataset.suggested_direction = Direction::symmetrize;
  const CsrMatrix adjacency = read_csr(archive, prefixes.adjacency);
  const EdgeList edges =
      edges_of(adjacency, archive.place() + ": members " + std::string(prefixes.adjacency) + "*");
  dataset.graph_data.graph = graph_as_given(edges, adjacency.rows);
  read_features(dataset, archive, prefixes.features);
  dataset.class_names = read_names(archive, "class_names");
  if (archive.contains("labels.data")) read_label_matrix(dataset, archive);
  else if (archive.contains("labels")) set_classes(dataset, archive.array("labels"));
  else dataset.class_names.clear();
  set_node_names(dataset, read_names(archive, "node_names"));
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
