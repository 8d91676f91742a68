/// Read-only zip archives: stored and deflated members, Zip64, every size and checksum verified.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gat/io/file.hpp"

namespace gat::inline GAT_PRECISION {

/// An open archive. The constructor reads only the list of members; `read` fetches one of them.
///
/// Refused with `InputError`: encrypted members, methods other than stored (0) and deflated (8),
/// absolute names and names with `..`, names that occur twice, members that overlap, sizes that
/// disagree with the file or with the data, wrong checksums, archives in several parts. Memory is
/// never taken on the word of a size field: what is allocated grows with what is really there, and
/// beyond 64 MiB data may not expand more than 1000 times (`LimitError`). More than a million members
/// are a `LimitError`.
class ZipArchive {
 public:
  explicit ZipArchive(const std::filesystem::path& path);
  ~ZipArchive();
  ZipArchive(ZipArchive&&) noexcept;
  ZipArchive& operator=(ZipArchive&&) noexcept;

  const std::filesystem::path& path() const { return path_; }
  /// Names in the order of the archive's directory; folders (names that end in `/`) are left out.
  const std::vector<std::string>& names() const { return names_; }
  bool contains(std::string_view name) const;
  /// The unpacked bytes of a member; `InputError` lists the members when there is none of that name.
  std::string read(std::string_view name, Index byte_limit = kDefaultByteLimit) const;
  /// What messages about a member begin with: `path: member name`.
  std::string place(std::string_view name) const;

 private:
  struct Contents;

  std::filesystem::path path_;
  std::vector<std::string> names_;
  std::unique_ptr<Contents> contents_;  // the open file and where its members lie
};

}  // namespace gat::inline GAT_PRECISION
