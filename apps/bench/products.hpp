/// Dense products at the sizes of large networks: ours, and those of other libraries beside them.
#pragma once

#include "bench/peers/products.hpp"
#include "bench/suite.hpp"
#include "bench/team.hpp"
#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"

namespace gat::app {

/// Z = X W with its two gradients, on random numbers.
class DenseProduct {
 public:
  DenseProduct(Index rows, Index in, Index out);

  double flop() const;
  std::string shape() const;  ///< "169343 x 256 x 256"
  void forward(const Execution& execution);
  void weight_gradient(const Execution& execution);
  void input_gradient(const Execution& execution);
  /// The same by another library, in blocks of rows (forward) and in a fixed number of parts whose results
  /// are added in order (gradient), as this library works, so that neither depends on the number of threads.
  void forward(Multiply multiply, Team& team);
  void weight_gradient(Multiply multiply, Team& team);

  const Matrix& result() const { return result_; }
  const Matrix& d_weight() const { return d_weight_; }

 private:
  Matrix rows_, weight_, result_, d_weight_, d_rows_, partial_;
  Workspace workspace_;
};

/// Adds our three products at each of the executions.
/// \return the number of the forward case at the last one; the weight's gradient follows it
std::size_t add_products(Suite& suite, DenseProduct& product, std::span<const Execution> executions);
/// Adds the products of other libraries, or a remark for each that is missing, and what they take over ours.
void add_product_peers(Suite& suite, DenseProduct& product, std::size_t ours, int threads);

}  // namespace gat::app
