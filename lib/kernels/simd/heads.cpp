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

// Rows of a merge that are worked on together.
constexpr Index kRowsAtOnce = 32;
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

// A row of one group of L heads, D = 16 N / L numbers each, from kernel order to public order and back: each
// step moves one bit of the head's number from the bottom of the position to its top.
template <int L, int N>
void join_whole(const Real* heads, Real* joined) {
  Lanes row[N];
  for (int v = 0; v < N; ++v) row[v] = load(heads + v * kLanes);
  for (int step = 1; step < L; step *= 2) unzip(row);
  for (int v = 0; v < N; ++v) store(joined + v * kLanes, row[v]);
}
template <int L, int N>
void spread_whole(const Real* joined, Real* heads) {
  Lanes row[N];
  for (int v = 0; v < N; ++v) row[v] = load(joined + v * kLanes);
  for (int step = 1; step < L; step *= 2) zip(row);
  for (int v = 0; v < N; ++v) store(heads + v * kLanes, row[v]);
}

// Calls visit(N) where rows of a layout can be transposed in registers: one full group, N a power of two.
template <int L, class Visit>
GAT_INLINE bool with_whole_rows(const HeadLayout& layout, const Visit& visit) {
  if (L == 1 || layout.num_heads != L || layout.head_dim * L != layout.group_width) return false;
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
  if (with_whole_rows<L>(layout, [&](auto n) { join_whole<L, n>(heads, joined); })) return;
  for (Index h = 0; h < layout.num_heads; ++h) {
    const Real* from = heads + h / L * layout.group_width + h % L;
    for (Index d = 0; d < layout.head_dim; ++d) joined[h * layout.head_dim + d] = from[d * L];
  }
}
template <int L>
void spread_row(const HeadLayout& layout, const Real* joined, Real* heads) {
  if (with_whole_rows<L>(layout, [&](auto n) { spread_whole<L, n>(joined, heads); })) return;
  zero_padding(layout, heads);
  for (Index h = 0; h < layout.num_heads; ++h) {
    Real* to = heads + h / L * layout.group_width + h % L;
    for (Index d = 0; d < layout.head_dim; ++d) to[d * L] = joined[h * layout.head_dim + d];
  }
}

// z · a of one group of heads, sixteen lanes that still have to be folded.
GAT_INLINE Lanes score_lanes(const NodeScores& scores, Index r, Index group) {
  const Index width = scores.layout.group_width;
  const Real* z = scores.z.row(r) + group * width;
  const Real* a = scores.a.data + group * width;
  Lanes even{}, odd{};
  Index k = 0;
  for (; k + 2 * kLanes <= width; k += 2 * kLanes) {
    even = multiply_add(load(z + k), load(a + k), even);
    odd = multiply_add(load(z + k + kLanes), load(a + k + kLanes), odd);
  }
  if (k < width) even = multiply_add(load(z + k), load(a + k), even);
  return even + odd;
}

// As many rows at once as fold to one vector: a fold alone is a chain of additions.
template <int L>
void score_rows(const NodeScores& scores, Index first, Index last) {
  constexpr Index kAtOnce = kLanes / L;
  const HeadLayout& layout = scores.layout;
  for (Index group = 0; group < layout.num_groups; ++group) {
    Real bias[L] = {};
    for (Index h = 0; scores.bias != nullptr && h < layout.heads_in(group); ++h)
      bias[h] = scores.bias[group * L + h];
    const Lanes added = tile<L>(bias);
    alignas(64) Real lanes[kAtOnce * kLanes] = {};
    for (Index r = first; r < last; r += kAtOnce) {
      const Index rows = std::min(kAtOnce, last - r);
      for (Index k = 0; k < rows; ++k) store(lanes + k * kLanes, score_lanes(scores, r + k, group));
      Lanes s = fold_vectors<L>(lanes);
      if (scores.bias != nullptr) s = s + added;
      if (layout.num_groups == 1 && scores.s.stride == L) {
        store_first(scores.s.row(r), s, rows * L);
        continue;
      }
      store(lanes, s);
      for (Index k = 0; k < rows; ++k) copy_numbers<L>(scores.s.row(r + k) + group * L, lanes + k * L);
    }
  }
}

