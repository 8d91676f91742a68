#include "gat/io/gzip.hpp"

#include "gat/core/error.hpp"
#include "io/inflater.hpp"

namespace gat::inline GAT_PRECISION {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gunzip(std::string_view bytes, const std::string& place, Index byte_limit) {
  const auto limit = static_cast<std::uint64_t>(byte_limit);
  const auto here = [&](std::string_view rest) {
    return place + ": byte " + std::to_string(bytes.size() - rest.size());
  };
  if (!is_gzip(bytes)) throw InputError(here(bytes), "not a gzip file");
  Inflater inflater(Inflater::Format::gzip, place);
  std::string output;
  std::string_view rest = bytes;
  for (;;) {
    const bool ended = inflater.feed(rest, output, limit);
    if (output.size() > limit) {
      throw LimitError(place + " unpacks to more than the limit of " + std::to_string(limit) + " bytes");
    }
    if (!ended) throw InputError(here(rest), "the compressed data end too early; fetch the file again");
    if (!is_gzip(rest)) break;
    inflater.restart();
  }
  // Tapes and some tools fill the last block up with zeros.
  if (rest.find_first_not_of('\0') != std::string_view::npos) {
    throw InputError(here(rest), "bytes after the end of the compressed data");
  }
  return output;
}

}  // namespace gat::inline GAT_PRECISION
