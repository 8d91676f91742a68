#include "gat/io/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <unordered_map>

#include "gat/core/error.hpp"
#include "io/descriptor.hpp"
#include "io/inflater.hpp"
#include "io/zip_directory.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::uint64_t kStep = std::uint64_t{1} << 20;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

struct ZipArchive::Contents {
  Descriptor file;
  std::unordered_map<std::string, ZipMember> members;
};

ZipArchive::ZipArchive(const std::filesystem::path& path)
    : path_(path), contents_(std::make_unique<Contents>()) {
  contents_->file = open_for_reading(path);
  for (ZipMember& member : read_zip_directory(contents_->file, path)) {
    names_.push_back(member.name);
    contents_->members.emplace(member.name, std::move(member));
  }
}

ZipArchive::~ZipArchive() = default;
ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive& ZipArchive::operator=(ZipArchive&&) noexcept = default;

bool ZipArchive::contains(std::string_view name) const {
  return contents_->members.contains(std::string(name));
}

std::string ZipArchive::place(std::string_view name) const {
  return path_.string() + ": member " + std::string(name);
}

std::string ZipArchive::read(std::string_view name, Index byte_limit) const {
  const auto found = contents_->members.find(std::string(name));
  if (found == contents_->members.end()) {
    std::string known;
    for (const std::string& other : names_) known += (known.empty() ? "" : ", ") + other;
    throw InputError(path_.string(), "has no member " + std::string(name) + "; it has " + known);
  }
  const ZipMember& member = found->second;
  const std::uint64_t size = member.size;
  if (size > static_cast<std::uint64_t>(byte_limit)) {
    throw LimitError(place(name) + " unpacks to " + std::to_string(size) + " bytes, above the limit of " +
                     std::to_string(byte_limit));
  }
  std::string output;
  if (!member.deflated) output.reserve(static_cast<std::size_t>(size));
  std::string piece;
  Inflater inflater(Inflater::Format::raw, place(name));
  bool ended = false;
  std::uint64_t taken = 0;
  // One byte more than promised may come out: that is how a lie about the size shows.
  while (taken < member.packed_size && !ended && output.size() <= size) {
    piece.resize(static_cast<std::size_t>(std::min(kStep, member.packed_size - taken)));
    if (read_at(contents_->file.get(), member.data + taken, piece.data(), piece.size(), path_) !=
        piece.size()) {
      throw InputError(place(name), "the file became shorter while it was read");
    }
    std::string_view rest = piece;
    if (member.deflated) {
      ended = inflater.feed(rest, output, size);
    } else {
      output.append(rest);
      rest = {};
    }
    taken += piece.size() - rest.size();
  }
  if (output.size() != size || taken != member.packed_size || ended != member.deflated) {
    throw InputError(place(name), "its data do not have the stated size of " + std::to_string(size) +
                                      " bytes; the archive is damaged");
  }
  if (checksum(output) != member.checksum) {
    throw InputError(place(name), "its checksum is wrong; the archive is damaged, fetch it again");
  }
  return output;
}

}  // namespace gat::inline GAT_PRECISION
