/// Activation functions of sixteen lanes: value, derivative by the argument, and derivative by the
/// value where that is enough.
#pragma once

#include "gat/kernels/activation.hpp"
#include "kernels/simd/normal.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

struct Identity {
  GAT_INLINE Lanes value(const Lanes& x) const { return x; }
  GAT_INLINE Lanes slope(const Lanes&) const { return all_lanes(1); }
  GAT_INLINE Lanes slope_of_value(const Lanes&) const { return all_lanes(1); }
};
struct Relu {
  GAT_INLINE Lanes value(const Lanes& x) const { return select(greater(x, Lanes{}), x, Lanes{} * x); }
  GAT_INLINE Lanes slope(const Lanes& x) const { return select(greater(x, Lanes{}), all_lanes(1), Lanes{}); }
  GAT_INLINE Lanes slope_of_value(const Lanes& y) const { return slope(y); }
};
struct LeakyRelu {
  Real negative_slope;
  GAT_INLINE Lanes value(const Lanes& x) const {
    return select(greater(x, Lanes{}), x, all_lanes(negative_slope) * x);
  }
  GAT_INLINE Lanes slope(const Lanes& x) const {
    return select(greater(x, Lanes{}), all_lanes(1), all_lanes(negative_slope));
  }
  GAT_INLINE Lanes slope_of_value(const Lanes& y) const { return slope(y); }
};
// The minimum takes its second operand where they do not compare: a NaN is not hidden.
struct Elu {
  Real alpha;
  GAT_INLINE Lanes value(const Lanes& x) const {
    return select(greater(x, Lanes{}), x, all_lanes(alpha) * expm1_of_negative(min(Lanes{}, x)));
  }
  GAT_INLINE Lanes slope(const Lanes& x) const {
    return select(greater(x, Lanes{}), all_lanes(1), all_lanes(alpha) * exp_of_negative(min(Lanes{}, x)));
  }
  // α eˣ = α (eˣ − 1) + α
  GAT_INLINE Lanes slope_of_value(const Lanes& y) const {
    return select(greater(y, Lanes{}), all_lanes(1), y + all_lanes(alpha));
  }
};
struct Gelu {
  GAT_INLINE Lanes value(const Lanes& x) const { return x * normal_distribution(x).cumulative; }
  GAT_INLINE Lanes slope(const Lanes& x) const {
    const NormalDistribution normal = normal_distribution(x);
    // Far out the product of an infinity and 0 would be no number.
    const Lanes near = min(all_lanes(40), max(all_lanes(-40), x));
    return multiply_add(near, normal.density, normal.cumulative);
  }
};
struct Sigmoid {
  // Never exponentiates a positive number, so nothing overflows.
  GAT_INLINE Lanes value(const Lanes& x) const {
    const Lanes e = exp_of_negative(Lanes{} - absolute(x));
    return select(greater(Lanes{}, x), e, all_lanes(1)) / (all_lanes(1) + e);
  }
  GAT_INLINE Lanes slope(const Lanes& x) const {
    const Lanes e = exp_of_negative(Lanes{} - absolute(x));
    const Lanes one = all_lanes(1);
    return e / ((one + e) * (one + e));
  }
};
// ½(1 + tanh u) = 1 / (1 + e^(−2u)), which loses nothing to cancellation in the tails.
struct GeluTanh {
  static constexpr Real kScale = static_cast<Real>(2 * 0.79788456080286535588);  // 2 √(2/π)
  static constexpr Real kCubic = static_cast<Real>(0.044715);
  GAT_INLINE Lanes inner(const Lanes& x) const {
    return all_lanes(kScale) * multiply_add(all_lanes(kCubic) * x, x * x, x);
  }
  GAT_INLINE Lanes value(const Lanes& x) const { return x * Sigmoid{}.value(inner(x)); }
  GAT_INLINE Lanes slope(const Lanes& x) const {
    // From ±20 on the slope is 1 or 0 to the last bit, and the square would overflow somewhere.
    const Lanes near = min(all_lanes(20), max(all_lanes(-20), x));
    const Lanes u = inner(near);
    const Lanes d_inner = all_lanes(kScale) * multiply_add(all_lanes(3 * kCubic) * near, near, all_lanes(1));
    return Sigmoid{}.value(u) + near * d_inner * Sigmoid{}.slope(u);
  }
};
struct Tanh {
  GAT_INLINE Lanes value(const Lanes& x) const { return tanh(x); }
  GAT_INLINE Lanes slope(const Lanes& x) const {
    const Lanes t = tanh(x);
    return all_lanes(1) - t * t;
  }
};

template <class Visit>
void with_activation(const Activation& activation, const Visit& visit) {
  const auto parameter = static_cast<Real>(activation.parameter);
  switch (activation.kind) {
    case ActivationKind::identity:
      return visit(Identity{});
    case ActivationKind::relu:
      return visit(Relu{});
    case ActivationKind::leaky_relu:
      return visit(LeakyRelu{parameter});
    case ActivationKind::elu:
      return visit(Elu{parameter});
    case ActivationKind::gelu:
      return visit(Gelu{});
    case ActivationKind::gelu_tanh:
      return visit(GeluTanh{});
    case ActivationKind::sigmoid:
      return visit(Sigmoid{});
    case ActivationKind::tanh:
      return visit(Tanh{});
  }
}

/// y = f(x); the two may be the same memory.
template <class Function>
inline void activate(const Function& f, const Real* x, Real* y, Index count) {
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes) store(y + k, f.value(load(x + k)));
  if (k < count) store_first(y + k, f.value(load_first(x + k, count - k)), count - k);
}

/// f' at an argument, or at the value there where `from_value` is set.
template <class Function>
GAT_INLINE Lanes slope_at(const Function& f, const Lanes& at, bool from_value) {
  if constexpr (requires { f.slope_of_value(at); }) {
    if (from_value) return f.slope_of_value(at);
  }
  return f.slope(at);
}

/// d_x = d_y · f'. `x` holds arguments, or values where `from_value` is set.
template <class Function>
inline void scale_by_slope(const Function& f, const Real* x, const Real* d_y, Real* d_x, Index count,
                           bool from_value) {
  Index k = 0;
  for (; k + kLanes <= count; k += kLanes)
    store(d_x + k, load(d_y + k) * slope_at(f, load(x + k), from_value));
  if (k < count) {
    const Index rest = count - k;
    store_first(d_x + k, load_first(d_y + k, rest) * slope_at(f, load_first(x + k, rest), from_value), rest);
  }
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
