/// The safetensors container: named arrays and a map of strings in one file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gat/io/stored_array.hpp"

namespace gat::inline GAT_PRECISION {

struct Tensor {
  std::string name;
  StoredArray array;
};

/// What one file holds.
struct TensorFile {
  std::vector<Tensor> tensors;                  // read: in the order of their bytes
  std::map<std::string, std::string> metadata;  // UTF-8

  /// The tensor of that name, or null.
  const StoredArray* find(std::string_view name) const;
};

/// Strict, as the format's reference reader: a header of at most 100,000,000 bytes that starts with `{`,
/// no name twice, data contiguous from byte 0 without hole or overlap, sizes that agree with shapes and
/// with the file. Types BOOL, I8…I64, U8…U64, F16, BF16, F32, F64. Messages begin with `place`. Throws
/// `InputError`, `LimitError` for a header above its limit.
TensorFile parse_safetensors(std::string_view bytes, const std::string& place);
TensorFile read_safetensors(const std::filesystem::path& path);

/// Tensors by descending element width, then by name; the header padded so that data start at a
/// multiple of 8. The same content gives the same bytes. `UsageError` for a name that is twice there or
/// reserved (`__metadata__`), for text and object arrays, Fortran order and big-endian numbers, and for
/// strings that are not UTF-8.
std::string safetensors_bytes(const TensorFile& file);
/// Writes a file that appears whole or not at all.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

}  // namespace gat::inline GAT_PRECISION
