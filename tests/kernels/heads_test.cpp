#include "gat/kernels/heads.hpp"

#include "gat/core/row_callback.hpp"
#include "kernels/activation_reference.hpp"
#include "kernels/attention_reference.hpp"
#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::at_every_level;
using gat::test::for_head_shapes;
using gat::test::interleaved;
using gat::test::KnownActivation;
using gat::test::random_matrix;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

constexpr double kBound = 1e-5;
constexpr Index kRows = 5;

double number(Real x) { return static_cast<double>(x); }
Matrix filled(Index rows, Index cols, double value) {
  Matrix matrix(rows, cols);
  matrix.view().fill(static_cast<Real>(value));
  return matrix;
}

struct MergeOptions {
  bool mean = false, bias = false, added = false;
};
constexpr MergeOptions kMerges[] = {
    {false, false, false}, {false, true, true}, {true, true, false}, {true, false, true}};

// Everything that goes in; rows of heads in public order.
struct MergeNumbers {
  MergeNumbers(int num_heads, Index dim, const MergeOptions& o, const KnownActivation& f)
      : layout(num_heads, dim),
        options(o),
        known(f),
        columns(o.mean ? dim : layout.joined()),
        heads(random_matrix(kRows, layout.joined(), 1)),
        bias(random_matrix(1, columns, 2)),
        added(random_matrix(kRows, columns, 3)),
        d_output(random_matrix(kRows, columns, 4)) {}

  HeadLayout layout;
  MergeOptions options;
  const KnownActivation& known;
  Index columns;
  Matrix heads, bias, added, d_output;
};

// Everything that comes out; `d_bias` is one row.
struct MergeResults {
  Matrix argument, output, d_argument, d_heads, d_bias;

  explicit MergeResults(const MergeNumbers& n)
      : argument(kRows, n.columns),
        output(argument),
        d_argument(argument),
        d_heads(kRows, n.layout.joined()),
        d_bias(filled(1, n.columns, 1)) {}
};

MergeResults naive_merge(const MergeNumbers& n) {
  MergeResults r(n);
  const Index heads = n.layout.num_heads, dim = n.layout.head_dim;
  for (Index i = 0; i < kRows; ++i) {
    for (Index c = 0; c < n.columns; ++c) {
      double x = n.options.mean ? 0 : number(n.heads(i, c));
      for (Index h = 0; h < heads && n.options.mean; ++h)
        x += number(n.heads(i, h * dim + c)) / static_cast<double>(heads);
      if (n.options.bias) x += number(n.bias(0, c));
      if (n.options.added) x += number(n.added(i, c));
      const double d = number(n.d_output(i, c)) * n.known.slope(x);
      r.argument(i, c) = static_cast<Real>(x);
      r.output(i, c) = static_cast<Real>(n.known.value(x));
      r.d_argument(i, c) = static_cast<Real>(d);
      r.d_bias(0, c) += static_cast<Real>(d);
      for (Index h = 0; h < heads && n.options.mean; ++h)
        r.d_heads(i, h * dim + c) = static_cast<Real>(d / static_cast<double>(heads));
      if (!n.options.mean) r.d_heads(i, c) = static_cast<Real>(d);
    }
  }
  return r;
}

// The library's; `rest` receives the padding of d_heads.
MergeResults run_merge(const MergeNumbers& n, SimdLevel level, Matrix* rest = nullptr) {
  MergeResults r(n);
  const Matrix heads = interleaved(n.layout, n.heads);
  const ConstMatrixView added = n.options.added ? n.added.view() : ConstMatrixView();
  const Real* bias = n.options.bias ? n.bias.data() : nullptr;
  merge_heads({n.layout, n.options.mean, heads, bias, added, n.known.activation, r.argument, r.output}, 0,
              kRows, level);
  const Matrix& kept = slope_from_value(n.known.activation) ? r.output : r.argument;
  Matrix d_heads = filled(kRows, n.layout.width(), 99);
  Matrix d_bias(kSumBlocks, n.columns);
  merge_heads_backward(
      {n.layout, n.options.mean, n.known.activation, kept, n.d_output, r.d_argument, d_heads, d_bias}, 0,
      kRows, level);
  test::join(n.layout, d_heads, r.d_heads);
  for (Index b = 0; b < kSumBlocks; ++b) {
    for (Index c = 0; c < n.columns; ++c) r.d_bias(0, c) += d_bias(b, c);
  }
  if (rest != nullptr) *rest = d_heads;
  return r;
}

void check_merge(const MergeNumbers& n, SimdLevel level, const MergeResults& expected) {
  INFO((n.options.mean ? "mean, " : "concat, ") << name_of(n.known.activation.kind));
  Matrix d_heads;
  const MergeResults r = run_merge(n, level, &d_heads);
  CHECK(relative_difference(r.argument, expected.argument) < kBound);
  CHECK(relative_difference(r.output, expected.output) < kBound);
  CHECK(relative_difference(r.d_argument, expected.d_argument) < kBound);
  CHECK(relative_difference(r.d_heads, expected.d_heads) < kBound);
  CHECK(relative_difference(r.d_bias, expected.d_bias) < kBound);
  CHECK(same_bits(d_heads, interleaved(n.layout, r.d_heads)));  // padding is zero
}

