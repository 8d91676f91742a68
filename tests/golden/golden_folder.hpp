/// Where the golden vectors are.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace golden {

/// The copy that comes with these tests; all of it can be run.
inline std::filesystem::path own_folder() { return std::filesystem::path(GAT_TESTS_DIR) / "golden/vectors"; }

/// Whether the vectors that are tested are that copy.
inline bool is_own_copy() { return std::getenv("GAT_GOLDEN_DIR") == nullptr; }

/// The folder of GAT_GOLDEN_DIR, or the copy.
inline std::filesystem::path golden_folder() {
  return is_own_copy() ? own_folder() : std::filesystem::path(std::getenv("GAT_GOLDEN_DIR"));
}

}  // namespace golden
