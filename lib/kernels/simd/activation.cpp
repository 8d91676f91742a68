// Activations of whole matrices; tests/kernels/activation_test.cpp holds them against the C library.
#include "gat/kernels/activation.hpp"

#include "core/parallel.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/activations.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

void activation_forward(const Activation& activation, ConstMatrixView x, MatrixView out,
                        const Execution& execution) {
  with_activation(activation, [&](const auto& f) {
    parallel_for(execution.num_threads, x.rows, x.cols, [&](Index first, Index last, int) {
      for (Index i = first; i < last; ++i) activate(f, x.row(i), out.row(i), x.cols);
    });
  });
}

void activation_backward(const Activation& activation, ConstMatrixView x, ConstMatrixView d_out,
                         MatrixView d_x, const Execution& execution, bool from_value) {
  with_activation(activation, [&](const auto& f) {
    parallel_for(execution.num_threads, x.rows, x.cols, [&](Index first, Index last, int) {
      for (Index i = first; i < last; ++i)
        scale_by_slope(f, x.row(i), d_out.row(i), d_x.row(i), x.cols, from_value);
    });
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
