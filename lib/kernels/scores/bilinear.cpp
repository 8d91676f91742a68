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
// L numbers of the query and multiplies row d of W, which is read once for several rows of queries.
constexpr Index kRowsAtOnce = 4;

template <int L, int Rows>
void map_rows_of(const ScoreInput& input, ConstMatrixView queries, MatrixView to, Index i) {
  const Index query_width = input.query_heads.group_width, width = input.key_heads.group_width;
  const ConstMatrixView w = input.parameters[0];
  for (Index group = 0; group < input.key_heads.num_groups; ++group) {
    const auto map_block = [&](auto block, Index first) {
      constexpr int kBlock = block;
      Lanes sum[Rows][kBlock] = {};
      for (Index d = 0; d < w.rows; ++d) {
        const Real* w_row = w.row(d) + group * width + first;
        for (int r = 0; r < Rows; ++r) {
          const Lanes q = tile<L>(queries.row(i + r) + group * query_width + d * L);
          for (int v = 0; v < kBlock; ++v) sum[r][v] = multiply_add(q, load(w_row + v * kLanes), sum[r][v]);
        }
      }
      for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < kBlock; ++v) store(to.row(i + r) + group * width + first + v * kLanes, sum[r][v]);
      }
    };
    constexpr Index kBlock = kRegisters / 2 / kParts / Rows;
    Index first = 0;
    if constexpr (kBlock > 1) {
      for (; first + kBlock * kLanes <= width; first += kBlock * kLanes)
        map_block(std::integral_constant<int, kBlock>(), first);
    }
    for (; first < width; first += kLanes) map_block(std::integral_constant<int, 1>(), first);
  }
}
template <int L, int Rows>
void map_rows_backward_of(const ScoreInput& input, ConstMatrixView queries, ConstMatrixView d_to,
                          MatrixView d_queries, MatrixView d_w, Index i) {
  const Index query_width = input.query_heads.group_width, width = input.key_heads.group_width;
  const ConstMatrixView w = input.parameters[0];
  for (int r = 0; r < Rows; ++r) std::fill_n(d_queries.row(i + r), input.query_heads.width(), Real(0));
  for (Index group = 0; group < input.key_heads.num_groups; ++group) {
    for (Index d = 0; d < w.rows; ++d) {
      const Index at = group * query_width + d * L;
      Lanes q[Rows], sum[Rows] = {};
      for (int r = 0; r < Rows; ++r) q[r] = tile<L>(queries.row(i + r) + at);
      for (Index c = group * width; c < (group + 1) * width; c += kLanes) {
        const Lanes w_part = load(w.row(d) + c);
        Lanes d_w_part = load(d_w.row(d) + c);
        for (int r = 0; r < Rows; ++r) {
          const Lanes d_part = load(d_to.row(i + r) + c);
          d_w_part = multiply_add(q[r], d_part, d_w_part);
          sum[r] = multiply_add(w_part, d_part, sum[r]);
        }
        store(d_w.row(d) + c, d_w_part);
      }
      for (int r = 0; r < Rows; ++r)
        store_tile<L>(d_queries.row(i + r) + at, fold_to_tile<AddLanes, L>(sum[r]));
    }
  }
}

// Calls body(lanes, rows at once, first of them) for all rows.
template <class Body>
void for_rows(const ScoreInput& input, Index first, Index last, const Body& body) {
  with_lanes(input.key_heads, [&](auto lanes) {
    Index i = first;
    for (; i + kRowsAtOnce <= last; i += kRowsAtOnce)
      body(lanes, std::integral_constant<int, kRowsAtOnce>(), i);
    for (; i < last; ++i) body(lanes, std::integral_constant<int, 1>(), i);
  });
}
void map_rows(const ScoreInput& input, ConstMatrixView rows, MatrixView to, Index first, Index last) {
  for_rows(input, first, last,
           [&](auto lanes, auto at_once, Index i) { map_rows_of<lanes, at_once>(input, rows, to, i); });
}
void map_rows_backward(const ScoreInput& input, ConstMatrixView rows, ConstMatrixView d_to, MatrixView d_rows,
                       std::span<const MatrixView> d_parameters, Index first, Index last) {
  for_rows(input, first, last, [&](auto lanes, auto at_once, Index i) {
    map_rows_backward_of<lanes, at_once>(input, rows, d_to, d_rows, d_parameters[0], i);
  });
}
}  // namespace

extern const ScoreKernels bilinear_score =
    pair_kernels<ProductTerm>(kDescription, {&map_rows, &map_rows_backward});

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
