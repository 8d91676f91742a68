/// Work that a kernel hands back while rows are still in the cache.
#pragma once

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// Sums over rows run over this many blocks, added in order: the blocks, not the threads, fix the bits.
inline constexpr Index kSumBlocks = 16;
/// Rows in each block of a sum over `rows` rows; the last blocks may be short or empty.
inline Index sum_block_rows(Index rows) { return (rows + kSumBlocks - 1) / kSumBlocks; }

/// A borrowed function of a range of rows, called by whichever thread works on them. It must write
/// nothing but what belongs to these rows, and not throw. The callable must outlive the call it is given to.
class RowCallback {
 public:
  RowCallback() = default;
  template <class Callable>
  RowCallback(const Callable& callable)
      : object_(&callable), call_([](const void* object, Index first, Index last) {
          (*static_cast<const Callable*>(object))(first, last);
        }) {}

  void operator()(Index first, Index last) const {
    if (call_ != nullptr && first < last) call_(object_, first, last);
  }

 private:
  const void* object_ = nullptr;
  void (*call_)(const void*, Index, Index) = nullptr;
};

}  // namespace gat::inline GAT_PRECISION
