// Compiled once per instruction level: GAT_BENCH_EIGEN_PRODUCT names its function. Eigen's namespace is
// renamed, or the linker would keep one level's copy of its inline functions for all.
#define Eigen GAT_BENCH_EIGEN
#include <Eigen/Core>

#include "bench/peers/product_call.hpp"

namespace gat::app {

void GAT_BENCH_EIGEN_PRODUCT(const ProductCall& p) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Step = Eigen::OuterStride<>;
  using In = Eigen::Map<const Rows, Eigen::Unaligned, Step>;
  const In b(p.b, p.depth, p.cols, Step(p.b_step));
  Eigen::Map<Rows, Eigen::Unaligned, Step> c(p.c, p.rows, p.cols, Step(p.c_step));
  if (p.transposed) c.noalias() = In(p.a, p.depth, p.rows, Step(p.a_step)).transpose() * b;
  else c.noalias() = In(p.a, p.rows, p.depth, Step(p.a_step)) * b;
}

}  // namespace gat::app
