// e = q_iᵀ W k_j, a matrix per head; queries and keys may differ in width (Luong et al. 2015, general).
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreParameter kParameters[] = {
    {"W", ScoreParameter::Shape::matrix, ScoreParameter::Start::weight}};
constexpr ScoreDescription kDescription{.name = "bilinear",
                                        .alias = "general",
                                        .formula = "q_iᵀ W (k_j [+ W_e x_ij])",
                                        .equal_widths = false,
                                        .edge_features = true,
                                        .parameters = kParameters};

// q' = Wᵀ q per head, so that the loops see a plain product. Feature d of all heads of a group stands in
// L numbers of the query and multiplies row d of W.
template <int L>
void map_row(const ScoreInput& input, const Real* query, Real* to) {
  const Index query_width = input.query_heads.group_width, width = input.key_heads.group_width;
  const ConstMatrixView w = input.parameters[0];
  for (Index group = 0; group < input.key_heads.num_groups; ++group) {
    for (Index v = 0; v < width; v += kLanes) {
      Lanes sum{};
      for (Index d = 0; d < w.rows; ++d)
        sum = multiply_add(tile<L>(query + group * query_width + d * L), load(w.row(d) + group * width + v),
                           sum);
      store(to + group * width + v, sum);
    }
  }
}
template <int L>
void map_row_backward(const ScoreInput& input, const Real* query, const Real* d_to, Real* d_query,
                      MatrixView d_w) {
  const Index query_width = input.query_heads.group_width, width = input.key_heads.group_width;
  const ConstMatrixView w = input.parameters[0];
  for (Index c = 0; c < input.query_heads.width(); c += kLanes) store(d_query + c, Lanes{});
  for (Index group = 0; group < input.key_heads.num_groups; ++group) {
    for (Index d = 0; d < w.rows; ++d) {
      const Index at = group * query_width + d * L;
      const Lanes q = tile<L>(query + at);
      Lanes sum{};
      for (Index v = 0; v < width; v += kLanes) {
        const Lanes d_row = load(d_to + group * width + v);
        Real* to = d_w.row(d) + group * width + v;
        store(to, multiply_add(q, d_row, load(to)));
        sum = multiply_add(load(w.row(d) + group * width + v), d_row, sum);
      }
      store_tile<L>(d_query + at, fold_to_tile<AddLanes, L>(sum));
    }
  }
}

void map_rows(const ScoreInput& input, ConstMatrixView rows, MatrixView to, Index first, Index last) {
  with_lanes(input.key_heads, [&](auto lanes) {
    for (Index i = first; i < last; ++i) map_row<lanes>(input, rows.row(i), to.row(i));
  });
}
void map_rows_backward(const ScoreInput& input, ConstMatrixView rows, ConstMatrixView d_to, MatrixView d_rows,
                       std::span<const MatrixView> d_parameters, Index first, Index last) {
  with_lanes(input.key_heads, [&](auto lanes) {
    for (Index i = first; i < last; ++i)
      map_row_backward<lanes>(input, rows.row(i), d_to.row(i), d_rows.row(i), d_parameters[0]);
  });
}
}  // namespace

extern const ScoreKernels bilinear_score =
    pair_kernels<ProductTerm>(kDescription, {&map_rows, &map_rows_backward});

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
