/// Parameters drawn for tests.
#pragma once

#include "gat/nn/parameters.hpp"

namespace gat::test {

/// Every parameter, biases too, uniform in [−1, 1); the zeros between them stay.
inline void randomize(Weights& weights, const RandomStream& stream) {
  std::uint64_t k = 0;
  for (Index i = 0; i < weights.count(); ++i) {
    std::vector<Real> values = weights.export_values(i);
    for (Real& value : values) value = static_cast<Real>(2 * stream.uniform(k++) - 1);
    weights.import_values(i, values);
  }
}

}  // namespace gat::test
