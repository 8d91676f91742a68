/// Planetoid's citation sets (Yang et al. 2016): eight files `ind.NAME.*`, seven of them pickles.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// Whether `path` is a folder with at least one file `ind.NAME.PART`, or such a file.
bool recognises_planetoid(const std::filesystem::path& path);
/// Whether a folder holds at least one file of the set of this name.
bool holds_planetoid_set(const std::filesystem::path& folder, std::string_view name);
/// What a set consists of and where to get it, for messages.
std::string planetoid_files_text(const std::string& name);

/// \param path a folder with one set, or any file of a set
///
/// Row k of `tx` belongs to line k of `test.index`, which is not sorted. Nodes without a row (the gaps
/// of Citeseer's test range) get zero features, no label and no place in the split. Neighbour lists
/// stay as stored, duplicates and loops too; a neighbour v in the list of u is an edge u → v. The
/// public split trains on the rows of `y`, validates on the next 500 and tests `test.index`.
/// \throws UsageError  the folder holds several sets
/// \throws InputError  a file of the set is missing, files are damaged or do not fit together
Dataset load_planetoid(const std::filesystem::path& path);

}  // namespace gat::inline GAT_PRECISION
