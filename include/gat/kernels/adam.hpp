/// The arithmetic of Adam and AdamW on a run of numbers.
#pragma once

#include "gat/core/execution.hpp"

namespace gat::inline GAT_PRECISION {

/// The numbers of one step that do not depend on the element.
struct AdamFactors {
  Real beta1 = 0, beta2 = 0;
  Real rest1 = 1, rest2 = 1;  ///< 1 − β
  Real rate = 0;              ///< of m, bias corrections included
  Real root_scale = 1;        ///< of √v, before epsilon is added
  Real epsilon = 0;
  Real l2 = 0;    ///< g += l2 · w
  Real keep = 1;  ///< w is scaled by this first: decoupled decay
};

/// g' = g + l2 w;  m = β1 m + (1 − β1) g';  v = β2 v + (1 − β2) g'²;
/// w = keep · w − rate · m / (root_scale · √v + ε)
void adam_update(const AdamFactors& factors, const Real* gradient, Real* weight, Real* first_moment,
                 Real* second_moment, Index count, const Execution& execution);

}  // namespace gat::inline GAT_PRECISION
