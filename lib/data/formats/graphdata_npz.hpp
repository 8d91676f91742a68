/// The archives of the GraphData collection: SciPy matrices pickled inside an `.npz`.
#pragma once

#include <filesystem>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

bool recognises_graphdata_npz(const std::filesystem::path& path);

/// Members `adj_matrix` and, if there, `node_attr` (each a SciPy CSR matrix inside an array of one
/// object; identity features without `node_attr`) and `node_label` (one integer per node, negative =
/// none). The objects are read as data only; other classes are refused. Entry (i, j) is an edge i → j.
/// \throws InputError
Dataset load_graphdata_npz(const std::filesystem::path& path);

}  // namespace gat::inline GAT_PRECISION