const KnownActivation& activation_number(std::size_t k) {
  return test::known_activations()[k % test::known_activations().size()];
}

// Scores in double precision, in rows of one number per head; gradients are added to 1.
struct ScoreNumbers {
  ScoreNumbers(int num_heads, Index dim)
      : layout(num_heads, dim),
        z(random_matrix(kRows, layout.joined(), 1)),
        a(random_matrix(1, layout.joined(), 2)),
        bias(random_matrix(1, num_heads, 3)),
        d_s(random_matrix(kRows - 1, num_heads, 4)) {}
  HeadLayout layout;
  Matrix z, a, bias, d_s;
};

}  // namespace

TEST_CASE("merged heads agree with plain loops for every shape, forward and backward",
          "[kernels][heads][reference]") {
  std::size_t turn = 0;
  for_head_shapes([&](int heads, Index dim) {
    for (const MergeOptions& options : kMerges) {
      const MergeNumbers n(heads, dim, options, activation_number(turn++));
      const MergeResults expected = naive_merge(n);
      at_every_level([&](SimdLevel level) { check_merge(n, level, expected); });
    }
  });
}

TEST_CASE("heads are merged with every activation, from argument and from value",
          "[kernels][heads][reference]") {
  for (const KnownActivation& known : test::known_activations()) {
    for (const auto& [heads, dim] : {std::pair<int, Index>{1, 7}, {8, 8}, {3, 5}, {20, 3}}) {
      for (const MergeOptions& options : kMerges) {
        const MergeNumbers n(heads, dim, options, known);
        const MergeResults expected = naive_merge(n);
        at_every_level([&](SimdLevel level) { check_merge(n, level, expected); });
      }
    }
  }
}

TEST_CASE("rows of a range are merged and no others, and the argument may lie in the output",
          "[kernels][heads][unit]") {
  const MergeNumbers n(8, 4, {false, true, true}, activation_number(4));
  at_every_level([&](SimdLevel level) {
    const MergeResults whole = run_merge(n, level);
    const Matrix heads = interleaved(n.layout, n.heads);
    Matrix output = filled(kRows, n.columns, 99);
    merge_heads({n.layout, false, heads, n.bias.data(), n.added, n.known.activation, output, output}, 1, 3,
                level);
    Matrix d_heads = filled(kRows, n.layout.width(), 99);
    merge_heads_backward({n.layout, false, n.known.activation, whole.output, n.d_output, {}, d_heads, {}}, 1,
                         3, level);
    for (const NodeId i : {0, 1, 2, 3, 4}) {
      const bool inside = i == 1 || i == 2;
      const Matrix untouched = filled(1, n.columns, 99);
      CHECK(same_bits(test::rows_of(output, {i}), inside ? test::rows_of(whole.output, {i}) : untouched));
      Matrix d(kRows, n.columns);
      test::join(n.layout, d_heads, d);
      CHECK(same_bits(test::rows_of(d, {i}), inside ? test::rows_of(whole.d_heads, {i}) : untouched));
    }
  });
}

TEST_CASE("the gradient of a bias is summed block by block", "[kernels][heads][unit]") {
  // 40 rows: blocks of three, thirteen of them and one row more.
  constexpr Index rows = 40;
  const HeadLayout layout(2, 3);
  const Matrix ones = filled(rows, 6, 1);
  at_every_level([&](SimdLevel level) {
    Matrix d_heads(rows, layout.width());
    Matrix d_bias(kSumBlocks, 6);
    const MergeHeadsGradient gradient{layout, false, {}, ones, ones, {}, d_heads, d_bias};
    merge_heads_backward(gradient, 0, 17, level);
    merge_heads_backward(gradient, 17, rows, level);
    for (Index b = 0; b < kSumBlocks; ++b) CHECK(d_bias(b, 5) == (b < 13 ? 3 : b == 13 ? 1 : 0));
  });
}

