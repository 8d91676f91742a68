/// The CSR archives of gnn-benchmark (Shchur et al. 2018), ppnp and facebook-ego.
#pragma once

#include <filesystem>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

bool recognises_csr_npz(const std::filesystem::path& path);

/// Members `adj_data`, `adj_indices`, `adj_indptr`, `adj_shape` and `labels`, or with dotted names,
/// `adj_matrix.data`. Entry (i, j) is an edge i → j. Features are a CSR matrix, `attr_data` and so on or
/// `attr_matrix.data`, or a dense array of nodes × features, `attr_matrix`; identity features without,
/// and a note that names a member which may have been meant. Labels are one integer per node (negative =
/// none) or a CSR matrix of several labels per node, `labels_data` or `labels.data`; without them the set
/// has no labels. `class_names` and `node_names` are read when they are text. The usual protocol makes
/// these graphs symmetric.
/// \throws InputError
Dataset load_csr_npz(const std::filesystem::path& path);

}  // namespace gat::inline GAT_PRECISION
