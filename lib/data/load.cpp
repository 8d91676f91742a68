#include "gat/data/load.hpp"

#include <array>
#include <fstream>
#include <optional>

#include "data/finish_dataset.hpp"
#include "data/formats/format.hpp"
#include "data/formats/planetoid.hpp"
#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "gat/data/generate.hpp"
#include "gat/data/karate.hpp"

namespace gat::inline GAT_PRECISION {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 5> kNames{"karate", "synthetic-cora", "cora", "citeseer", "pubmed"};
constexpr std::array<std::string_view, 2> kMadeNames{"karate", "synthetic-cora"};
constexpr std::array<std::string_view, 3> kPlanetoidNames{"cora", "citeseer", "pubmed"};

bool is_name_of(std::span<const std::string_view> names, std::string_view name) {
  for (const std::string_view known : names) {
    if (known == name) return true;
  }
  return false;
}

bool exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::optional<fs::path> find_planetoid_set(const std::string& name, std::span<const fs::path> folders) {
  for (const fs::path& folder : folders) {
    for (const fs::path& place : {folder, folder / name, folder / "planetoid" / name}) {
      if (holds_planetoid_set(place, name)) return place / ("ind." + name + ".graph");
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse_absent(const std::string& name, std::span<const fs::path> folders) {
  std::string searched;
  for (const fs::path& folder : folders) {
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  throw FileError("data set \"" + name + "\" is not there: it has " + planetoid_files_text(name) + "; " +
                  (searched.empty() ? "no folder was searched"
                                    : "searched as FOLDER, FOLDER/" + name + " and FOLDER/planetoid/" + name +
                                          " in " + searched) +
                  "; give the path of the folder with these files, or name a folder to search that holds it "
                  "(--data-dir)");
}

const Format& format_named(const std::string& name) {
  for (const Format& format : formats()) {
    if (format.name == name) return format;
  }
  throw UsageError("there is no format \"" + name + "\"; " + known_names_hint(name, format_names()));
}

const Format& recognised_format(const fs::path& path) {
  for (const Format& format : formats()) {
    if (format.recognises(path)) return format;
  }
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && !std::ifstream(path)) {
    throw FileError(path.string() + ": cannot be opened; check its permissions");
  }
  std::string message = "no known format; expected one of";
  for (const Format& format : formats()) {
    message += (&format == formats().data() ? " " : "; ") + std::string(format.name) + ": " +
               std::string(format.needs);
  }
  throw InputError(path.string(), message);
}

Dataset load_path(const fs::path& path, const std::string& format_name) {
  const Format& format = format_name.empty() ? recognised_format(path) : format_named(format_name);
  std::error_code ignored;
  if (format.name.ends_with("npz") && fs::is_directory(path, ignored)) {
    throw InputError(path.string(),
                     "found a folder, expected " + std::string(format.needs) + "; name the file");
  }
  Dataset dataset = format.load(path);
  finish_dataset(dataset);
  return dataset;
}

}  // namespace

Dataset load_dataset(const std::string& name_or_path, const LoadOptions& options) {
  if (!options.format.empty()) format_named(options.format);
  if (is_name_of(kMadeNames, name_or_path)) {
    if (!options.format.empty()) {
      throw UsageError("data set \"" + name_or_path + "\" is built in and takes no format; leave out \"" +
                       options.format + "\", or give ./" + name_or_path + " for a path of this name");
    }
    return name_or_path == "karate" ? karate_club() : synthetic_cora(options.seed);
  }
  const bool planetoid = is_name_of(kPlanetoidNames, name_or_path);
  if (planetoid) {
    if (const auto path = find_planetoid_set(name_or_path, options.search_folders))
      return load_path(*path, "planetoid");
  }
  if (exists(name_or_path)) return load_path(name_or_path, options.format);
  if (planetoid) refuse_absent(name_or_path, options.search_folders);
  if (name_or_path.find_first_of("/\\.") != std::string::npos) {
    throw FileError(name_or_path + ": there is no such file or folder");
  }
  throw UsageError("\"" + name_or_path + "\" is neither a file or folder nor a known data set; " +
                   known_names_hint(name_or_path, kNames));
}

std::vector<std::string> dataset_names() { return {kNames.begin(), kNames.end()}; }

}  // namespace gat::inline GAT_PRECISION
