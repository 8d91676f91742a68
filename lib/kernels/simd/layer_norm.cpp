// Normalisation of rows; tests/kernels/layer_norm_test.cpp holds it against plain loops in double.
#include "gat/kernels/layer_norm.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/parallel.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// Calls visit(first column, columns from there on) for every sixteen columns.
template <class Visit>
GAT_INLINE void for_lanes(Index width, const Visit& visit) {
  for (Index k = 0; k < width; k += kLanes) visit(k, width - k);
}

GAT_INLINE Real sum_of(const Lanes& v) {
  Real lanes[kLanes];
  store(lanes, fold_to_tile<AddLanes, 1>(v));
  return lanes[0];
}

// The mean first, then squares of what is left: nothing cancels.
void moments_of(const Real* x, Index width, Real* moments) {
  Lanes sum{}, squares{};
  for_lanes(width, [&](Index k, Index rest) { sum = sum + load_first(x + k, rest); });
  const Real mean = sum_of(sum) / static_cast<Real>(width);
  for_lanes(width, [&](Index k, Index rest) {
    const Lanes left = load_first(x + k, rest, mean) - all_lanes(mean);
    squares = multiply_add(left, left, squares);
  });
  moments[0] = mean;
  moments[1] = sum_of(squares) / static_cast<Real>(width);
}

// One row with its constants.
struct Row {
  Row(const NormalizedRows& rows, Index r, const Real* moments)
      : x(rows.x.row(r)),
        gain(rows.gain),
        shift(rows.shift),
        mean(all_lanes(moments[0])),
        inverse(all_lanes(moments[1])) {}

  GAT_INLINE Lanes normalized(Index k, Index rest) const {
    return (load_first(x + k, rest) - mean) * inverse;
  }
  GAT_INLINE Lanes gained(const Lanes& v, Index k, Index rest) const {
    return gain == nullptr ? v : v * load_first(gain + k, rest);
  }
  void write(Real* out, Index width) const {
    for_lanes(width, [&](Index k, Index rest) {
      Lanes y = gained(normalized(k, rest), k, rest);
      if (shift != nullptr) y = y + load_first(shift + k, rest);
      store_first(out + k, y, rest);
    });
  }
  // Σ g and Σ g x̂
  void sums(const Real* d_out, Index width, Real* result) const {
    Lanes plain{}, weighted{};
    for_lanes(width, [&](Index k, Index rest) {
      const Lanes g = gained(load_first(d_out + k, rest), k, rest);
      plain = plain + g;
      weighted = multiply_add(g, normalized(k, rest), weighted);
    });
    result[0] = sum_of(plain);
    result[1] = sum_of(weighted);
  }
  // d_x (+)= (g − means_0 − x̂ means_1) / deviation; a missing d_out is zero
  void gradient(const Real* d_out, const Real* means, bool add, Real* d_x, Index width) const {
    const Lanes m0 = all_lanes(means[0]), m1 = all_lanes(means[1]);
    for_lanes(width, [&](Index k, Index rest) {
      const Lanes g = d_out == nullptr ? Lanes{} : gained(load_first(d_out + k, rest), k, rest);
      Lanes d = inverse * (g - m0 - normalized(k, rest) * m1);
      if (add) d = d + load_first(d_x + k, rest);
      store_first(d_x + k, d, rest);
    });
  }
  void add_column_gradients(const Real* d_out, Real* d_gain, Real* d_shift, Index width) const {
    if (d_gain != nullptr) {
      for_lanes(width, [&](Index k, Index rest) {
        const Lanes d = load_first(d_out + k, rest);
        store_first(d_gain + k, multiply_add(d, normalized(k, rest), load_first(d_gain + k, rest)), rest);
      });
    }
    if (d_shift != nullptr) add_scaled(1, d_out, d_shift, width);
  }

  const Real* x;
  const Real* gain;
  const Real* shift;
  Lanes mean, inverse;
};

