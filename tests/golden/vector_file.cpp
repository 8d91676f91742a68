#include "golden/vector_file.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/io/npy.hpp"
#include "gat/io/text_table.hpp"

namespace golden {

const gat::StoredArray& VectorFile::array(std::string_view wanted) const {
  const auto found = arrays.find(wanted);
  if (found == arrays.end()) throw gat::UsageError("there is no array " + std::string(wanted));
  return found->second;
}

double VectorFile::number(std::string_view wanted) const {
  const std::vector<double> values = doubles(array(wanted));
  if (values.size() != 1) throw gat::UsageError("the array " + std::string(wanted) + " is not one number");
  return values.front();
}

std::vector<double> doubles(const gat::StoredArray& array) {
  const gat::ElementType f8{gat::ElementType::Kind::real, 8, false};
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  if (array.type() == f8 && !array.fortran_order()) {
    if (!values.empty()) std::memcpy(values.data(), array.bytes().data(), values.size() * sizeof(double));
  } else if (array.type().kind == gat::ElementType::Kind::real) {
    const std::vector<gat::Real> reals = array.as_reals();
    std::copy(reals.begin(), reals.end(), values.begin());
  } else {
    const std::vector<std::int64_t> integers = array.as_integers();
    std::transform(integers.begin(), integers.end(), values.begin(),
                   [](std::int64_t value) { return static_cast<double>(value); });
  }
  return values;
}

gat::StoredArray stored(const std::vector<double>& values, std::vector<gat::Index> shape) {
  std::string bytes(values.size() * sizeof(double), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {"a test", {gat::ElementType::Kind::real, 8, false}, std::move(shape), false, std::move(bytes)};
}

VectorFile read_vector_file(const std::filesystem::path& path) {
  const gat::NpzArchive archive(path);
  VectorFile file;
  file.name = path.stem().string();
  for (const std::string& name : archive.names()) file.arrays.emplace(name, archive.array(name));
  return file;
}

std::optional<std::int64_t> kind_of(const std::filesystem::path& path) {
  try {
    return gat::NpzArchive(path).array("kind").as_integers().at(0);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::vector<std::filesystem::path> vector_paths(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  if (!std::filesystem::is_directory(folder)) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".npz") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Limits::Limits(const std::filesystem::path& folder) {
  const bool wide = std::is_same_v<gat::Real, double>;
  gat::TextTableOptions options;
  options.delimiter = ',';
  options.header = gat::HeaderRule::yes;
  const gat::TextTable table(folder / "limits.csv", options);
  const auto name = table.find_column("name");
  const auto limit = table.find_column(wide ? "f64" : "f32");
  if (!name || !limit) throw gat::InputError(table.name(), "needs the columns name, f64 and f32");
  for (gat::Index row = 0; row < table.num_rows(); ++row) {
    std::optional<double> value;
    const bool stated = table.num_fields(row) > *limit && !table.field(row, *limit).empty();
    if (stated) value = table.parse_real(table.field(row, *limit));
    limits_.emplace(table.field(row, *name), value);
  }
}

}  // namespace golden
