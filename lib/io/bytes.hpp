/// Numbers out of raw bytes, and bytes as text that is safe to show.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// A number as it lies in memory of the given byte order. \pre sizeof(Number) bytes at `bytes`
template <class Number>
Number load(const char* bytes, bool big_endian = false) {
  char copy[sizeof(Number)];
  const bool swap = big_endian != (std::endian::native == std::endian::big);
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    copy[i] = bytes[swap ? sizeof(Number) - 1 - i : i];
  }
  Number number;
  std::memcpy(&number, copy, sizeof(Number));
  return number;
}

/// Appends a number with its lowest byte first.
template <class Number>
void append_little_endian(std::string& bytes, Number number) {
  char copy[sizeof(Number)];
  std::memcpy(copy, &number, sizeof(Number));
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes += copy[std::endian::native == std::endian::big ? sizeof(Number) - 1 - i : i];
  }
}

/// Text from a file for a message: in quotes, at most 60 bytes of it, other than printable ASCII as
/// \xNN so that no file can play tricks on a terminal.
std::string shown(std::string_view text);

/// Where the first byte lies that is not part of valid UTF-8; npos when all are.
std::size_t find_invalid_utf8(std::string_view text);

/// Appends a code point; false when it is none (a surrogate, or above 0x10ffff).
bool append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace gat::inline GAT_PRECISION
