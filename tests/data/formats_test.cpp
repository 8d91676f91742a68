/// Every sample below formats/<name>/good loads, every one below formats/<name>/bad is refused.

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "data/expectations.hpp"

namespace {

std::vector<std::filesystem::path> samples(std::string_view format, const std::string& kind) {
  const auto folder = std::filesystem::path(GAT_TESTS_DIR) / "data" / "formats" / format / kind;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

gat::Dataset load_as(std::string_view format, const std::filesystem::path& path) {
  gat::LoadOptions options;
  options.format = format;
  return gat::load_dataset(path.string(), options);
}

}  // namespace

TEST_CASE("every good sample of a format is recognised, loads and validates", "[data][formats]") {
  for (const std::string_view format : gat::format_names()) {
    const auto paths = samples(format, "good");
    CHECK_FALSE(paths.empty());
    for (const auto& path : paths) {
      INFO(path);
      const gat::Dataset data = gat::load_dataset(path.string());
      CHECK(data.format == format);
      CHECK_NOTHROW(data.validate());
      CHECK(data.fingerprint() == load_as(format, path).fingerprint());
    }
  }
}

TEST_CASE("every bad sample of a format is refused with the place", "[data][formats]") {
  for (const std::string_view format : gat::format_names()) {
    const auto paths = samples(format, "bad");
    CHECK_FALSE(paths.empty());
    for (const auto& path : paths) {
      INFO(path);
      try {
        load_as(format, path);
        FAIL_CHECK("was accepted");
      } catch (const gat::InputError& error) {
        CHECK(error.place().starts_with(path.string()));
        CHECK(std::string(error.what()).size() > error.place().size() + 10);
      }
    }
  }
}