TEST_CASE("scores of nodes agree with plain loops for every shape", "[kernels][heads][reference]") {
  for_head_shapes([](int heads, Index dim) {
    const ScoreNumbers n(heads, dim);
    Matrix expected(kRows - 1, heads), with_bias(kRows - 1, heads);
    for (Index r = 0; r < kRows - 1; ++r) {
      for (Index h = 0; h < heads; ++h) {
        double s = 0;
        for (Index d = 0; d < dim; ++d) s += number(n.a(0, h * dim + d)) * number(n.z(r, h * dim + d));
        expected(r, h) = static_cast<Real>(s);
        with_bias(r, h) = static_cast<Real>(s + number(n.bias(0, h)));
      }
    }
    at_every_level([&](SimdLevel level) {
      const Matrix z = interleaved(n.layout, n.z), a = interleaved(n.layout, n.a);
      for (const bool bias : {false, true}) {
        Matrix s = filled(kRows - 1, n.layout.score_width(), 99), scores(kRows - 1, heads);
        // The last row of z has no score of its own.
        node_scores({n.layout, z, a, bias ? n.bias.data() : nullptr, s}, 0, kRows, level);
        test::unpad(s, scores);
        CHECK(relative_difference(scores, bias ? with_bias : expected) < kBound);
        CHECK(same_bits(s, test::padded(n.layout, scores)));
      }
    });
  });
}

TEST_CASE("gradients of node scores agree with plain loops for every shape", "[kernels][heads][reference]") {
  for_head_shapes([](int heads, Index dim) {
    const ScoreNumbers n(heads, dim);
    Matrix expected_z = filled(kRows, n.layout.joined(), 1), expected_a = filled(1, n.layout.joined(), 0);
    for (Index h = 0; h < heads; ++h) {
      for (Index c = h * dim; c < (h + 1) * dim; ++c) {
        double sum = 0;
        for (Index r = 0; r < kRows - 1; ++r) {
          sum += number(n.d_s(r, h)) * number(n.z(r, c));
          expected_z(r, c) = static_cast<Real>(1 + number(n.d_s(r, h)) * number(n.a(0, c)));
        }
        expected_a(0, c) = static_cast<Real>(sum);
      }
    }
    at_every_level([&](SimdLevel level) {
      const Matrix z = interleaved(n.layout, n.z), a = interleaved(n.layout, n.a);
      const Matrix d_s = test::padded(n.layout, n.d_s);
      Matrix d_z = interleaved(n.layout, filled(kRows, n.layout.joined(), 1));
      Matrix d_a(kSumBlocks, n.layout.width()), sum(1, n.layout.width()), joined(kRows, n.layout.joined());
      node_scores_backward({n.layout, z, a, d_s, d_z, d_a}, 0, kRows, level);
      for (Index b = 0; b < kSumBlocks; ++b) {
        for (Index c = 0; c < n.layout.width(); ++c) sum(0, c) += d_a(b, c);
      }
      test::join(n.layout, d_z, joined);
      CHECK(relative_difference(joined, expected_z) < kBound);
      CHECK(same_bits(d_z, interleaved(n.layout, joined)));
      Matrix joined_a(1, n.layout.joined());
      test::join(n.layout, sum, joined_a);
      CHECK(relative_difference(joined_a, expected_a) < kBound);
      CHECK(same_bits(sum, interleaved(n.layout, joined_a)));
    });
  });
}

TEST_CASE("rows of heads drop the elements of their global row, in place too", "[kernels][heads][dropout]") {
  // Rows 0 and 1 are nodes 39,999,999 and 2 of a larger graph; without numbers of their own, rows are nodes.
  const std::vector<NodeId> nodes{39999999, 2};
  const std::vector<EdgeId> offsets{0, 0, 0};
  GraphView::Arrays arrays;
  arrays.in_offsets = arrays.out_offsets = offsets;
  const GraphView plain(2, 2, false, 0, arrays);
  arrays.node_ids = nodes;
  const GraphView part(2, 2, false, 0, arrays);
  const DropoutMask mask(RandomStream(5), 0.4);
  for_head_shapes([&](int heads, Index dim) {
    const HeadLayout layout(heads, dim);
    const Matrix from = interleaved(layout, random_matrix(2, layout.joined(), 1));
    for (const GraphView& view : {plain, part}) {
      Matrix expected = from;
      for (Index r = 0; r < 2; ++r) {
        for (Index c = 0; c < layout.width(); ++c)
          expected(r, c) *=
              mask.factor(static_cast<std::uint64_t>(view.global_source(r) * layout.width() + c));
      }
      at_every_level([&](SimdLevel level) {
        Matrix to(2, layout.width()), same = from;
        drop_heads({mask, view, from, to}, 0, 2, level);
        CHECK(relative_difference(to, expected) == 0);
        drop_heads({mask, view, same, same}, 0, 2, level);
        CHECK(same_bits(same, to));
        for (const bool dropping : {true, false}) {
          const Matrix& floats = dropping ? expected : from;
          Matrix memory(2, Bf16Rows::memory_cols(layout.width()));
          const Bf16Rows rounded(memory, layout.width());
          drop_heads({dropping ? mask : DropoutMask(), view, from, {}, rounded}, 0, 2, level);
          bool equal = true;
          for (Index k = 0; k < floats.size(); ++k)
            equal = equal && rounded.data[k].bits == to_bf16(floats.data()[k]).bits;
          CHECK(equal);
        }
      });
    }
  });
}
