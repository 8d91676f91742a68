#include "io/inflater.hpp"

#include <algorithm>
#include <new>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 16;
constexpr std::size_t kLargestStep = std::size_t{1} << 26;

}  // namespace

Inflater::Inflater(Format format, std::string place) : place_(std::move(place)) {
  // zlib's way to say "no frame" is a negative window size, "gzip frame" is 16 more.
  const int window_bits = format == Format::raw ? -MAX_WBITS : MAX_WBITS + 16;
  if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { inflateEnd(&stream_); }

void Inflater::restart() { inflateReset(&stream_); }

bool Inflater::feed(std::string_view& packed, std::string& output, std::uint64_t limit) {
  // What inflate has written ends at `done`; the string is longer while this function runs.
  std::size_t done = output.size();
  for (;;) {
    const std::size_t step = std::clamp(4 * std::min(packed.size(), kLargestStep), kStep, kLargestStep);
    output.resize(done + step);
    const auto room = static_cast<uInt>(step);
    const auto offered = static_cast<uInt>(std::min(packed.size(), kLargestStep));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = offered;
    stream_.next_out = reinterpret_cast<Bytef*>(output.data() + done);
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    packed.remove_prefix(offered - stream_.avail_in);
    taken_ += offered - stream_.avail_in;
    done += room - stream_.avail_out;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      throw InputError(place_, std::string("damaged compressed data (") +
                                   (stream_.msg != nullptr ? stream_.msg : "bad dictionary") +
                                   "); fetch the file again");
    }
    if (done > kFreeExpansion && done / kLargestExpansion > taken_) {
      throw LimitError(place_ + ": " + std::to_string(taken_) + " compressed bytes expand to more than " +
                       std::to_string(done) + ", beyond the limit of " + std::to_string(kLargestExpansion) +
                       " to 1");
    }
    const bool ended = code == Z_STREAM_END;
    if (ended || done > limit || (packed.empty() && stream_.avail_out > 0)) {
      output.resize(done);
      return ended;
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
