// Score parts of nodes, merging of heads, and their gradients, row by row.
#include "gat/kernels/heads.hpp"

#include <algorithm>

#include "gat/core/row_callback.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/activations.hpp"
#include "kernels/simd/row_walk.hpp"
#include "kernels/simd/rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// Public order is worked on in pieces of this many columns.
constexpr Index kPiece = 64;

// The row of the block of a sum over rows that row `r` belongs to.
Real* block_row(MatrixView blocks, Index r, Index rows) { return blocks.row(r / sum_block_rows(rows)); }

// Columns begin … end − 1 of a joined row from a row of heads.
template <int L>
void join_piece(const HeadLayout& layout, const Real* heads, Index begin, Index end, Real* joined) {
  Index h = begin / layout.head_dim;
  Index d = begin % layout.head_dim;
  for (Index c = begin; c < end;) {
    const Real* from = heads + h / L * layout.group_width + h % L;
    const Index stop = std::min(layout.head_dim, d + end - c);
    for (; d < stop; ++d) joined[c++ - begin] = from[d * L];
    d = 0;
    ++h;
  }
}
template <int L>
void spread_piece(const HeadLayout& layout, const Real* joined, Index begin, Index end, Real* heads) {
  Index h = begin / layout.head_dim;
  Index d = begin % layout.head_dim;
  for (Index c = begin; c < end;) {
    Real* to = heads + h / L * layout.group_width + h % L;
    const Index stop = std::min(layout.head_dim, d + end - c);
    for (; d < stop; ++d) to[d * L] = joined[c++ - begin];
    d = 0;
    ++h;
  }
}

// Columns begin … end − 1 of the mean over heads.
void mean_piece(const HeadLayout& layout, const Real* heads, Index begin, Index end, Real* mean) {
  const Real share = 1 / static_cast<Real>(layout.num_heads);
  for (Index d = begin; d < end; ++d) {
    Real sum = 0;
    for (Index h = 0; h < layout.num_heads; ++h) sum += heads[layout.column(h, d)];
    mean[d - begin] = sum * share;
  }
}
void spread_mean_piece(const HeadLayout& layout, const Real* d_mean, Index begin, Index end, Real* heads) {
  const Real share = 1 / static_cast<Real>(layout.num_heads);
  for (Index d = begin; d < end; ++d) {
    for (Index h = 0; h < layout.num_heads; ++h) heads[layout.column(h, d)] = share * d_mean[d - begin];
  }
}

void zero_padding(const HeadLayout& layout, Real* heads) {
  for (Index group = 0; group < layout.num_groups; ++group) {
    Real* part = heads + group * layout.group_width;
    const Index used = layout.heads_in(group);
    for (Index d = 0; d < layout.head_dim && used < layout.lanes; ++d)
      std::fill(part + d * layout.lanes + used, part + (d + 1) * layout.lanes, Real(0));
    std::fill(part + layout.head_dim * layout.lanes, part + layout.group_width, Real(0));
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
  const Real* heads = merge.heads.row(i);
  Real* argument = merge.argument.row(i);
  for (Index begin = 0; begin < merge.output.cols; begin += kPiece) {
    const Index end = std::min(begin + kPiece, merge.output.cols);
    if (merge.mean) mean_piece(merge.layout, heads, begin, end, argument + begin);
    else join_piece<L>(merge.layout, heads, begin, end, argument + begin);
    for (Index c = begin; merge.bias != nullptr && c < end; ++c) argument[c] += merge.bias[c];
    for (Index c = begin; !merge.added.empty() && c < end; ++c) argument[c] += merge.added(i, c);
    activate(f, argument + begin, merge.output.row(i) + begin, end - begin);
  }
}

template <int L, class Function>
void merge_row_backward(const MergeHeadsGradient& merge, const Function& f, Index i, bool from_value) {
  Real* heads = merge.d_heads.row(i);
  zero_padding(merge.layout, heads);
  Real* d_bias = merge.d_bias.empty() ? nullptr : block_row(merge.d_bias, i, merge.d_output.rows);
  for (Index begin = 0; begin < merge.d_output.cols; begin += kPiece) {
    const Index end = std::min(begin + kPiece, merge.d_output.cols);
    Real d[kPiece];
    scale_by_slope(f, merge.argument.row(i) + begin, merge.d_output.row(i) + begin, d, end - begin,
                   from_value);
    if (merge.mean) spread_mean_piece(merge.layout, d, begin, end, heads);
    else spread_piece<L>(merge.layout, d, begin, end, heads);
    for (Index c = begin; d_bias != nullptr && c < end; ++c) d_bias[c] += d[c - begin];
    if (!merge.d_argument.empty()) std::copy_n(d, end - begin, merge.d_argument.row(i) + begin);
  }
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
      for (Index i = first; i < last; ++i) merge_row_backward<lanes>(merge, f, i, from_value);
    });
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
