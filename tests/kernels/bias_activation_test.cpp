#include "gat/kernels/bias_activation.hpp"

#include "gat/core/row_callback.hpp"
#include "gat/kernels/dropout.hpp"
#include "kernels/activation_reference.hpp"
#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::known_activations;
using gat::test::random_matrix;

namespace {

constexpr Index kRows = 37;
const DropoutMask kMask(RandomStream(4), 0.4);

std::vector<NodeId> scattered_ids() {
  std::vector<NodeId> ids;
  for (NodeId r = 0; r < kRows; ++r) ids.push_back((r * 11) % 101);
  return ids;
}

double factor(const DropoutMask& mask, const std::vector<NodeId>& ids, Index r, Index c, Index width) {
  const Index row = ids.empty() ? r : ids[static_cast<std::size_t>(r)];
  return static_cast<double>(mask.factor(static_cast<std::uint64_t>(row * width + c)));
}

}  // namespace

TEST_CASE("bias, dropout and activation of a sum agree with plain loops", "[kernels][bias][reference]") {
  const std::vector<NodeId> ids = scattered_ids();
  for (const Index width : {1, 15, 16, 40, 300}) {
    const Matrix sums = random_matrix(kRows, width, 1), bias = random_matrix(1, width, 2);
    test::at_every_level([&](SimdLevel level) {
      for (const auto& known : known_activations()) {
        INFO(name_of(known.activation.kind) << ", " << width << " columns");
        Matrix argument = sums, output(kRows, width), expected(kRows, width);
        for (Index r = 0; r < kRows; ++r) {
          for (Index c = 0; c < width; ++c) {
            const double x = static_cast<double>(sums(r, c)) + static_cast<double>(bias(0, c));
            expected(r, c) = static_cast<Real>(known.value(x * factor(kMask, ids, r, c, width)));
          }
        }
        bias_activation({bias.data(), kMask, ids, known.activation, argument, output}, 0, kRows, level);
        CHECK(test::relative_difference(output, expected) < 1e-6);
        Matrix in_place = sums;
        bias_activation({bias.data(), kMask, ids, known.activation, in_place, in_place}, 0, 20, level);
        bias_activation({bias.data(), kMask, ids, known.activation, in_place, in_place}, 20, kRows, level);
        CHECK(test::same_bits(in_place, output));
      }
    });
  }
}

TEST_CASE("the gradient of bias, dropout and activation agrees with plain loops",
          "[kernels][bias][reference]") {
  for (const Index width : {1, 16, 40}) {
    const Matrix sums = random_matrix(kRows, width, 1), d_output = random_matrix(kRows, width, 3);
    test::at_every_level([&](SimdLevel level) {
      for (const auto& known : known_activations()) {
        INFO(name_of(known.activation.kind) << ", " << width << " columns");
        Matrix argument = sums, output(kRows, width), d(kRows, width), d_bias(kSumBlocks, width);
        bias_activation({nullptr, kMask, {}, known.activation, argument, output}, 0, kRows, level);
        const ConstMatrixView kept = slope_from_value(known.activation) ? output.view() : argument.view();
        bias_activation_backward({kMask, {}, known.activation, kept, d_output, d, d_bias}, 0, kRows, level);
        Matrix expected(kRows, width), expected_bias(1, width), bias(1, width);
        for (Index r = 0; r < kRows; ++r) {
          for (Index c = 0; c < width; ++c) {
            const double m = factor(kMask, {}, r, c, width);
            const double slope = known.slope(static_cast<double>(sums(r, c)) * m);
            expected(r, c) = static_cast<Real>(static_cast<double>(d_output(r, c)) * slope * m);
            expected_bias(0, c) += expected(r, c);
          }
        }
        for (Index b = 0; b < kSumBlocks; ++b)
          for (Index c = 0; c < width; ++c) bias(0, c) += d_bias(b, c);
        CHECK(test::relative_difference(d, expected) < 1e-6);
        CHECK(test::relative_difference(bias, expected_bias) < 1e-5);
      }
    });
  }
}

TEST_CASE("without dropout and activation only the gradient of the bias is summed", "[kernels][bias][unit]") {
  const Matrix d_output = test::matrix_of({{1, 2}, {3, 5}});
  test::at_every_level([&](SimdLevel level) {
    Matrix d_bias(kSumBlocks, 2);
    bias_activation_backward({{}, {}, {}, {}, d_output, {}, d_bias}, 0, 2, level);
    CHECK(d_bias(0, 0) + d_bias(1, 0) == 4);
    CHECK(d_bias(0, 1) + d_bias(1, 1) == 7);
  });
}

TEST_CASE("dropout of rows multiplies by the mask's factors of global rows",
          "[kernels][dropout][reference]") {
  const std::vector<NodeId> ids = scattered_ids();
  for (const Index width : {1, 3, 16, 257, 520}) {
    const Matrix x = random_matrix(kRows, width, 1);
    test::at_every_level([&](SimdLevel level) {
      for (const bool add : {false, true}) {
        Matrix to = random_matrix(kRows, width, 2), expected(kRows, width);
        for (Index r = 0; r < kRows; ++r) {
          for (Index c = 0; c < width; ++c)
            expected(r, c) =
                (add ? to(r, c) : Real(0)) + x(r, c) * static_cast<Real>(factor(kMask, ids, r, c, width));
        }
        Matrix again = to;
        drop_rows({kMask, ids, x, to, add}, {1, level});
        CHECK(test::relative_difference(to, expected) < 1e-6);
        drop_rows({kMask, ids, x, again, add}, {3, level});
        CHECK(test::same_bits(again, to));
      }
    });
  }
}
