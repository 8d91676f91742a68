#include "gat/io/safetensors.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "gat/core/error.hpp"
#include "gat/io/file.hpp"
#include "io/bytes.hpp"
#include "io/safetensors_header.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

struct TypeName {
  std::string_view name;
  ElementType type;
};
using Kind = ElementType::Kind;
constexpr TypeName kTypeNames[] = {{"F64", {Kind::real, 8, false}},    {"F32", {Kind::real, 4, false}},
                                   {"F16", {Kind::real, 2, false}},    {"BF16", {Kind::bfloat, 2, false}},
                                   {"I64", {Kind::integer, 8, false}}, {"I32", {Kind::integer, 4, false}},
                                   {"I16", {Kind::integer, 2, false}}, {"I8", {Kind::integer, 1, false}},
                                   {"U64", {Kind::natural, 8, false}}, {"U32", {Kind::natural, 4, false}},
                                   {"U16", {Kind::natural, 2, false}}, {"U8", {Kind::natural, 1, false}},
                                   {"BOOL", {Kind::boolean, 1, false}}};

ElementType find_type(std::string_view name, const std::string& place) {
  for (const TypeName& known : kTypeNames) {
    if (known.name == name) return known.type;
  }
  throw InputError(place, "element type " + shown(name) +
                              " is not supported; expected BOOL, F16, BF16, F32, F64 or integers");
}

// The product of a shape and a width; anything that does not fit is larger than any file.
std::uint64_t checked_size(const std::vector<std::uint64_t>& shape, Index width, const std::string& place) {
  auto size = static_cast<std::uint64_t>(width);
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(size, extent, &size))
      throw InputError(place, "the shape has more than 2^64 bytes");
  }
  return size;
}

// A tensor that must begin at byte `next` of the data.
Tensor take_tensor(const SafetensorsHeader::Entry& entry, std::uint64_t next, std::string_view data,
                   const std::string& place) {
  const std::string here = place + ": tensor " + shown(entry.name);
  const ElementType type = find_type(entry.type, here);
  if (entry.begin != next) {
    throw InputError(here, "begins at byte " + std::to_string(entry.begin) + " of the data; expected " +
                               std::to_string(next) + ", without hole or overlap");
  }
  if (entry.end < entry.begin || entry.end > data.size() ||
      entry.end - entry.begin != checked_size(entry.shape, type.width, here)) {
    throw InputError(here, "ends at byte " + std::to_string(entry.end) + " of " +
                               std::to_string(data.size()) + ", which contradicts its shape or the file");
  }
  std::vector<Index> shape;
  for (const std::uint64_t extent : entry.shape) {
    if (extent >> 63 != 0) throw InputError(here, "a dimension above 2^63");
    shape.push_back(static_cast<Index>(extent));
  }
  const std::string_view content =
      data.substr(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin));
  return {entry.name, {here, type, std::move(shape), false, std::string(content)}};
}

std::string json_string(std::string_view text) {
  if (find_invalid_utf8(text) != std::string_view::npos) {
    throw UsageError("safetensors: " + shown(text) + " is not UTF-8 text");
  }
  return nlohmann::json(text).dump();
}

std::string_view type_name(const Tensor& tensor) {
  for (const TypeName& known : kTypeNames) {
    if (known.type == tensor.array.type() && (!tensor.array.fortran_order() || tensor.array.rank() < 2)) {
      return known.name;
    }
  }
  throw UsageError("safetensors: tensor " + shown(tensor.name) + " of type " + tensor.array.type().name() +
                   " cannot be stored; give little-endian numbers in C order");
}

std::string header_of(const std::vector<const Tensor*>& order,
                      const std::map<std::string, std::string>& metadata) {
  std::string header = "{";
  if (!metadata.empty()) {
    std::string entries;
    for (const auto& [key, value] : metadata) {
      entries += (entries.empty() ? "" : ",") + json_string(key) + ":" + json_string(value);
    }
    header += json_string(kMetadata) + ":{" + entries + "}";
  }
  std::size_t begin = 0;
  for (const Tensor* tensor : order) {
    std::string shape;
    for (const Index extent : tensor->array.shape())
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    const std::size_t end = begin + tensor->array.bytes().size();
    header += header.size() > 1 ? "," : "";
    header += json_string(tensor->name) + ":{\"dtype\":\"" + std::string(type_name(*tensor)) +
              "\",\"shape\":[" + shape + "],\"data_offsets\":[" + std::to_string(begin) + "," +
              std::to_string(end) + "]}";
    begin = end;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kLongestHeader)
    throw LimitError("safetensors: a header above 100,000,000 bytes; shorten the metadata");
  return header;
}

// The tensors in the order of the file: wide elements first, so that each lies at a multiple of its width.
std::vector<const Tensor*> sorted(const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> order;
  for (const Tensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) {
    const Index width_a = a->array.type().width;
    const Index width_b = b->array.type().width;
    return width_a != width_b ? width_a > width_b : a->name < b->name;
  });
  std::vector<std::string_view> names{kMetadata};
  for (const Tensor& tensor : tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw UsageError("safetensors: the name " + shown(*twice) + " is taken already");
  return order;
}

}  // namespace

const StoredArray* TensorFile::find(std::string_view name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &found->array;
}

TensorFile parse_safetensors(std::string_view bytes, const std::string& place) {
  if (bytes.size() < 8) throw InputError(place, "not a safetensors file: shorter than its first 8 bytes");
  const auto length = load<std::uint64_t>(bytes.data());
  if (length > bytes.size() - 8) {
    throw InputError(place + ": byte 0", "a header of " + std::to_string(length) + " bytes in a file of " +
                                             std::to_string(bytes.size()) +
                                             "; it is cut off or no safetensors file");
  }
  if (length > kLongestHeader) {
    throw LimitError(place + ": a safetensors header of " + std::to_string(length) +
                     " bytes; the limit is 100,000,000");
  }
  SafetensorsHeader header =
      parse_safetensors_header(bytes.substr(8, static_cast<std::size_t>(length)), place);
  const std::string_view data = bytes.substr(8 + static_cast<std::size_t>(length));
  // Empty tensors begin and end at one byte: they come before the tensor that begins there.
  std::sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  TensorFile file;
  file.metadata = std::move(header.metadata);
  std::uint64_t next = 0;
  for (const SafetensorsHeader::Entry& entry : header.entries) {
    file.tensors.push_back(take_tensor(entry, next, data, place));
    next = entry.end;
  }
  if (next != data.size()) {
    throw InputError(
        place, std::to_string(data.size() - next) + " bytes after the last tensor; the file is damaged");
  }
  return file;
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(read_file(path), path.string());
}

std::string safetensors_bytes(const TensorFile& file) {
  const std::vector<const Tensor*> order = sorted(file.tensors);
  const std::string header = header_of(order, file.metadata);
  std::string bytes;
  append_little_endian(bytes, static_cast<std::uint64_t>(header.size()));
  bytes += header;
  for (const Tensor* tensor : order) bytes.append(tensor->array.bytes());
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  write_file(path, safetensors_bytes(file));
}

}  // namespace gat::inline GAT_PRECISION