// d_z and the sum d_a of columns c … c + 16 V − 1 over rows first … last − 1, which one block holds: the
// sum stays in registers.
template <int L, int V>
GAT_INLINE void score_columns_backward(const NodeScoreGradient& scores, Index first, Index last, Index group,
                                       Index c) {
  Real* d_a = block_row(scores.d_a, first, scores.z.rows) + c;
  Lanes a[V], sum[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    a[v] = load(scores.a.data + c + v * kLanes);
    sum[v] = load(d_a + v * kLanes);
  }
  for (Index r = first; r < last; ++r) {
    const Lanes d_s = tile<L>(scores.d_s.row(r) + group * L);
    const Real* z = scores.z.row(r) + c;
    Real* d_z = scores.d_z.row(r) + c;
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      store(d_z + v * kLanes, multiply_add(d_s, a[v], load(d_z + v * kLanes)));
      sum[v] = multiply_add(d_s, load(z + v * kLanes), sum[v]);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) store(d_a + v * kLanes, sum[v]);
}
template <int L>
void score_rows_backward(const NodeScoreGradient& scores, Index first, Index last) {
  constexpr int kAtOnce = 4;
  const HeadLayout& layout = scores.layout;
  for (Index group = 0; group < layout.num_groups; ++group) {
    const Index end = (group + 1) * layout.group_width;
    Index c = group * layout.group_width;
    for (; c + kAtOnce * kLanes <= end; c += kAtOnce * kLanes)
      score_columns_backward<L, kAtOnce>(scores, first, last, group, c);
    for (; c < end; c += kLanes) score_columns_backward<L, 1>(scores, first, last, group, c);
  }
}

// Sixteen columns of a row from `c` on: argument = joined + bias + added, output = f(argument).
template <class Function>
GAT_INLINE void finish_columns(const MergeHeads& merge, const Function& f, Index i, Index c, Lanes joined) {
  const Index count = merge.output.cols - c;
  if (merge.bias != nullptr) joined = joined + load_first(merge.bias + c, count);
  if (!merge.added.empty()) joined = joined + load_first(merge.added.row(i) + c, count);
  if (merge.argument.data != merge.output.data) store_first(merge.argument.row(i) + c, joined, count);
  store_first(merge.output.row(i) + c, f.value(joined), count);
}

// A row whose heads stand merged where the argument will; one head lies in public order already.
template <class Function>
void finish_row(const MergeHeads& merge, const Function& f, Index i) {
  const Real* joined = merge.layout.num_heads > 1 ? merge.argument.row(i) : merge.heads.row(i);
  for (Index c = 0; c < merge.output.cols; c += kLanes)
    finish_columns(merge, f, i, c, load_first(joined + c, merge.output.cols - c));
}
void join_rows(const MergeHeads& merge, Index first, Index last) {
  with_lanes(merge.layout, [&](auto lanes) {
    for (Index i = first; i < last; ++i) {
      if (merge.mean) mean_row(merge.layout, merge.heads.row(i), merge.argument.row(i));
      else join_row<lanes>(merge.layout, merge.heads.row(i), merge.argument.row(i));
    }
  });
}

// Sixteen columns of a row from `c` on: d_argument = d_output f', also added to the sum of d_bias.
template <class Function>
GAT_INLINE Lanes argument_gradient(const MergeHeadsGradient& merge, const Function& f, bool from_value,
                                   Index i, Index c, Lanes& d_bias) {
  const Index count = merge.d_output.cols - c;
  const Lanes d = load_first(merge.d_output.row(i) + c, count) *
                  slope_at(f, load_first(merge.argument.row(i) + c, count), from_value);
  d_bias = d_bias + d;
  if (!merge.d_argument.empty()) store_first(merge.d_argument.row(i) + c, d, count);
  return d;
}
GAT_INLINE void add_bias_gradient(const MergeHeadsGradient& merge, Index i, Index c, const Lanes& sum) {
  if (merge.d_bias.empty()) return;
  Real* to = block_row(merge.d_bias, i, merge.d_output.rows) + c;
  const Index count = merge.d_output.cols - c;
  store_first(to, load_first(to, count) + sum, count);
}

