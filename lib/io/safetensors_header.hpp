/// The JSON header of a safetensors file, read strictly.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    std::string type;
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
};

/// Checks the form only: one object, no key twice, every entry complete and of the right types. Throws
/// `InputError`. \param json starts 8 bytes into the file
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& place);

}  // namespace gat::inline GAT_PRECISION
