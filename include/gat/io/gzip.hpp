/// Gzip files: recognised by content, unpacked in memory.
#pragma once

#include <string>
#include <string_view>

#include "gat/io/file.hpp"

namespace gat::inline GAT_PRECISION {

/// Whether the bytes begin as a gzip file does.
bool is_gzip(std::string_view bytes);

/// Unpacks all gzip members one after the other and checks their sums. `place` names the file in
/// messages. Throws `InputError` for damaged data, `LimitError` above `byte_limit` unpacked bytes or
/// when data beyond 64 MiB expand more than 1000 times.
std::string gunzip(std::string_view bytes, const std::string& place, Index byte_limit = kDefaultByteLimit);

}  // namespace gat::inline GAT_PRECISION
