// e = β cos(q_i, k_j) with a learned β per head (AGNN, Thekumparampil et al. 2018).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreParameter kParameters[] = {
    {"beta", ScoreParameter::Shape::per_head, ScoreParameter::Start::ones}};
constexpr ScoreDescription kDescription{
    .name = "cosine", .formula = "β cos(q_i, k_j)", .parameters = kParameters};

// Rows of norm 0 have the cosine 0 with everything, and the gradient 0: where AGNN's code divides by
// max(norm, 1e-12), its gradient there has the size 1e12.
template <int L>
GAT_INLINE Lanes inverse_norm(const Real* row, Index width) {
  Lanes square{};
  for (Index v = 0; v < width; v += kLanes) square = multiply_add(load(row + v), load(row + v), square);
  square = fold_to_tile<AddLanes, L>(square);
  Lanes norm;
  for (int p = 0; p < kParts; ++p) {
    for (int l = 0; l < kVector; ++l) norm.part[p][l] = std::sqrt(square.part[p][l]);
  }
  return select(greater(norm, Lanes{}), all_lanes(1) / norm, Lanes{});
}

// to = s · row / |row|, with s = β for queries and 1 for keys
template <bool kQueries>
void scale_rows(const ScoreInput& input, ConstMatrixView rows, MatrixView to, Index first, Index last) {
  with_lanes(input.key_heads, [&](auto lanes) {
    constexpr int L = lanes;
    const Index width = input.key_heads.group_width;
    for (Index i = first; i < last; ++i) {
      for (Index group = 0; group < input.key_heads.num_groups; ++group) {
        const Real* row = rows.row(i) + group * width;
        Lanes scale = inverse_norm<L>(row, width);
        if constexpr (kQueries) scale = scale * tile<L>(input.parameters[0].data + group * kLanes);
        for (Index v = 0; v < width; v += kLanes) store(to.row(i) + group * width + v, load(row + v) * scale);
      }
    }
  });
}
// With u = row / |row|: d_row = s (d_to − u ⟨u, d_to⟩) / |row|, dβ += ⟨u, d_to⟩
template <bool kQueries>
void scale_rows_backward(const ScoreInput& input, ConstMatrixView rows, ConstMatrixView d_to,
                         MatrixView d_rows, std::span<const MatrixView> d_parameters, Index first,
                         Index last) {
  with_lanes(input.key_heads, [&](auto lanes) {
    constexpr int L = lanes;
    const Index width = input.key_heads.group_width;
    for (Index i = first; i < last; ++i) {
      for (Index group = 0; group < input.key_heads.num_groups; ++group) {
        const Real* row = rows.row(i) + group * width;
        const Real* d = d_to.row(i) + group * width;
        const Lanes inverse = inverse_norm<L>(row, width);
        Lanes product{};
        for (Index v = 0; v < width; v += kLanes)
          product = multiply_add(load(row + v) * inverse, load(d + v), product);
        product = fold_to_tile<AddLanes, L>(product);
        Lanes scale = inverse;
        if constexpr (kQueries) {
          scale = scale * tile<L>(input.parameters[0].data + group * kLanes);
          Real* d_beta = d_parameters[0].data + group * kLanes;
          store_tile<L>(d_beta, tile<L>(d_beta) + product);
        }
        for (Index v = 0; v < width; v += kLanes) {
          store(d_rows.row(i) + group * width + v, scale * (load(d + v) - load(row + v) * inverse * product));
        }
      }
    }
  });
}
}  // namespace

extern const ScoreKernels cosine_score =
    pair_kernels<ProductTerm>(kDescription, {&scale_rows<true>, &scale_rows_backward<true>, true},
                              {&scale_rows<false>, &scale_rows_backward<false>, true});

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
