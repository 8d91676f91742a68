/// The standard normal distribution of sixteen lanes.
#pragma once

#include <numbers>

#include "kernels/simd/functions.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// (1 + 2y) e^(y²) erfc(y) as a Chebyshev series in (y − 3.75)/(y + 3.75), which holds for every y ≥ 0
/// (Shepherd and Laframboise 1981); the coefficients are computed anew, from the function with 40 digits.
template <class T>
struct ErfcSeries;
template <>
struct ErfcSeries<float> {
  static constexpr float kCoefficients[] = {1.17757893F,    -0.00459005458F, -0.0842491334F,  0.05920994F,
                                            -0.0266586684F, 0.00907499767F,  -0.00241316354F, 0.000490775837F,
                                            -6.9169733e-5F, 4.13902799e-6F,  7.74038307e-7F,  -2.1886401e-7F,
                                            1.07649995e-8F};
};
template <>
struct ErfcSeries<double> {
  static constexpr double kCoefficients[] = {
      1.1775789345674017,     -0.0045900545806464776,  -0.084249133366517917,   0.059209939998191893,
      -0.026658668435305753,  0.0090749976707052652,   -0.0024131635404176081,  0.00049077583652580863,
      -6.916973302501207e-5,  4.1390279860730102e-6,   7.7403830661984903e-7,   -2.1886401049234397e-7,
      1.076499946567091e-8,   4.5219598112182866e-9,   -7.7544002088313509e-10, -6.3180883408866841e-11,
      2.8687950109306699e-11, 1.9455868545777372e-13,  -9.6546967484334372e-13, 3.2525481481487647e-14,
      3.3478119482868296e-14, -1.8645628804190717e-15, -1.2507950530686268e-15, 7.4182352566474905e-17};
};

/// Φ(x), with its relative precision in the left tail, and φ(x).
struct NormalDistribution {
  Lanes cumulative, density;
};
GAT_INLINE NormalDistribution normal_distribution(const Lanes& at) {
  // Beyond ±40 both are 0 or 1 in either precision, and squares would overflow somewhere. (The minimum takes
  // its second operand where they do not compare: a NaN is not hidden.)
  const Lanes x = min(all_lanes(40), absolute(at));
  const Lanes y = x * all_lanes(1 / std::numbers::sqrt2_v<Real>);
  const Lanes t = (y - all_lanes(Real(3.75))) / (y + all_lanes(Real(3.75)));
  // Clenshaw's recurrence.
  const auto& c = ErfcSeries<Real>::kCoefficients;
  constexpr int terms = sizeof c / sizeof(Real);
  const Lanes twice = t + t;
  Lanes next{}, sum{};
  for (int k = terms - 1; k > 0; --k) {
    const Lanes last = sum;
    sum = multiply_add(twice, sum, all_lanes(c[k]) - next);
    next = last;
  }
  sum = multiply_add(t, sum, all_lanes(c[0]) - next);
  // e^(−x²/2); what rounding took from the square is a factor near 1.
  const Lanes square = rounded(x * x);
  const Lanes lost = multiply_add(x, x, Lanes{} - square);
  const Lanes power = exp_of_negative(all_lanes(Real(-0.5)) * square) *
                      multiply_add(all_lanes(Real(-0.5)), lost, all_lanes(1));
  const Lanes tail = all_lanes(Real(0.5)) * power * sum / multiply_add(all_lanes(2), y, all_lanes(1));
  const Real scale = std::numbers::inv_sqrtpi_v<Real> / std::numbers::sqrt2_v<Real>;
  return {select(greater(at, Lanes{}), all_lanes(1) - tail, tail), all_lanes(scale) * power};
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
