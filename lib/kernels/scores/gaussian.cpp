// e = −½ w² |q_i − k_j|² with a learned w = 1/σ per head: Nadaraya–Watson pooling with a Gaussian kernel.
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreParameter kParameters[] = {
    {"w", ScoreParameter::Shape::per_head, ScoreParameter::Start::ones}};
constexpr ScoreDescription kDescription{
    .name = "gaussian", .formula = "−½ w² |q_i − k_j|²", .parameters = kParameters};

struct Policy : PlainPair {
  static GAT_INLINE Lanes term(const Lanes& own, const Lanes& other, const Lanes&, const Lanes&) {
    const Lanes difference = own - other;
    return all_lanes(Real(-0.5)) * difference * difference;
  }
  static GAT_INLINE Lanes d_own(const Lanes& own, const Lanes& other, const Lanes&, const Lanes&) {
    return other - own;
  }
};

// Both sides are multiplied by w, and the loops see w = 1.
void scale_rows(const ScoreInput& input, ConstMatrixView rows, MatrixView to, Index first, Index last) {
  with_lanes(input.key_heads, [&](auto lanes) {
    const Index width = input.key_heads.group_width;
    for (Index i = first; i < last; ++i) {
      for (Index c = 0; c < rows.cols; c += kLanes) {
        const Lanes w = tile<lanes>(input.parameters[0].data + c / width * kLanes);
        store(to.row(i) + c, load(rows.row(i) + c) * w);
      }
    }
  });
}
void scale_rows_backward(const ScoreInput& input, ConstMatrixView rows, ConstMatrixView d_to,
                         MatrixView d_rows, std::span<const MatrixView> d_parameters, Index first,
                         Index last) {
  with_lanes(input.key_heads, [&](auto lanes) {
    constexpr int L = lanes;
    const Index width = input.key_heads.group_width;
    for (Index i = first; i < last; ++i) {
      for (Index group = 0; group < input.key_heads.num_groups; ++group) {
        const Lanes w = tile<L>(input.parameters[0].data + group * kLanes);
        Lanes product{};
        for (Index c = group * width; c < (group + 1) * width; c += kLanes) {
          const Lanes d = load(d_to.row(i) + c);
          product = multiply_add(d, load(rows.row(i) + c), product);
          store(d_rows.row(i) + c, d * w);
        }
        Real* d_w = d_parameters[0].data + group * kLanes;
        store_tile<L>(d_w, tile<L>(d_w) + fold_to_tile<AddLanes, L>(product));
      }
    }
  });
}
}  // namespace

extern const ScoreKernels gaussian_score = pair_kernels<Policy>(
    kDescription, {&scale_rows, &scale_rows_backward}, {&scale_rows, &scale_rows_backward});

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
