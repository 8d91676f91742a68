// Score parts of nodes, merging of heads, and their gradients, row by row.
#include "gat/kernels/heads.hpp"

#include <algorithm>
#include <vector>

#include "gat/core/row_callback.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/activations.hpp"
#include "kernels/simd/row_walk.hpp"
#include "kernels/simd/rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// Mask factors are drawn for pieces of this many columns.
constexpr Index kPiece = 256;

// The row of the block of a sum over rows that row `r` belongs to.
Real* block_row(MatrixView blocks, Index r, Index rows) { return blocks.row(r / sum_block_rows(rows)); }

void zero_padding(const HeadLayout& layout, Real* heads) {
  for (Index group = 0; group < layout.num_groups; ++group) {
    Real* part = heads + group * layout.group_width;
    const Index used = layout.heads_in(group);
    for (Index d = 0; d < layout.head_dim && used < layout.lanes; ++d)
      std::fill(part + d * layout.lanes + used, part + (d + 1) * layout.lanes, Real(0));
    std::fill(part + layout.head_dim * layout.lanes, part + layout.group_width, Real(0));
  }
}

// The mean of the heads of a row.
void mean_row(const HeadLayout& layout, const Real* heads, Real* mean) {
  const Real share = 1 / static_cast<Real>(layout.num_heads);
  for (Index d = 0; d < layout.head_dim; ++d) {
    Real sum = 0;
    for (Index h = 0; h < layout.num_heads; ++h) sum += heads[layout.column(h, d)];
    mean[d] = sum * share;
  }
}
void spread_mean_row(const HeadLayout& layout, const Real* d_mean, Real* heads) {
  zero_padding(layout, heads);
  const Real share = 1 / static_cast<Real>(layout.num_heads);
  for (Index d = 0; d < layout.head_dim; ++d) {
    for (Index h = 0; h < layout.num_heads; ++h) heads[layout.column(h, d)] = share * d_mean[d];
  }
}

// A row of one group of L heads, D = 16 N / L numbers each, from kernel order to public order: each step
// moves one bit of the head's number from the bottom of the position to its top.
template <int L, int N>
GAT_INLINE void join_whole(const Real* heads, Real* joined) {
  Lanes row[N];
#pragma GCC unroll 16
  for (int v = 0; v < N; ++v) row[v] = load(heads + v * kLanes);
  for (int step = 1; step < L; step *= 2) unzip(row);
#pragma GCC unroll 16
  for (int v = 0; v < N; ++v) store(joined + v * kLanes, row[v]);
}
template <int L, int N>
GAT_INLINE void spread_whole(const Real* joined, Real* heads) {
  Lanes row[N];
#pragma GCC unroll 16
  for (int v = 0; v < N; ++v) row[v] = load(joined + v * kLanes);
  for (int step = 1; step < L; step *= 2) zip(row);
#pragma GCC unroll 16
  for (int v = 0; v < N; ++v) store(heads + v * kLanes, row[v]);
}

// Calls visit(N) where rows of a layout can be transposed in registers: one full group, N a power of two.
template <int L, class Visit>
GAT_INLINE bool with_whole_rows(const HeadLayout& layout, const Visit& visit) {
  if (layout.num_heads != L || layout.head_dim * L != layout.group_width) return false;
  switch (layout.group_width / kLanes) {
    case 2:
      visit(std::integral_constant<int, 2>());
      return true;
    case 4:
      visit(std::integral_constant<int, 4>());
      return true;
    case 8:
      visit(std::integral_constant<int, 8>());
      return true;
    case 16:
      visit(std::integral_constant<int, 16>());
      return true;
    default:
      return false;
  }
}

// A row of heads, all of them side by side.
template <int L>
void join_row(const HeadLayout& layout, const Real* heads, Real* joined) {
  if (L == 1 && layout.num_groups == 1) {
    std::copy_n(heads, layout.head_dim, joined);
    return;
  }
  if (with_whole_rows<L>(layout, [&](auto n) { join_whole<L, n>(heads, joined); })) return;
  for (Index h = 0; h < layout.num_heads; ++h) {
    const Real* from = heads + h / L * layout.group_width + h % L;
    for (Index d = 0; d < layout.head_dim; ++d) joined[h * layout.head_dim + d] = from[d * L];
  }
}
template <int L>
void spread_row(const HeadLayout& layout, const Real* joined, Real* heads) {
  if (L > 1 && with_whole_rows<L>(layout, [&](auto n) { spread_whole<L, n>(joined, heads); })) return;
  zero_padding(layout, heads);
  if (L == 1 && layout.num_groups == 1) {
    std::copy_n(joined, layout.head_dim, heads);
    return;
  }
  for (Index h = 0; h < layout.num_heads; ++h) {
    Real* to = heads + h / L * layout.group_width + h % L;
    for (Index d = 0; d < layout.head_dim; ++d) to[d * L] = joined[h * layout.head_dim + d];
  }
}

