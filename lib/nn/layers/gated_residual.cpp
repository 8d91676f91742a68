#include "nn/layers/gated_residual.hpp"

#include <cmath>

#include "nn/layers/sum_blocks.hpp"

namespace gat::inline GAT_PRECISION {

void GatedResidual::forward(MatrixView out, const Execution& execution) const {
  const Index width = m.cols;
  const Real* w = weight.data;
  parallel_for(execution.num_threads, m.rows, 8 * width, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      const Real *mi = m.row(i), *ri = r.row(i);
      Real sum = 0;
      for (Index c = 0; c < width; ++c)
        sum += w[c] * mi[c] + w[width + c] * ri[c] + w[2 * width + c] * (mi[c] - ri[c]);
      const Real b = 1 / (1 + std::exp(-sum));
      share(i, 0) = b;
      for (Index c = 0; c < width; ++c) out.row(i)[c] = b * ri[c] + (1 - b) * mi[c];
    }
  });
}

// db = d_out·(r − m), ds = db b (1 − b); dm = (1 − b) d_out + ds (w_m + w_d), dr = b d_out + ds (w_r − w_d)
void GatedResidual::backward(ConstMatrixView d_out, MatrixView d_m, MatrixView d_r, MatrixView d_weight,
                             const Execution& execution, Workspace& workspace) const {
  const Workspace::Scope scope(workspace);
  const Index width = m.cols;
  const Real* w = weight.data;
  const MatrixView sums = workspace.zeros(kSumBlocks, 3 * width);
  for_sum_blocks(execution, m.rows, 16 * width, [&](Index block, Index first, Index last) {
    Real* d_w = sums.row(block);
    for (Index i = first; i < last; ++i) {
      const Real *mi = m.row(i), *ri = r.row(i), *d = d_out.row(i);
      const Real b = share(i, 0);
      Real d_share = 0;
      for (Index c = 0; c < width; ++c) d_share += d[c] * (ri[c] - mi[c]);
      const Real d_sum = d_share * b * (1 - b);
      for (Index c = 0; c < width; ++c) {
        d_w[c] += d_sum * mi[c];
        d_w[width + c] += d_sum * ri[c];
        d_w[2 * width + c] += d_sum * (mi[c] - ri[c]);
        d_m.row(i)[c] = (1 - b) * d[c] + d_sum * (w[c] + w[2 * width + c]);
        d_r.row(i)[c] = b * d[c] + d_sum * (w[width + c] - w[2 * width + c]);
      }
    }
  });
  add_blocks(sums, d_weight);
}

}  // namespace gat::inline GAT_PRECISION
