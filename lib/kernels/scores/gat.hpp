/// The score of Veličković et al. 2018 as the operator reads it.
///
/// A separable score is a function of one number per source, destination and edge: the operator asks
/// for `argument` (their sum), `value` and `slope` (its derivative), and adds the gradient of the
/// argument to whichever of the three is wanted.
#pragma once

#include "gat/kernels/attention.hpp"

namespace gat::inline GAT_PRECISION {

class GatScore {
 public:
  explicit GatScore(const GatScoreInput& input)
      : input_(input), negative_slope_(static_cast<Real>(input.negative_slope)) {}

  Real argument(Index destination, Index source, EdgeId edge, Index head) const {
    Real sum = input_.source(source, head);
    if (!input_.destination.empty()) sum += input_.destination(destination, head);
    if (!input_.edge.empty()) sum += input_.edge(edge, head);
    return sum;
  }

  // LeakyReLU, with the negative slope at 0 itself.
  Real value(Real argument) const { return argument > 0 ? argument : negative_slope_ * argument; }
  Real slope(Real argument) const { return argument > 0 ? Real(1) : negative_slope_; }

 private:
  GatScoreInput input_;
  Real negative_slope_;
};

}  // namespace gat::inline GAT_PRECISION