template <int L>
void score_row(const NodeScores& scores, Index r) {
  const HeadLayout& layout = scores.layout;
  for (Index group = 0; group < layout.num_groups; ++group) {
    const Real* z = scores.z.row(r) + group * layout.group_width;
    const Real* a = scores.a.data + group * layout.group_width;
    Lanes even{}, odd{};
    Index k = 0;
    for (; k + 2 * kLanes <= layout.group_width; k += 2 * kLanes) {
      even = multiply_add(load(z + k), load(a + k), even);
      odd = multiply_add(load(z + k + kLanes), load(a + k + kLanes), odd);
    }
    if (k < layout.group_width) even = multiply_add(load(z + k), load(a + k), even);
    Real* s = scores.s.row(r) + group * L;
    store_tile<L>(s, fold_to_tile<AddLanes, L>(even + odd));
    for (Index h = 0; scores.bias != nullptr && h < layout.heads_in(group); ++h)
      s[h] += scores.bias[group * L + h];
  }
}

template <int L>
void score_row_backward(const NodeScoreGradient& scores, Index r) {
  const HeadLayout& layout = scores.layout;
  Real* d_a = block_row(scores.d_a, r, scores.z.rows);
  for (Index group = 0; group < layout.num_groups; ++group) {
    const Lanes d_s = tile<L>(scores.d_s.row(r) + group * L);
    for (Index c = group * layout.group_width; c < (group + 1) * layout.group_width; c += kLanes) {
      store(scores.d_z.row(r) + c, multiply_add(d_s, load(scores.a.data + c), load(scores.d_z.row(r) + c)));
      store(d_a + c, multiply_add(d_s, load(scores.z.row(r) + c), load(d_a + c)));
    }
  }
}

template <int L, class Function>
void merge_row(const MergeHeads& merge, const Function& f, Index i) {
  const Index width = merge.output.cols;
  Real* argument = merge.argument.row(i);
  if (merge.mean && merge.layout.num_heads > 1) mean_row(merge.layout, merge.heads.row(i), argument);
  else join_row<L>(merge.layout, merge.heads.row(i), argument);
  if (merge.bias != nullptr) add_scaled(1, merge.bias, argument, width);
  if (!merge.added.empty()) add_scaled(1, merge.added.row(i), argument, width);
  activate(f, argument, merge.output.row(i), width);
}

template <int L, class Function>
void merge_row_backward(const MergeHeadsGradient& merge, const Function& f, Index i, bool from_value,
                        Real* d) {
  const Index width = merge.d_output.cols;
  scale_by_slope(f, merge.argument.row(i), merge.d_output.row(i), d, width, from_value);
  if (merge.mean && merge.layout.num_heads > 1) spread_mean_row(merge.layout, d, merge.d_heads.row(i));
  else spread_row<L>(merge.layout, d, merge.d_heads.row(i));
  if (!merge.d_bias.empty()) add_scaled(1, d, block_row(merge.d_bias, i, merge.d_output.rows), width);
  if (!merge.d_argument.empty()) std::copy_n(d, width, merge.d_argument.row(i));
}

}  // namespace

void node_scores(const NodeScores& scores, Index first, Index last) {
  with_lanes(scores.layout, [&](auto lanes) {
    for (Index r = first; r < std::min(last, scores.s.rows); ++r) score_row<lanes>(scores, r);
  });
}

// s[r, h] = a_h · z_r,h
void node_scores_backward(const NodeScoreGradient& scores, Index first, Index last) {
  with_lanes(scores.layout, [&](auto lanes) {
    for (Index r = first; r < std::min(last, scores.d_s.rows); ++r) score_row_backward<lanes>(scores, r);
  });
}

void drop_heads(const DropHeads& drop, Index first, Index last) {
  const Index width = drop.from.cols;
  Real factor[kPiece + kLanes];
  for (Index r = first; r < last; ++r) {
    const auto element = static_cast<std::uint64_t>(drop.graph.global_source(r) * width);
    for (Index c = 0; c < width; c += kPiece) {
      const Index count = std::min(kPiece, width - c);
      element_factors(drop.mask, element + static_cast<std::uint64_t>(c), count, factor);
      multiply_numbers(drop.from.row(r) + c, factor, drop.to.row(r) + c, count);
    }
  }
}

void merge_heads(const MergeHeads& merge, Index first, Index last) {
  with_activation(merge.activation, [&](const auto& f) {
    with_lanes(merge.layout, [&](auto lanes) {
      for (Index i = first; i < last; ++i) merge_row<lanes>(merge, f, i);
    });
  });
}

void merge_heads_backward(const MergeHeadsGradient& merge, Index first, Index last) {
  const bool from_value = slope_from_value(merge.activation);
  with_activation(merge.activation, [&](const auto& f) {
    with_lanes(merge.layout, [&](auto lanes) {
      std::vector<Real> d(static_cast<std::size_t>(merge.d_output.cols));
      for (Index i = first; i < last; ++i) merge_row_backward<lanes>(merge, f, i, from_value, d.data());
    });
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
