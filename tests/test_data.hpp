/// Finds the real data sets that some tests read; those tests say so and pass when there are none.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "catch.hpp"

/// The path of a file below the folder of GAT_TEST_DATA (default: beside the project); warns and gives
/// nothing when it is not there.
inline std::optional<std::filesystem::path> find_test_data(const std::string& relative) {
  const char* const folder = std::getenv("GAT_TEST_DATA");
  const std::filesystem::path path =
      std::filesystem::path(folder != nullptr ? folder : GAT_DEFAULT_TEST_DATA) / relative;
  if (std::filesystem::exists(path)) return path;
  WARN("skipped: " << path.string() << " is not there; set GAT_TEST_DATA to the folder of the data sets");
  return std::nullopt;
}
