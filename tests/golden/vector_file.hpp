/// A golden vector as its file holds it: arrays by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gat/io/stored_array.hpp"

namespace golden {

struct VectorFile {
  std::string name;  ///< of the file, without `.npz`; only limits and messages use it
  std::map<std::string, gat::StoredArray, std::less<>> arrays;

  bool has(std::string_view array) const { return arrays.find(array) != arrays.end(); }
  /// \throws gat::UsageError when there is no such array
  const gat::StoredArray& array(std::string_view array) const;
  /// The only element of an array of shape (1,).
  double number(std::string_view array) const;
};

/// Every element as a double, in C order, from either precision of this library without a loss.
std::vector<double> doubles(const gat::StoredArray& array);
/// The reverse: `<f8`.
gat::StoredArray stored(const std::vector<double>& values, std::vector<gat::Index> shape);

VectorFile read_vector_file(const std::filesystem::path& path);
/// The number in the array `kind` of a file; nothing when the file or the array cannot be read.
std::optional<std::int64_t> kind_of(const std::filesystem::path& path);
/// The `.npz` files of a folder, sorted by name; none when there is no such folder.
std::vector<std::filesystem::path> vector_paths(const std::filesystem::path& folder);

/// The limits of all vectors in this program's precision: `limits.csv` beside them.
class Limits {
 public:
  explicit Limits(const std::filesystem::path& folder);
  bool knows(const std::string& name) const { return limits_.find(name) != limits_.end(); }
  /// Nothing where none is stated for this precision. \throws std::out_of_range for an unknown name
  std::optional<double> of(const std::string& name) const { return limits_.at(name); }

 private:
  std::map<std::string, std::optional<double>> limits_;
};

}  // namespace golden
