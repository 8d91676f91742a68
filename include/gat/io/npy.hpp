/// NumPy's array files: `.npy` and archives of them, `.npz`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gat/io/stored_array.hpp"
#include "gat/io/zip.hpp"

namespace gat::inline GAT_PRECISION {

/// Understands versions 1.0, 2.0 and 3.0 with a header of at most 64 KiB. An array of Python objects
/// is returned as such (`is_object()`), its values are refused when they are asked for. `place` names
/// the file in messages. Throws `InputError`.
StoredArray parse_npy(std::string bytes, const std::string& place);

StoredArray read_npy(const std::filesystem::path& path);

/// A version 1.0 file with the data at a multiple of 64 bytes; the array as it is stored. Objects and
/// bfloats have no such form: `UsageError`.
std::string npy_bytes(const StoredArray& array);

/// A `.npz` archive; arrays are read when asked for.
class NpzArchive {
 public:
  explicit NpzArchive(const std::filesystem::path& path) : zip_(path) {}

  /// The names of the arrays, without `.npy`.
  std::vector<std::string> names() const;
  /// Whether there is a member `name.npy`.
  bool contains(std::string_view name) const;
  /// Reads the member `name.npy`; messages begin with `path: member name.npy`.
  StoredArray array(std::string_view name) const;
  std::string place() const { return zip_.path().string(); }

 private:
  ZipArchive zip_;
};

}  // namespace gat::inline GAT_PRECISION
