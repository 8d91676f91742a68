// e = v · tanh(q_i + k_j + b), the additive score of Bahdanau et al. 2015; Luong et al. 2015 write it as
// v · tanh(W [q; k]) and call it concat.
#include "kernels/simd/functions.hpp"
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreParameter kParameters[] = {
    {"v", ScoreParameter::Shape::per_feature, ScoreParameter::Start::attention},
    {"b", ScoreParameter::Shape::per_feature, ScoreParameter::Start::zeros}};
constexpr ScoreDescription kDescription{.name = "tanh",
                                        .alias = "concat",
                                        .formula = "v·tanh(q_i + k_j [+ W_e x_ij] + b)",
                                        .edge_features = true,
                                        .parameters = kParameters};

struct Policy : PlainPair {
  static constexpr bool kVector = true;
  static constexpr bool kCostly = true;

  static GAT_INLINE Lanes term(const Lanes& own, const Lanes& other, const Lanes& v, const Lanes&) {
    return v * GAT_SIMD::tanh(own + other);
  }
  static GAT_INLINE Lanes d_own(const Lanes& own, const Lanes& other, const Lanes& v, const Lanes&) {
    const Lanes t = GAT_SIMD::tanh(own + other);
    return v * (all_lanes(1) - t * t);
  }
  static GAT_INLINE Lanes d_vector(const Lanes& own, const Lanes& other, const Lanes&) {
    return GAT_SIMD::tanh(own + other);
  }
};

// The bias belongs to the query: q' = q + b.
void add_bias(const ScoreInput& input, ConstMatrixView rows, MatrixView to, Index first, Index last) {
  const Real* b = input.parameters[1].data;
  for (Index i = first; i < last; ++i) {
    for (Index c = 0; c < rows.cols; c += kLanes) store(to.row(i) + c, load(rows.row(i) + c) + load(b + c));
  }
}
void add_bias_backward(const ScoreInput&, ConstMatrixView, ConstMatrixView d_to, MatrixView d_rows,
                       std::span<const MatrixView> d_parameters, Index first, Index last) {
  for (Index i = first; i < last; ++i) {
    for (Index c = 0; c < d_to.cols; c += kLanes) {
      const Lanes d = load(d_to.row(i) + c);
      Real* sum = d_parameters[1].data + c;
      store(sum, load(sum) + d);
      store(d_rows.row(i) + c, d);
    }
  }
}
}  // namespace

extern const ScoreKernels tanh_score =
    pair_kernels<Policy>(kDescription, {&add_bias, &add_bias_backward, true});

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
