#include "data/formats/graphdata_npz.hpp"

#include <utility>

#include "data/counted.hpp"
#include "data/feature_forms.hpp"
#include "data/finish_dataset.hpp"
#include "data/formats/npz_members.hpp"
#include "gat/core/error.hpp"
#include "gat/io/pickle.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

CsrMatrix read_object(const StoredArray& array) {
  if (!array.is_object() || array.size() != 1) {
    throw InputError(array.place(), "found an array of " + array.type().name() +
                                        ", expected one SciPy matrix as a Python object");
  }
  const Pickle pickle(std::string(array.bytes()), array.place());
  return pickle.root().at(0).as_csr();
}

void read_features(Dataset& dataset, const NpzArchive& archive) {
  if (!archive.contains("node_attr")) {
    dataset.graph_data.features = identity_features(dataset.num_nodes());
    dataset.notes.push_back("no features: each node has its own (identity)");
    return;
  }
  const StoredArray array = archive.array("node_attr");
  CsrMatrix features = read_object(array);
  if (features.rows != dataset.num_nodes()) {
    throw InputError(array.place(), "found " + counted(features.rows, "feature row") +
                                        ", expected one for each of the " +
                                        counted(dataset.num_nodes(), "node"));
  }
  require_finite(features.view(), array.place());
  dataset.graph_data.features = features_from(std::move(features));
}

}  // namespace

bool recognises_graphdata_npz(const std::filesystem::path& path) { return has_members(path, {"adj_matrix"}); }

Dataset load_graphdata_npz(const std::filesystem::path& path) {
  const NpzArchive archive(path);
  Dataset dataset;
  dataset.name = path.stem().string();
  dataset.format = "graphdata-npz";
  dataset.source = path.string();
  dataset.suggested_direction = Direction::symmetrize;
  const StoredArray array = archive.array("adj_matrix");
  const CsrMatrix adjacency = read_object(array);
  dataset.graph_data.graph = graph_as_given(edges_of(adjacency, array.place()), adjacency.rows);
  read_features(dataset, archive);
  if (archive.contains("node_label")) set_classes(dataset, archive.array("node_label"));
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
