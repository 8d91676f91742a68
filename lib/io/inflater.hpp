/// Unpacks a deflate stream piece by piece, with a bound on what comes out.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// Data beyond this may not expand more than kLargestExpansion times.
inline constexpr std::uint64_t kFreeExpansion = std::uint64_t{1} << 26;
inline constexpr std::uint64_t kLargestExpansion = 1000;

class Inflater {
 public:
  enum class Format { raw, gzip };
  /// \param place  what messages begin with
  Inflater(Format format, std::string place);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Unpacks from `packed`, which is shortened by what was used, onto the end of `output`, until
  /// `packed` is empty, the stream ends or `output` has more than `limit` bytes. True at the end of the
  /// stream. Throws `InputError` for damaged data, `LimitError` for data that expand too much.
  bool feed(std::string_view& packed, std::string& output, std::uint64_t limit);

  /// Starts over for a stream that follows the last one.
  void restart();

 private:
  z_stream stream_{};
  std::string place_;
  std::uint64_t taken_ = 0;
};

}  // namespace gat::inline GAT_PRECISION
