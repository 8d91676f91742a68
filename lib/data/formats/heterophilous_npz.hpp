/// The archives of the heterophilous-graph collection (Platonov et al. 2023).
#pragma once

#include <filesystem>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

bool recognises_heterophilous_npz(const std::filesystem::path& path);

/// Members `node_features` (N × F), `node_labels` (N), `edges` (E × 2, source and destination) and, if
/// there, `train_masks`, `val_masks`, `test_masks` (splits × N, or N for one split), in either array
/// order. The suggested direction is `symmetrize` where every edge is listed once. \throws InputError
Dataset load_heterophilous_npz(const std::filesystem::path& path);

}  // namespace gat::inline GAT_PRECISION
