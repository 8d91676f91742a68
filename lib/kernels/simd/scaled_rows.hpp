/// A change of rows that several scores share: every head times one number, the score's first parameter.
#pragma once

#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

// to = w · row
inline void scale_rows(const ScoreInput& input, ConstMatrixView rows, MatrixView to, Index first,
                       Index last) {
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

// d_row = w · d_to, dw += Σ d_to · row
inline void scale_rows_backward(const ScoreInput& input, ConstMatrixView rows, ConstMatrixView d_to,
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

inline constexpr RowChange kScaledRows{&scale_rows, &scale_rows_backward, true};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
