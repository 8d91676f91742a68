#include "data/formats/csr_npz.hpp"

#include <algorithm>
#include <iterator>
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
  const char* labels;
};
constexpr Prefixes kPlain{"adj_", "attr_", "labels_"};
constexpr Prefixes kDotted{"adj_matrix.", "attr_matrix.", "labels."};
/// Features that are not sparse, whatever the other names are.
constexpr const char* kDense = "attr_matrix";

// Labels are dense once read; a file of a few bytes must not ask for all memory.
constexpr Index kMaxLabels = Index(1) << 16;
constexpr Index kMaxTargets = Index(1) << 32;

bool has_adjacency(const std::filesystem::path& path, const Prefixes& prefixes) {
  const std::string p = prefixes.adjacency;
  return has_members(path, {p + "data", p + "indices", p + "indptr", p + "shape"});
}

[[noreturn]] void refuse_row_count(const std::string& place, Index rows, const Dataset& dataset,
                                   const std::string& fix = "") {
  throw InputError(place, "found " + counted(rows, "feature row") + ", expected one for each of the " +
                              counted(dataset.num_nodes(), "node") + fix);
}

Features read_sparse_features(const Dataset& dataset, const NpzArchive& archive, const std::string& prefix) {
  CsrMatrix features = read_csr(archive, prefix);
  const std::string place = archive.place() + ": members " + prefix + "*";
  if (features.rows != dataset.num_nodes()) refuse_row_count(place, features.rows, dataset);
  require_finite(features.view(), place);
  return features_from(std::move(features));
}

Features read_dense_features(const Dataset& dataset, const StoredArray& array) {
  using Kind = ElementType::Kind;
  const Kind kind = array.type().kind;
  if (kind == Kind::object || kind == Kind::text || kind == Kind::bytes) {
    throw InputError(
        array.place(),
        "holds " + (array.is_object() ? "Python objects" : "elements of type " + array.type().name()) +
            ", expected numbers, nodes x features; save it as a plain array of float32, a sparse "
            "matrix as attr_data, attr_indices, attr_indptr and attr_shape");
  }
  if (array.rank() != 2) {
    throw InputError(array.place(), "found " + shape_text(array) +
                                        ", expected nodes x features in 2 dimensions; "
                                        "give every node one row");
  }
  if (array.shape()[0] != dataset.num_nodes()) {
    const bool turned = array.shape()[1] == dataset.num_nodes();
    refuse_row_count(array.place(), array.shape()[0], dataset, turned ? "; transpose it" : "");
  }
  Matrix features = array.as_matrix();
  require_finite(FeatureView(features), array.place());
  return features_from(std::move(features));
}

// Members that other writers keep features in; names and texts of features are not meant.
bool may_be_features(std::string_view name) {
  constexpr std::string_view kOthers[] = {"features", "node_features", "node_attr", "feat", "x", "X"};
  if (name.starts_with("attr")) return !name.ends_with("names") && !name.ends_with("text");
  return std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers);
}

// No features, which is said; a member that may hold some is named, never passed over in silence.
Features without_features(Dataset& dataset, const NpzArchive& archive) {
  dataset.notes.push_back("no features: each node has its own (identity)");
  for (const std::string& name : archive.names()) {
    if (!may_be_features(name)) continue;
    dataset.notes.push_back("member \"" + name +
                            "\" is not read; this format's features are attr_matrix (dense) or attr_data, …");
  }
  return identity_features(dataset.num_nodes());
}

Features read_features(Dataset& dataset, const NpzArchive& archive) {
  std::vector<std::string> found;
  for (const Prefixes& prefixes : {kPlain, kDotted}) {
    const std::string prefix = prefixes.features;
    const auto has = [&](const char* part) { return archive.contains(prefix + part); };
    if (has("data") || has("indices") || has("indptr") || has("shape")) found.push_back(prefix);
  }
  const bool dense = archive.contains(kDense);
  if (found.size() + (dense ? 1 : 0) > 1) {
    throw InputError(archive.place(), "found features twice, in members " + found.front() + "* and in " +
                                          (dense ? std::string(kDense) : found.back() + "*") +
                                          "; keep one of them");
  }
  if (dense) return read_dense_features(dataset, archive.array(kDense));
  if (!found.empty()) return read_sparse_features(dataset, archive, found.front());
  return without_features(dataset, archive);
}

// Labels that overlap: entry (i, c) says that node i has label c.
void read_label_matrix(Dataset& dataset, const NpzArchive& archive, const std::string& prefix) {
  const CsrMatrix labels = read_csr(archive, prefix);
  const std::string place = archive.place() + ": members " + prefix + "*";
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
  dataset.graph_data.features = read_features(dataset, archive);
  dataset.class_names = read_names(archive, "class_names");
  const std::string labels = archive.contains("labels.data") ? kDotted.labels : kPlain.labels;
  if (archive.contains(labels + "data")) read_label_matrix(dataset, archive, labels);
  else if (archive.contains("labels")) set_classes(dataset, archive.array("labels"));
  else dataset.class_names.clear();
  set_node_names(dataset, read_names(archive, "node_names"));
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
