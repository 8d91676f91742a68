// The end of a linear map, row by row; tests/kernels/bias_activation_test.cpp holds it against plain loops.
#include "gat/kernels/bias_activation.hpp"

#include "gat/core/row_callback.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/activations.hpp"
#include "kernels/simd/masked_rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

void bias_activation(const BiasActivation& end, Index first, Index last) {
  const Index width = end.argument.cols;
  with_activation(end.activation, [&](const auto& f) {
    for (Index r = first; r < last; ++r) {
      Real* x = end.argument.row(r);
      if (end.bias != nullptr) add_scaled(1, end.bias, x, width);
      if (end.dropout.active())
        multiply_masked(end.dropout, first_element(end.global_rows, r, width), x, x, width);
      if (end.activation.kind != ActivationKind::identity || x != end.output.row(r))
        activate(f, x, end.output.row(r), width);
    }
  });
}

void bias_activation_backward(const BiasActivationGradient& end, Index first, Index last) {
  const Index width = end.d_output.cols;
  const Index block = sum_block_rows(end.d_output.rows);
  const bool from_value = slope_from_value(end.activation);
  with_activation(end.activation, [&](const auto& f) {
    for (Index r = first; r < last; ++r) {
      const Real* d = end.d_output.row(r);
      if (!end.d_argument.empty()) {
        Real* to = end.d_argument.row(r);
        scale_by_slope(f, end.argument.row(r), d, to, width, from_value);
        if (end.dropout.active())
          multiply_masked(end.dropout, first_element(end.global_rows, r, width), to, to, width);
        d = to;
      }
      if (!end.d_bias.empty()) add_scaled(1, d, end.d_bias.row(r / block), width);
    }
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
