/// W_in and b_in of the files hold the projections of queries, keys and values below each other.
#pragma once

#include <string>
#include <vector>

#include "gat/nn/parameters.hpp"
#include "golden/golden_case.hpp"

namespace golden {

inline constexpr const char* kProjections[] = {"query", "key", "value"};

/// \param prefix  of the attention step's parameters in a network
inline void import_thirds(GoldenCase& c, gat::Weights& weights, const char* array, const char* suffix,
                          const std::string& prefix = "") {
  const std::vector<gat::Real> all = c.reals(array);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t third = all.size() / 3;
    weights.import_values(weights.find(prefix + kProjections[k] + suffix), {all.data() + k * third, third});
  }
}

inline void compare_thirds(GoldenCase& c, const gat::Weights& gradients, const char* array,
                           const char* suffix, const std::string& prefix = "") {
  std::vector<double> all;
  for (const char* const input : kProjections) {
    const auto third = gradients.export_values(gradients.find(prefix + input + suffix));
    all.insert(all.end(), third.begin(), third.end());
  }
  c.compare(std::string("grad_") + array, all, c.shape(array));
}

}  // namespace golden