constexpr Index kWorkPerElement = 2;

}  // namespace

void row_moments(ConstMatrixView x, MatrixView moments, const Execution& execution) {
  parallel_for(execution.num_threads, x.rows, x.cols * kWorkPerElement, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) moments_of(x.row(r), x.cols, moments.row(r));
  });
}

void normalize_rows(const NormalizedRows& rows, MatrixView out, const Execution& execution) {
  assert(out.rows <= rows.x.rows && out.cols == rows.x.cols);
  parallel_for(execution.num_threads, out.rows, out.cols * kWorkPerElement,
               [&](Index first, Index last, int) {
                 for (Index r = first; r < last; ++r)
                   Row(rows, r, rows.moments.row(r)).write(out.row(r), out.cols);
               });
}

void layer_norm_rows(const NormalizedRows& rows, double epsilon, MatrixView moments, MatrixView out,
                     const Execution& execution) {
  assert(out.rows == rows.x.rows && out.cols == rows.x.cols && moments.rows == out.rows);
  const auto added = static_cast<Real>(epsilon);
  parallel_for(execution.num_threads, out.rows, 2 * out.cols * kWorkPerElement,
               [&](Index first, Index last, int) {
                 for (Index r = first; r < last; ++r) {
                   Real* own = moments.row(r);
                   moments_of(rows.x.row(r), out.cols, own);
                   own[1] = 1 / std::sqrt(own[1] + added);
                   Row(rows, r, own).write(out.row(r), out.cols);
                 }
               });
}

void normalized_row_sums(const NormalizedRows& rows, ConstMatrixView d_out, MatrixView sums,
                         const Execution& execution) {
  parallel_for(execution.num_threads, d_out.rows, d_out.cols * kWorkPerElement,
               [&](Index first, Index last, int) {
                 for (Index r = first; r < last; ++r)
                   Row(rows, r, rows.moments.row(r)).sums(d_out.row(r), d_out.cols, sums.row(r));
               });
}

void normalize_rows_backward(const NormalizedRows& rows, const NormalizedRowsGradient& gradient,
                             const Execution& execution, Workspace& workspace) {
  const Workspace::Scope scope(workspace);
  const Index count = rows.x.rows;
  const Index width = rows.x.cols;
  const Index block = sum_block_rows(count);
  const MatrixView d_gain = gradient.d_gain.empty() ? MatrixView() : workspace.zeros(kSumBlocks, width);
  const MatrixView d_shift = gradient.d_shift.empty() ? MatrixView() : workspace.zeros(kSumBlocks, width);
  parallel_for(execution.num_threads, kSumBlocks, block * width * 3, [&](Index begin, Index end, int) {
    for (Index b = begin; b < end; ++b) {
      Real* const gain_sum = d_gain.empty() ? nullptr : d_gain.row(b);
      Real* const shift_sum = d_shift.empty() ? nullptr : d_shift.row(b);
      for (Index r = b * block; r < std::min((b + 1) * block, count); ++r) {
        const Row row(rows, r, rows.moments.row(r));
        const Real* d_out = r < gradient.d_out.rows ? gradient.d_out.row(r) : nullptr;
        if (d_out != nullptr) row.add_column_gradients(d_out, gain_sum, shift_sum, width);
        if (gradient.d_x.empty()) continue;
        Real means[2] = {0, 0};
        if (!gradient.means.empty()) {
          std::copy_n(gradient.means.row(r), 2, means);
        } else if (d_out != nullptr) {
          row.sums(d_out, width, means);
          for (Real& mean : means) mean /= static_cast<Real>(width);
        }
        row.gradient(d_out, means, gradient.add, gradient.d_x.row(r), width);
      }
    }
  });
  if (!d_gain.empty()) add_partial_sums(d_gain.data, width, kSumBlocks, gradient.d_gain.row(0), width);
  if (!d_shift.empty()) add_partial_sums(d_shift.data, width, kSumBlocks, gradient.d_shift.row(0), width);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
