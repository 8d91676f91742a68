/// One call from a name or a path to a `Dataset`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

struct LoadOptions {
  std::string format;                                 ///< a name of `format_names()`; empty = from content
  std::vector<std::filesystem::path> search_folders;  ///< where named sets are looked for, in order
  std::uint64_t seed = 0;                             ///< of generated data sets
};

/// Loads a set of `dataset_names()`, or whatever lies at a path: a folder or file of a known format,
/// recognised from its content. `karate` is embedded and `synthetic-cora` generated; neither takes a
/// format. `cora`, `citeseer` and `pubmed` are files that lie in a search folder itself, in FOLDER/NAME
/// or in FOLDER/planetoid/NAME. Names come before paths; `./karate` is a path. Other sets load by
/// their path. (`datasets/catalogue.toml` tells people where to get files; no code reads it.)
/// \throws UsageError   neither a path nor a name (with the nearest known one), an unknown format, or a
///                      format for a set that takes none
/// \throws FileError    nothing lies at the path, or a named set is absent: its files, from where,
///                      folders searched
/// \throws InputError   bad bytes, a folder that lacks a file, empty tables, or no known format: place,
///                      what was found and expected, fix
Dataset load_dataset(const std::string& name_or_path, const LoadOptions& options = {});

/// The names of the file formats, in the order in which they are tried.
std::span<const std::string_view> format_names();
/// The data sets that can be loaded by name.
std::vector<std::string> dataset_names();

}  // namespace gat::inline GAT_PRECISION
