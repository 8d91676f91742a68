/// The list of members of a zip file, checked against the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/descriptor.hpp"

namespace gat::inline GAT_PRECISION {

struct ZipMember {
  std::string name;
  std::uint64_t header = 0;  // where the member's own header starts
  std::uint64_t data = 0;    // where its packed bytes start
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  bool deflated = false;
};

/// Reads the directory at the end of the file and the header of every member; folders are left out.
/// The packed bytes of all members lie in the file and do not overlap. Throws `InputError`,
/// `LimitError` above a million members.
std::vector<ZipMember> read_zip_directory(const Descriptor& file, const std::filesystem::path& path);

}  // namespace gat::inline GAT_PRECISION