// d_argument of rows first … last − 1, which one block holds, to rows of `to`.
template <class Function>
void argument_rows(const MergeHeadsGradient& merge, const Function& f, bool from_value, Index first,
                   Index last, MatrixView to) {
  const Index width = merge.d_output.cols;
  for (Index c = 0; c < width; c += kLanes) {
    Lanes d_bias{};
    for (Index i = first; i < last; ++i) {
      const Lanes d = argument_gradient(merge, f, from_value, i, c, d_bias);
      // Rows of one head have room for whole vectors, and their padding is zero; the sum makes −0 a 0.
      if (to.cols > width) store(to.row(i - first) + c, d + Lanes{});
      else store_first(to.row(i - first) + c, d, width - c);
    }
    add_bias_gradient(merge, first, c, d_bias);
  }
}
void spread_rows(const MergeHeadsGradient& merge, ConstMatrixView joined, Index first, Index last) {
  with_lanes(merge.layout, [&](auto lanes) {
    for (Index i = first; i < last; ++i) {
      if (merge.mean) spread_mean_row(merge.layout, joined.row(i - first), merge.d_heads.row(i));
      else spread_row<lanes>(merge.layout, joined.row(i - first), merge.d_heads.row(i));
    }
  });
}

}  // namespace

void node_scores(const NodeScores& scores, Index first, Index last) {
  with_lanes(scores.layout,
             [&](auto lanes) { score_rows<lanes>(scores, first, std::min(last, scores.s.rows)); });
}

// s[r, h] = a_h · z_r,h
void node_scores_backward(const NodeScoreGradient& scores, Index first, Index last) {
  with_lanes(scores.layout, [&](auto lanes) {
    const Index block = sum_block_rows(scores.z.rows);
    last = std::min(last, scores.d_s.rows);
    for (Index r = first; r < last; r = (r / block + 1) * block)
      score_rows_backward<lanes>(scores, r, std::min(last, (r / block + 1) * block));
  });
}

void drop_heads(const DropHeads& drop, Index first, Index last) {
  const Index width = drop.from.cols;
  Real factor[kPiece + kLanes];
  std::fill_n(factor, kPiece, Real(1));
  for (Index r = first; r < last; ++r) {
    const auto element = static_cast<std::uint64_t>(drop.graph.global_source(r) * width);
    for (Index c = 0; c < width; c += kPiece) {
      const Index count = std::min(kPiece, width - c);
      if (drop.mask.active())
        element_factors(drop.mask, element + static_cast<std::uint64_t>(c), count, factor);
      const Real* from = drop.from.row(r) + c;
      if (drop.rounded.empty()) {
        multiply_numbers(from, factor, drop.to.row(r) + c, count);
      } else {
        for (Index k = 0; k < count; k += kLanes)
          store(drop.rounded.row(r) + c + k, load(from + k) * load(factor + k));
      }
    }
  }
}

void merge_heads(const MergeHeads& merge, Index first, Index last) {
  with_activation(merge.activation, [&](const auto& f) {
    // A few rows at a time, so that they are in the first-level cache from step to step.
    for (Index i = first; i < last; i += kRowsAtOnce) {
      const Index stop = std::min(last, i + kRowsAtOnce);
      if (merge.layout.num_heads > 1) join_rows(merge, i, stop);
      for (Index r = i; r < stop; ++r) finish_row(merge, f, r);
    }
  });
}

void merge_heads_backward(const MergeHeadsGradient& merge, Index first, Index last) {
  const bool from_value = slope_from_value(merge.activation);
  const Index block = sum_block_rows(merge.d_output.rows);
  const bool spread = merge.layout.num_heads > 1;
  std::vector<Real> scratch(static_cast<std::size_t>(spread ? kRowsAtOnce * merge.d_output.cols : 0));
  with_activation(merge.activation, [&](const auto& f) {
    for (Index i = first; i < last;) {
      const Index stop = std::min({last, (i / block + 1) * block, i + kRowsAtOnce});
      const MatrixView joined = spread ? MatrixView(scratch.data(), stop - i, merge.d_output.cols)
                                       : MatrixView(merge.d_heads.row(i), stop - i, merge.d_heads.cols);
      argument_rows(merge, f, from_value, i, stop, joined);
      if (spread) spread_rows(merge, joined, i, stop);
      i = stop;
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
