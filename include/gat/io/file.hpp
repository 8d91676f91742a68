/// Whole files in and out; the only place of the library that writes to disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// What readers accept unless told otherwise: 64 GiB.
inline constexpr Index kDefaultByteLimit = Index{1} << 36;

/// The bytes of a file; pipes are read to their end. Throws `FileError` when the file cannot be
/// opened or read, `LimitError` when it holds more than `byte_limit` bytes.
std::string read_file(const std::filesystem::path& path, Index byte_limit = kDefaultByteLimit);

/// Writes a file that appears whole or not at all.
///
/// Bytes go to a temporary file in the same folder; `commit` flushes it to the disk, gives it its
/// name and flushes the folder. Without `commit` (an exception, an early return) the temporary file
/// is removed and an older file of that name stays as it was. A symbolic link keeps pointing where
/// it did: its target is replaced. Devices and pipes are refused. All errors are `FileError`.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Appends bytes.
  void write(std::string_view bytes);
  /// Makes the file visible under its name; called once, nothing may be written afterwards.
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* action, int error_number) const;

  std::filesystem::path path_;       // as the user named it, for messages
  std::filesystem::path target_;     // links resolved
  std::filesystem::path temporary_;  // empty once committed
  std::string buffer_;
  int descriptor_ = -1;
};

/// Writes all bytes at once through a `FileWriter`.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace gat::inline GAT_PRECISION
