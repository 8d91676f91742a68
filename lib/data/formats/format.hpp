/// What a file format is, and the closed table of all of them.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// One way in which data sets lie on disk.
struct Format {
  std::string_view name;
  std::string_view needs;  ///< what a user must have, for the message when nothing fits
  /// Whether a path holds this format, from its content. Throws `InputError` only for files that can
  /// be nothing else and are damaged.
  bool (*recognises)(const std::filesystem::path& path);
  /// Reads everything but the notes that all formats share. Throws `InputError` and `FileError`.
  Dataset (*load)(const std::filesystem::path& path);
};

/// All formats, in the order in which they are tried.
std::span<const Format> formats();

}  // namespace gat::inline GAT_PRECISION
