/// The scalar type and the integer types that every room shares.
///
/// The same sources are built twice: as `gat` with `Real` = float and, with GAT_F64 defined, as
/// `gat_f64` with `Real` = double. Everything but the error types lives in the inline namespace
/// `f32` or `f64`, so that one program may link both (one precision per translation unit).
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef GAT_F64
#define GAT_PRECISION f64
#else
#define GAT_PRECISION f32
#endif

namespace gat::inline GAT_PRECISION {

#ifdef GAT_F64
using Real = double;
#else
using Real = float;
#endif

/// Numbers a node; 32 bits, so a graph has at most 2^31 − 1 nodes on each side.
using NodeId = std::int32_t;
/// Numbers an edge, and every offset into edge arrays.
using EdgeId = std::int64_t;
/// Sizes and products of sizes; always 64 bits.
using Index = std::int64_t;

/// Marks "no such node" or "no such edge", for example the user edge id of an added self-loop.
inline constexpr EdgeId kNone = -1;

}  // namespace gat::inline GAT_PRECISION
