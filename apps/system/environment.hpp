/// The process's surroundings: variables, folders, memory. Only the program reads them, never the library.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gat/core/real.hpp"

namespace gat::app {

/// The value of an environment variable; nothing when it is unset or empty.
std::optional<std::string> environment(const char* name);

/// Where named data sets are looked for: the given folder (if any), GAT_DATA_DIR, gat/datasets in the
/// user's cache, ./datasets.
std::vector<std::filesystem::path> data_folders(const std::string& data_dir);

/// Memory that the process holds now, and the most it held; 0 where the system does not say.
Index resident_bytes();
Index peak_resident_bytes();

/// "1.2 GiB", "340 MiB", "5 KiB".
std::string memory_text(Index bytes);

}  // namespace gat::app
