#include "gat/kernels/adam.hpp"

#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::random_matrix;

namespace {

struct Numbers {
  Matrix gradient, weight, m, v;

  explicit Numbers(Index count)
      : gradient(random_matrix(1, count, 1)),
        weight(random_matrix(1, count, 2)),
        m(random_matrix(1, count, 3)),
        v(test::random_half_empty(1, count, 4)) {}

  Numbers updated(const AdamFactors& factors, const Execution& execution) const {
    Numbers r = *this;
    adam_update(factors, gradient.data(), r.weight.data(), r.m.data(), r.v.data(), weight.size(), execution);
    return r;
  }
};

// One step in double precision, number by number.
Numbers naive_step(const AdamFactors& f, Numbers n) {
  for (Index k = 0; k < n.weight.size(); ++k) {
    const double w = static_cast<double>(n.weight(0, k));
    const double g = static_cast<double>(n.gradient(0, k)) + static_cast<double>(f.l2) * w;
    const double m =
        static_cast<double>(f.beta1) * static_cast<double>(n.m(0, k)) + static_cast<double>(f.rest1) * g;
    const double v =
        static_cast<double>(f.beta2) * static_cast<double>(n.v(0, k)) + static_cast<double>(f.rest2) * g * g;
    const double step = static_cast<double>(f.rate) * m /
                        (static_cast<double>(f.root_scale) * std::sqrt(v) + static_cast<double>(f.epsilon));
    n.m(0, k) = static_cast<Real>(m);
    n.v(0, k) = static_cast<Real>(v);
    n.weight(0, k) = static_cast<Real>(static_cast<double>(f.keep) * w - step);
  }
  return n;
}

AdamFactors factors(double l2, double keep) {
  AdamFactors f;
  f.beta1 = static_cast<Real>(0.9);
  f.beta2 = static_cast<Real>(0.99);
  f.rest1 = static_cast<Real>(0.1);
  f.rest2 = static_cast<Real>(0.01);
  f.rate = static_cast<Real>(0.02);
  f.root_scale = static_cast<Real>(3);
  f.epsilon = static_cast<Real>(1e-3);
  f.l2 = static_cast<Real>(l2);
  f.keep = static_cast<Real>(keep);
  return f;
}

}  // namespace

TEST_CASE("Adam's update agrees with the plain loop at every length", "[kernels][adam][reference]") {
  test::at_every_level([](SimdLevel level) {
    for (const Index count : {0, 1, 7, 15, 16, 17, 31, 32, 33, 1000}) {
      for (const AdamFactors& f : {factors(0, 1), factors(0.3, 1), factors(0, 0.9)}) {
        const Numbers numbers(count);
        const Numbers updated = numbers.updated(f, {1, level});
        const Numbers expected = naive_step(f, numbers);
        CHECK(test::relative_difference(updated.weight, expected.weight) < 1e-6);
        CHECK(test::relative_difference(updated.m, expected.m) < 1e-6);
        CHECK(test::relative_difference(updated.v, expected.v) < 1e-6);
      }
    }
  });
}

TEST_CASE("Adam's update has the same bits for any number of threads", "[kernels][adam][determinism]") {
  test::at_every_level([](SimdLevel level) {
    const Numbers numbers(70001);
    const Numbers serial = numbers.updated(factors(0.1, 0.9), {1, level});
    for (const int threads : test::kThreads) {
      const Numbers r = numbers.updated(factors(0.1, 0.9), {threads, level});
      CHECK(test::same_bits(r.weight, serial.weight));
      CHECK(test::same_bits(r.m, serial.m));
      CHECK(test::same_bits(r.v, serial.v));
    }
  });
}
