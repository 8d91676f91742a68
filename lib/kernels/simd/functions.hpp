/// Exponential functions of sixteen lanes.
///
/// e^x = 2^n · e^r with n = round(x / ln 2), r = x − n ln 2 in two parts, and Taylor's polynomial of
/// e^r − 1 (|r| ≤ ln 2 / 2), whose remainder is below half a unit in the last place.
#pragma once

#include "kernels/simd/partial_lanes.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

using NaturalBits = std::make_unsigned_t<RealBits> __attribute__((vector_size(GAT_SIMD_BYTES)));

/// e^x as scale · (1 + rest), with rest accurate also where e^x is near 1.
struct ExponentialParts {
  Lanes scale, rest;
};

/// Polynomial, split of ln 2 (Cody and Waite 1980) and range, per precision.
template <class T>
struct ExponentialConstants;
template <>
struct ExponentialConstants<float> {
  static constexpr float kRound = 12582912.0F;  // 1.5 · 2^23: adding it rounds to an integer
  static constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
  static constexpr float kSmallest = -87.0F;  // below, the result is 0
  static constexpr float kInverseFactorials[] = {1.0F,       1.0F / 2,   1.0F / 6,   1.0F / 24,
                                                 1.0F / 120, 1.0F / 720, 1.0F / 5040};
  static constexpr int kMantissaBits = 23;
};
template <>
struct ExponentialConstants<double> {
  static constexpr double kRound = 6755399441055744.0;  // 1.5 · 2^52
  static constexpr double kLn2High = 6.93145751953125e-1, kLn2Low = 1.42860682030941723212e-6;
  static constexpr double kSmallest = -708.0;
  static constexpr double kInverseFactorials[] = {
      1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,       1.0 / 5040,
      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  static constexpr int kMantissaBits = 52;
};

/// \pre x within the range of the constants, or NaN
GAT_INLINE ExponentialParts exponential_parts(const Lanes& x) {
  using C = ExponentialConstants<Real>;
  constexpr int terms = sizeof C::kInverseFactorials / sizeof(Real);
  ExponentialParts r;
  for (int p = 0; p < kParts; ++p) {
    const Vector shifted = x.part[p] * static_cast<Real>(1.44269504088896340736) + C::kRound;
    const Vector n = shifted - C::kRound;
    const Vector f = (x.part[p] - n * C::kLn2High) - n * C::kLn2Low;
    Vector sum = broadcast(C::kInverseFactorials[terms - 1]);
    for (int k = terms - 2; k >= 0; --k) sum = sum * f + C::kInverseFactorials[k];
    r.rest.part[p] = sum * f;
    // The integer n stands in the low bits of `shifted`; moved to the exponent it multiplies 1.
    // (Unsigned: beyond the range the sum overflows, and the caller takes another value.)
    const NaturalBits exponent = reinterpret_cast<NaturalBits>(shifted) << C::kMantissaBits;
    r.scale.part[p] = reinterpret_cast<Vector>(exponent + reinterpret_cast<NaturalBits>(Vector{} + 1));
  }
  return r;
}

/// e^x for x ≤ 0 or a little above; 0 below the range (so for −∞), NaN for NaN. \pre x ≤ 88 (float)
GAT_INLINE Lanes exp_of_negative(const Lanes& x) {
  const Lanes smallest = all_lanes(ExponentialConstants<Real>::kSmallest);
  const ExponentialParts e = exponential_parts(x);
  const Lanes value = multiply_add(e.scale, e.rest, e.scale);
  return select(greater(smallest, x), Lanes{}, value);
}

/// e^x − 1 for x ≤ 0, with full relative accuracy near 0.
GAT_INLINE Lanes expm1_of_negative(const Lanes& x) {
  const Lanes smallest = all_lanes(ExponentialConstants<Real>::kSmallest);
  const Lanes one = all_lanes(1);
  const ExponentialParts e = exponential_parts(x);
  const Lanes value = multiply_add(e.scale, e.rest, e.scale - one);
  return select(greater(smallest, x), Lanes{} - one, value);
}

GAT_INLINE Lanes absolute(const Lanes& x) { return max(x, Lanes{} - x); }

/// tanh x = −t / (t + 2) with t = e^(−2|x|) − 1, and the sign of x.
GAT_INLINE Lanes tanh(const Lanes& x) {
  const Lanes t = expm1_of_negative(all_lanes(-2) * absolute(x));
  const Lanes size = (Lanes{} - t) / (t + all_lanes(2));
  return select(greater(Lanes{}, x), Lanes{} - size, size);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
