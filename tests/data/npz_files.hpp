/// Archives of arrays for tests of the `.npz` formats, small enough to check by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "io/builders.hpp"

/// The members of an `.npz`; tests replace or remove some before it is written.
struct NpzFile {
  std::map<std::string, std::string> members;  ///< name without .npy → bytes

  template <class Number>
  void put(const std::string& name, const std::string& dtype, const std::string& shape,
           const std::vector<Number>& values, bool fortran_order = false) {
    std::string raw(values.size() * sizeof(Number), '\0');
    if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
    members[name] = npy(dtype, shape, raw, fortran_order);
  }
  void integers(const std::string& name, const std::vector<std::int32_t>& values) {
    put(name, "<i4", "(" + std::to_string(values.size()) + ",)", values);
  }
  void reals(const std::string& name, const std::vector<float>& values) {
    put(name, "<f4", "(" + std::to_string(values.size()) + ",)", values);
  }
  /// Texts of one width, as `<U` holds them.
  void texts(const std::string& name, std::size_t width, const std::vector<std::string>& values) {
    std::vector<std::uint32_t> characters;
    for (const std::string& value : values) {
      for (std::size_t k = 0; k < width; ++k) {
        characters.push_back(k < value.size() ? static_cast<unsigned char>(value[k]) : 0U);
      }
    }
    put(name, "<U" + std::to_string(width), "(" + std::to_string(values.size()) + ",)", characters);
  }
  void csr(const std::string& prefix, std::vector<std::int32_t> shape,
           const std::vector<std::int32_t>& offsets, const std::vector<std::int32_t>& columns,
           const std::vector<float>& values) {
    integers(prefix + "shape", shape);
    integers(prefix + "indptr", offsets);
    integers(prefix + "indices", columns);
    reals(prefix + "data", values);
  }
  std::string bytes(int method = 0) const {
    std::vector<ZipPart> parts;
    for (const auto& [name, content] : members) {
      ZipPart part;
      part.name = name + ".npy";
      part.data = content;
      part.method = method;
      parts.push_back(part);
    }
    return zip(parts);
  }
};

/// Four nodes, edges 0 → 2, 0 → 1 (columns not sorted), 3 → 0, 3 → 3; two words; classes 1, 0, 1, none.
inline NpzFile small_csr_npz(const std::string& adjacency = "adj_", const std::string& attributes = "attr_") {
  NpzFile file;
  file.csr(adjacency, {4, 4}, {0, 2, 2, 2, 4}, {2, 1, 0, 3}, {1, 1, 1, 1});
  file.csr(attributes, {4, 2}, {0, 1, 2, 4, 4}, {0, 1, 1, 0}, {1, 2, 3, 4});
  file.integers("labels", {1, 0, 1, -1});
  return file;
}

/// The same graph with dense features of three columns: 0, ½, 1, …
inline NpzFile dense_csr_npz(const std::string& adjacency = "adj_") {
  NpzFile file = small_csr_npz(adjacency);
  for (const char* part : {"attr_data", "attr_indices", "attr_indptr", "attr_shape"})
    file.members.erase(part);
  file.put<float>("attr_matrix", "<f4", "(4, 3)", {0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3.5F, 4, 4.5F, 5, 5.5F});
  return file;
}

/// Three nodes, edges 0 - 1 and 1 - 2 once each; two splits, masks in Fortran order.
inline NpzFile small_heterophilous_npz() {
  NpzFile file;
  file.put<float>("node_features", "<f4", "(3, 2)", {1, 2, 3, 4, 5, 6});
  file.put<std::int64_t>("node_labels", "<i8", "(3,)", {1, 0, 1});
  file.put<std::int64_t>("edges", "<i8", "(2, 2)", {0, 1, 1, 2});
  //                              splits: {0} {1} {2}   and   {2} {0} {1};  columns follow each other
  file.put<std::uint8_t>("train_masks", "|b1", "(2, 3)", {1, 0, 0, 0, 0, 1}, true);
  file.put<std::uint8_t>("val_masks", "|b1", "(2, 3)", {0, 1, 1, 0, 0, 0}, true);
  file.put<std::uint8_t>("test_masks", "|b1", "(2, 3)", {0, 0, 0, 1, 1, 0}, true);
  return file;
}
