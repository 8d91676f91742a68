#include "run/run_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "gat/core/error.hpp"

namespace gat::app {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 7> kFiles{"config.toml",   "env.json",        "log.txt",
                                                 "metrics.jsonl", "predictions.csv", "model.safetensors",
                                                 "summary.json"};

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw FileError("run folder " + path.string() + ": " + what);
}

void make(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) refuse(path, "cannot be made: " + error.message() + "; choose another with --out");
}

// The first name in a folder that no run has written; empty when there is none.
std::string foreign_entry(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_ours = std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end();
    if (is_ours && entry.is_regular_file()) continue;
    if (name.starts_with("seed-") && entry.is_directory() && foreign_entry(entry.path()).empty()) continue;
    return name;
  }
  return "";
}

std::string folder_name(const std::string& data_name) {
  std::string name;
  for (const char c : data_name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          c == '-' || c == '_' || c == '.';
    name += is_plain ? c : '_';
  }
  return name.empty() || name.front() == '.' ? "data" + name : name;
}

fs::path make_numbered(const std::string& data_name) {
  make("runs");
  for (int number = 1;; ++number) {
    const fs::path path = fs::path("runs") / fmt::format("{}-gat-{:03}", folder_name(data_name), number);
    std::error_code error;
    if (fs::create_directory(path, error)) return path;
    if (error && error != std::errc::file_exists)
      refuse(path, "cannot be made: " + error.message() + "; choose another with --out");
  }
}

}  // namespace

RunFolder::RunFolder(const Settings& settings, const std::string& data_name) {
  if (settings.out.empty()) {
    path_ = final_path_ = make_numbered(data_name);
    made_ = true;
    return;
  }
  final_path_ = fs::path(settings.out).lexically_normal();
  if (!final_path_.has_filename()) final_path_ = final_path_.parent_path();
  path_ = final_path_;
  std::error_code error;
  const bool exists = fs::exists(final_path_, error);
  if (exists && !fs::is_directory(final_path_)) refuse(final_path_, "is a file; choose another with --out");
  if (exists && !fs::is_empty(final_path_)) {
    if (!settings.force) refuse(final_path_, "exists; --force replaces it, --out chooses another");
    if (const std::string other = foreign_entry(final_path_); !other.empty()) {
      refuse(final_path_, "holds \"" + other +
                              "\", which no run has written; it is not replaced, choose another with --out");
    }
    // A link keeps pointing where it did.
    if (fs::is_symlink(final_path_)) final_path_ = fs::canonical(final_path_);
    path_ = final_path_.string() + fmt::format(".new-{}", ::getpid());
  }
  made_ = !exists || path_ != final_path_;
  make(path_);
}

RunFolder::~RunFolder() {
  if (keep_ && path_ == final_path_) return;
  std::error_code ignored;
  if (made_) {
    fs::remove_all(path_, ignored);
    return;
  }
  for (const std::string_view name : kFiles) fs::remove(path_ / name, ignored);
}

void RunFolder::commit() {
  keep_ = true;
  if (path_ == final_path_) return;
  const fs::path old = final_path_.string() + fmt::format(".old-{}", ::getpid());
  fs::rename(final_path_, old);
  fs::rename(path_, final_path_);
  path_ = final_path_;
  fs::remove_all(old);
}

}  // namespace gat::app
