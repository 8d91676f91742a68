/// How kernels hold the heads of a row: heads innermost, padded to whole vectors.
///
/// Public arrays hold head h, feature d in column h·D + d. Kernels hold 16 lanes = a few features of
/// all heads side by side, so that one vector of coefficients serves a whole row and a product per
/// head needs no shuffle until its end. Up to 16 heads form one group of `lanes` ∈ {1, 2, 4, 8, 16}
/// heads (the unused ones are padding); more heads form several groups of 16. Padding is always zero.
#pragma once

#include <algorithm>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// Kernels work on this many numbers at a time, whatever the instruction set.
inline constexpr Index kLanes = 16;

struct HeadLayout {
  Index num_heads = 1;
  Index head_dim = 1;
  Index lanes = 1;         ///< heads per group, padding included
  Index num_groups = 1;    ///<
  Index group_width = 16;  ///< columns per group: head_dim · lanes, rounded up to whole vectors

  HeadLayout() = default;
  HeadLayout(Index heads, Index dim) : num_heads(heads), head_dim(dim) {
    while (lanes < heads && lanes < kLanes) lanes *= 2;
    num_groups = (heads + lanes - 1) / lanes;
    group_width = (dim * lanes + kLanes - 1) / kLanes * kLanes;
  }

  /// Columns of a row of H·D numbers.
  Index width() const { return num_groups * group_width; }
  /// Columns of a row of one number per head; head h stands in column h.
  Index score_width() const { return num_groups * lanes; }
  /// Columns of a row in public order.
  Index joined() const { return num_heads * head_dim; }
  /// Where feature d of head h stands.
  Index column(Index h, Index d) const { return h / lanes * group_width + d * lanes + h % lanes; }
  /// The heads of one group that are not padding.
  Index heads_in(Index group) const { return std::min(lanes, num_heads - group * lanes); }

  bool operator==(const HeadLayout&) const = default;
};

/// One row from public order to kernel order; padding becomes zero.
void interleave_heads(const HeadLayout& layout, const Real* joined, Real* row);
/// One row from kernel order to public order.
void join_heads(const HeadLayout& layout, const Real* row, Real* joined);

}  // namespace gat::inline GAT_PRECISION
