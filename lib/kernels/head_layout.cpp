#include "gat/kernels/head_layout.hpp"

namespace gat::inline GAT_PRECISION {

void interleave_heads(const HeadLayout& layout, const Real* joined, Real* row) {
  std::fill_n(row, layout.width(), Real(0));
  for (Index h = 0; h < layout.num_heads; ++h) {
    for (Index d = 0; d < layout.head_dim; ++d) row[layout.column(h, d)] = joined[h * layout.head_dim + d];
  }
}

void join_heads(const HeadLayout& layout, const Real* row, Real* joined) {
  for (Index h = 0; h < layout.num_heads; ++h) {
    for (Index d = 0; d < layout.head_dim; ++d) joined[h * layout.head_dim + d] = row[layout.column(h, d)];
  }
}

}  // namespace gat::inline GAT_PRECISION
