/// Parameters drawn for tests.
#pragma once

#include "gat/nn/parameters.hpp"

namespace gat::test {

/// Every parameter, biases too, uniform in [−1, 1), statistics in [½, 1½); the zeros between them stay.
inline void randomize(Weights& weights, const RandomStream& stream) {
  std::uint64_t k = 0;
  for (Index i = 0; i < weights.count(); ++i) {
    std::vector<Real> values = weights.export_values(i);
    for (Real& value : values) {
      const double unit = stream.uniform(k++);
      value = static_cast<Real>(weights.spec(i).trained ? 2 * unit - 1 : unit + 0.5);
    }
    weights.import_values(i, values);
  }
}

}  // namespace gat::test
