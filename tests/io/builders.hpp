/// Builds npy and zip files byte by byte, also wrong ones.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The low `count` bytes of a number, lowest first.
inline std::string little(std::uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(i < 8 ? number >> (8 * i) & 0xff : 0);
  return bytes;
}

/// A version 1.0 file with a given header dictionary.
inline std::string npy(const std::string& dictionary, std::string_view data) {
  const std::string header = dictionary + "\n";
  return std::string("\x93NUMPY\1\0", 8) + little(header.size(), 2) + header + std::string(data);
}

inline std::string npy(const std::string& dtype, const std::string& shape, std::string_view data,
                       bool fortran_order = false) {
  return npy("{'descr': '" + dtype + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                 ", 'shape': " + shape + ", }",
             data);
}

/// A deflate stream without a frame (window_bits −15) or with that of gzip (31).
inline std::string deflated(std::string_view data, int window_bits = -15) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, data.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// One member of a zip file; every field can be made to lie.
struct ZipPart {
  std::string name;
  std::string data;  // unpacked
  int method = 0;
  std::string local_extra = {};
  std::string extra = {};  // of the directory's entry
  std::int64_t size = -1;  // −1: the truth
  std::int64_t packed_size = -1;
  std::int64_t header_at = -1;
  int flags = 0;
  std::int64_t checksum = -1;
};

inline std::string zip(const std::vector<ZipPart>& parts, const std::string& comment = {}) {
  std::string file;
  std::string directory;
  for (const ZipPart& part : parts) {
    const std::string packed = part.method == 8 ? deflated(part.data) : part.data;
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(part.data.data()), part.data.size());
    const auto or_true = [](std::int64_t stated, std::size_t truth) {
      return stated < 0 ? static_cast<std::uint64_t>(truth) : static_cast<std::uint64_t>(stated);
    };
    const std::string common = little(20, 2) + little(static_cast<std::uint64_t>(part.flags), 2) +
                               little(static_cast<std::uint64_t>(part.method), 2) + little(0x21 << 16, 4) +
                               little(or_true(part.checksum, crc), 4) +
                               little(or_true(part.packed_size, packed.size()), 4) +
                               little(or_true(part.size, part.data.size()), 4) + little(part.name.size(), 2);
    directory += "PK\1\2" + little(20, 2) + common + little(part.extra.size(), 2) + little(0, 2 + 2 + 2 + 4) +
                 little(or_true(part.header_at, file.size()), 4) + part.name + part.extra;
    file += "PK\3\4" + common + little(part.local_extra.size(), 2) + part.name + part.local_extra + packed;
  }
  const std::size_t at = file.size();
  return file + directory + "PK\5\6" + little(0, 4) + little(parts.size(), 2) + little(parts.size(), 2) +
         little(directory.size(), 4) + little(at, 4) + little(comment.size(), 2) + comment;
}
