/// Splits that users keep in a table of node ids and parts.
#pragma once

#include <filesystem>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// Reads a table with two columns, the original node id and `train`, `validation` (or `val`, `valid`)
/// or `test`. Nodes that are not listed are in no part.
/// \throws InputError with the place for an unknown id or part, and for a node that is listed twice
Split read_split_file(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace gat::inline GAT_PRECISION
