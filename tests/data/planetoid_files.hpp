/// Builds the eight files of a tiny Planetoid set, as Python 2 would pickle them; tests damage them.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "data/expectations.hpp"

/// Values of a pickle (protocol 2) without its frame.
namespace pickled {

inline std::string bytes32(std::uint32_t word) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xff);
  return bytes;
}
inline std::string integer(std::int32_t value) { return "J" + bytes32(static_cast<std::uint32_t>(value)); }
inline std::string text(const std::string& value) {
  return "T" + bytes32(static_cast<std::uint32_t>(value.size())) + value;
}
inline std::string shape(const std::vector<int>& sizes) {
  std::string tuple = "(";
  for (const int size : sizes) tuple += integer(size);
  return tuple + "t";
}
/// An array of 4-byte elements of a type, `i4` or `f4`.
inline std::string array(const std::string& type, const std::vector<int>& sizes, const std::string& raw) {
  const std::string dtype = "cnumpy\ndtype\n" + text(type) + std::string("K\0K\1\x87R(K\3", 9) + text("<") +
                            "NNN" + integer(-1) + integer(-1) + std::string("K\0tb", 4);
  return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n" + std::string("K\0\x85", 3) + text("b") +
         "\x87R(K\1" + shape(sizes) + dtype + "\x89" + text(raw) + "tb";
}
inline std::string integers(const std::vector<int>& sizes, const std::vector<std::int32_t>& values) {
  std::string raw;
  for (const std::int32_t value : values) raw += bytes32(static_cast<std::uint32_t>(value));
  return array("i4", sizes, raw);
}
inline std::string reals(const std::vector<float>& values) {
  std::string raw;
  for (const float value : values) raw += bytes32(std::bit_cast<std::uint32_t>(value));
  return array("f4", {static_cast<int>(values.size())}, raw);
}
inline std::string file(const std::string& value) { return "\x80\x02" + value + "."; }

}  // namespace pickled

/// A dense matrix with values of 4 bytes: features (f4, pickled as CSR) or one-hot labels (i4).
template <class Number>
struct SmallMatrix {
  int cols = 0;
  std::vector<std::vector<Number>> rows;
};

/// Seven nodes, three words, two classes. Node 5 has no row; test.index is not sorted.
///
///     0 - 1   2 - 3   4 - 6   5 - 0    node 2 has a loop, 0 lists 1 twice
struct PlanetoidFiles {
  SmallMatrix<float> x{3, {{1, 0, 0}, {0, 1, 0}}};
  SmallMatrix<float> allx{3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}}};
  SmallMatrix<float> tx{3, {{0, 2, 0}, {0, 0, 3}}};
  SmallMatrix<std::int32_t> y{2, {{1, 0}, {0, 1}}};
  SmallMatrix<std::int32_t> ally{2, {{1, 0}, {0, 1}, {1, 0}, {0, 1}}};
  SmallMatrix<std::int32_t> ty{2, {{0, 1}, {1, 0}}};
  std::vector<std::pair<int, std::vector<int>>> lists{{0, {1, 1, 5}}, {1, {0}}, {2, {2, 3}}, {3, {2}},
                                                      {4, {6}},       {5, {0}}, {6, {4}}};
  std::string test_index = "6\n4\n";

  /// The bytes of each file by the end of its name.
  std::map<std::string, std::string> bytes() const {
    return {{"x", csr(x)},          {"allx", csr(allx)}, {"tx", csr(tx)},    {"y", labels(y)},
            {"ally", labels(ally)}, {"ty", labels(ty)},  {"graph", graph()}, {"test.index", test_index}};
  }
  void write(const std::filesystem::path& folder, const std::string& name = "mini") const {
    for (const auto& [part, content] : bytes()) write_plainly(folder / ("ind." + name + "." + part), content);
  }

 private:
  static std::string csr(const SmallMatrix<float>& matrix) {
    std::vector<std::int32_t> offsets{0};
    std::vector<std::int32_t> columns;
    std::vector<float> values;
    for (const auto& row : matrix.rows) {
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] == 0) continue;
        columns.push_back(static_cast<std::int32_t>(j));
        values.push_back(row[j]);
      }
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    }
    const auto count = static_cast<int>(columns.size());
    return pickled::file(
        "cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + pickled::text("format") + pickled::text("csr") +
        pickled::text("_shape") + pickled::shape({static_cast<int>(matrix.rows.size()), matrix.cols}) +
        pickled::text("indptr") + pickled::integers({static_cast<int>(offsets.size())}, offsets) +
        pickled::text("indices") + pickled::integers({count}, columns) + pickled::text("data") +
        pickled::reals(values) + "ub");
  }
  static std::string labels(const SmallMatrix<std::int32_t>& matrix) {
    std::vector<std::int32_t> values;
    for (const auto& row : matrix.rows) values.insert(values.end(), row.begin(), row.end());
    return pickled::file(pickled::integers({static_cast<int>(matrix.rows.size()), matrix.cols}, values));
  }
  std::string graph() const {
    std::string items;
    for (const auto& [node, neighbours] : lists) {
      items += pickled::integer(node) + "](";
      for (const int neighbour : neighbours) items += pickled::integer(neighbour);
      items += "e";
    }
    return pickled::file("ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(" + items + "u");
  }
};
