#include "gat/kernels/linear.hpp"

#include "kernels/levels.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::at_every_level;
using gat::test::random_half_empty;
using gat::test::random_matrix;
using gat::test::relative_difference;
using gat::test::same_bits;
using gat::test::sparse_copy;

namespace {

constexpr double kBound = 1e-5;

// How the input of a case is dropped: the layers of the mask, and whether each feeds its own head.
struct Masking {
  double probability;
  Index masks;
  const HeadLayout* heads;
};
const HeadLayout kThreeHeads(3, 5), kEightHeads(8, 3), kManyHeads(20, 2), kEvenHeads(8, 8),
    kWideHeads(17, 40);
const std::vector<Masking> kMaskings{{0, 1, nullptr},        {0.4, 1, nullptr},      {0.4, 3, nullptr},
                                     {0.4, 3, &kThreeHeads}, {0.4, 8, &kEightHeads}, {0.4, 20, &kManyHeads},
                                     {0.4, 8, &kEvenHeads},  {0.4, 17, &kWideHeads}};

// Columns of Z: whole and broken vectors, or those of the heads.
Index width_of(const Masking& masking, Index otherwise) {
  return masking.heads == nullptr ? otherwise : masking.heads->width();
}
// Zeros where the layout pads.
Matrix with_padding(Matrix matrix, const HeadLayout* heads) {
  if (heads == nullptr) return matrix;
  Matrix joined(1, heads->joined());
  for (Index r = 0; r < matrix.rows(); ++r) {
    join_heads(*heads, matrix.row(r), joined.data());
    interleave_heads(*heads, joined.data(), matrix.row(r));
  }
  return matrix;
}
// The head that a column belongs to.
Index head_of(const HeadLayout& heads, Index column) {
  return column / heads.group_width * heads.lanes + column % heads.lanes;
}

LinearInput masked(const FeatureView& rows, const Masking& masking,
                   std::span<const NodeId> global_rows = {}) {
  return {rows, global_rows, DropoutMask(RandomStream(7), masking.probability), masking.masks, masking.heads};
}

Matrix forward(const LinearInput& input, const Matrix& weight, const Execution& execution = 1) {
  Workspace workspace;
  Matrix out(input.rows.rows(), weight.cols());
  linear_forward(input, weight, out, execution, workspace);
  return out;
}
Matrix weight_gradient(const LinearInput& input, const Matrix& d_out, const Execution& execution = 1) {
  Workspace workspace;
  Matrix d(input.rows.cols(), d_out.cols());
  linear_backward_weight(input, d_out, d, execution, workspace);
  return d;
}
Matrix input_gradient(const LinearInput& input, const Matrix& weight, const Matrix& d_out,
                      const Execution& execution = 1) {
  Workspace workspace;
  Matrix d(input.rows.rows(), input.rows.cols());
  linear_backward_input(input, weight, d_out, d, execution, workspace);
  return d;
}

struct Gradients {
  Matrix d_w, d_x;
};
// Both at once, the second one overwritten.
Gradients gradients(const LinearInput& input, const Matrix& weight, const Matrix& d_out,
                    const Execution& execution = 1) {
  Workspace workspace;
  Gradients d{Matrix(weight.rows(), weight.cols()), Matrix(input.rows.rows(), input.rows.cols())};
  d.d_x.view().fill(99);
  linear_backward(input, weight, d_out, d.d_w, d.d_x, execution, workspace, false);
  return d;
}

// Z, d_W and d_X by three plain loops in double precision; `x` is already the chosen rows.
struct Naive {
  Naive(const Matrix& x, const LinearInput& input, const Matrix& w, const Matrix& d_z)
      : z(x.rows(), w.cols()), d_w(w.rows(), w.cols()), d_x(x.rows(), x.cols()) {
    const auto add = [](Real& sum, double value) {
      sum = static_cast<Real>(static_cast<double>(sum) + value);
    };
    for (Index r = 0; r < x.rows(); ++r) {
      const Index global = input.global_rows.empty() ? r : input.global_rows[static_cast<std::size_t>(r)];
      for (Index m = 0; m < w.cols(); ++m) {
        for (Index f = 0; f < x.cols(); ++f) {
          const Index slice = input.head_masks == nullptr ? 0 : head_of(*input.head_masks, m);
          const Index element = (global * x.cols() + f) * input.num_masks + slice;
          const auto factor = static_cast<double>(input.dropout.factor(static_cast<std::uint64_t>(element)));
          add(z(r, m), factor * static_cast<double>(x(r, f)) * static_cast<double>(w(f, m)));
          add(d_w(f, m), factor * static_cast<double>(x(r, f)) * static_cast<double>(d_z(r, m)));
          add(d_x(r, f), factor * static_cast<double>(d_z(r, m)) * static_cast<double>(w(f, m)));
        }
      }
    }
  }
  Matrix z, d_w, d_x;
};

}  // namespace

TEST_CASE("linear maps of dense and sparse rows agree with plain loops", "[kernels][linear][reference]") {
  // Of 1100 rows, each of the sums over fixed blocks takes two steps.
  for (const Index rows : {0, 1, 3, 64, 65, 1100}) {
    for (const Masking& masking : kMaskings) {
      const Matrix x = random_half_empty(rows, 11, 1);
      const CsrMatrix sparse = sparse_copy(x);
      const Index width = width_of(masking, 41);
      const Matrix w = with_padding(random_matrix(11, width, 2), masking.heads);
      const Matrix d_z = with_padding(random_matrix(rows, width, 3), masking.heads);
      const LinearInput dense = masked(x, masking);
      const LinearInput csr = masked(sparse.view(), masking);
      const Naive naive(x, dense, w, d_z);
      INFO(rows << " rows, " << masking.masks << " masks, " << width << " columns");
      at_every_level([&](SimdLevel level) {
        const Execution execution(1, level);
        CHECK(relative_difference(forward(dense, w, execution), naive.z) < kBound);
        CHECK(relative_difference(forward(csr, w, execution), naive.z) < kBound);
        CHECK(relative_difference(forward(csr, w, execution), forward(dense, w, execution)) < kBound);
        CHECK(relative_difference(weight_gradient(dense, d_z, execution), naive.d_w) < kBound);
        CHECK(relative_difference(weight_gradient(csr, d_z, execution), naive.d_w) < kBound);
        CHECK(relative_difference(input_gradient(dense, w, d_z, execution), naive.d_x) < kBound);
      });
    }
  }
}

TEST_CASE("a row's bits do not depend on the other rows", "[kernels][linear][determinism]") {
  const Matrix x = random_half_empty(150, 37, 4);
  const CsrMatrix sparse = sparse_copy(x);
  for (const Masking& masking : kMaskings) {
    const Index width = width_of(masking, 40);
    const Matrix w = with_padding(random_matrix(37, width, 5), masking.heads);
    const Matrix d_z = with_padding(random_matrix(150, width, 6), masking.heads);
    const LinearInput all = masked(x, masking);
    const LinearInput all_sparse = masked(sparse.view(), masking);
    for (const Index count : {1, 2, 63, 64, 65, 149}) {
      std::vector<NodeId> chosen;
      for (Index k = 0; k < count; ++k) chosen.push_back(static_cast<NodeId>((k * 71 + 5) % 150));
      LinearInput some = masked(x, masking, chosen);
      some.rows.row_ids = chosen;
      LinearInput some_sparse = masked(sparse.view(), masking, chosen);
      some_sparse.rows.row_ids = chosen;
      at_every_level([&](SimdLevel level) {
        const Execution execution(1, level);
        CHECK(same_bits(forward(some, w, execution), test::rows_of(forward(all, w, execution), chosen)));
        CHECK(same_bits(forward(some_sparse, w, execution),
                        test::rows_of(forward(all_sparse, w, execution), chosen)));
        CHECK(same_bits(input_gradient(some, w, test::rows_of(d_z, chosen), execution),
                        test::rows_of(input_gradient(all, w, d_z, execution), chosen)));
      });
    }
  }
}

TEST_CASE("linear maps agree with plain loops at every width of input and result",
          "[kernels][linear][reference]") {
  for (const Index features : {1, 2, 15, 16, 17, 33, 100, 300}) {
    for (const Index width : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 48, 64, 100, 130}) {
      const Matrix x = random_half_empty(70, features, 1);
      const CsrMatrix sparse = sparse_copy(x);
      const Matrix w = random_matrix(features, width, 2);
      const Matrix d_z = random_matrix(70, width, 3);
      const Masking masking{features % 2 == 0 ? 0.3 : 0, 1, nullptr};
      const LinearInput dense = masked(x, masking), csr = masked(sparse.view(), masking);
      const Naive naive(x, dense, w, d_z);
      INFO(features << " features, " << width << " columns");
      at_every_level([&](SimdLevel level) {
        const Execution execution(1, level);
        CHECK(relative_difference(forward(dense, w, execution), naive.z) < kBound);
        CHECK(relative_difference(forward(csr, w, execution), naive.z) < kBound);
        CHECK(relative_difference(weight_gradient(dense, d_z, execution), naive.d_w) < kBound);
        CHECK(relative_difference(weight_gradient(csr, d_z, execution), naive.d_w) < kBound);
        CHECK(relative_difference(input_gradient(dense, w, d_z, execution), naive.d_x) < kBound);
      });
    }
  }
}

TEST_CASE("both gradients at once agree with plain loops", "[kernels][linear][reference]") {
  for (const Index features : {1, 15, 16, 17, 64, 100}) {
    for (const Index width : {1, 2, 3, 4, 5, 6, 7, 8, 9, 40}) {
      const Matrix stored = random_half_empty(90, features, 1);
      const Matrix w = random_matrix(features, width, 2);
      const Matrix d_z = random_matrix(70, width, 3);
      std::vector<NodeId> chosen;
      for (NodeId k = 0; k < 70; ++k) chosen.push_back((k * 71 + 5) % 90);
      LinearInput some = masked(stored, {width % 2 == 0 ? 0.3 : 0, 1, nullptr}, chosen);
      some.rows.row_ids = chosen;
      const LinearInput first = masked(ConstMatrixView(stored.data(), 70, features), {0.3, 1, nullptr});
      for (const LinearInput& input : {some, first}) {
        const Matrix x =
            input.rows.row_ids.empty() ? Matrix(first.rows.dense) : test::rows_of(stored, chosen);
        const Naive naive(x, input, w, d_z);
        INFO(features << " features, " << width << " columns");
        at_every_level([&](SimdLevel level) {
          const Gradients d = gradients(input, w, d_z, {1, level});
          CHECK(relative_difference(d.d_w, naive.d_w) < kBound);
          CHECK(relative_difference(d.d_x, naive.d_x) < kBound);
        });
      }
    }
  }
}

TEST_CASE("both gradients at once have the same bits for 1, 2, 3 and 8 threads",
          "[kernels][linear][determinism]") {
  const Matrix x = random_half_empty(2000, 70, 4), w = random_matrix(70, 7, 5),
               d_z = random_matrix(2000, 7, 6);
  const LinearInput input = masked(x, {0.4, 1, nullptr});
  at_every_level([&](SimdLevel level) {
    const Gradients serial = gradients(input, w, d_z, {1, level});
    for (const int threads : {2, 3, 8}) {
      const Gradients several = gradients(input, w, d_z, {threads, level});
      CHECK(same_bits(several.d_w, serial.d_w));
      CHECK(same_bits(several.d_x, serial.d_x));
    }
  });
}

TEST_CASE("sparse rows and columns with very many entries agree with plain loops",
          "[kernels][linear][reference]") {
  for (const auto& [rows, features] : {std::pair<Index, Index>{5, 2600}, {2600, 5}}) {
    const Matrix x = random_half_empty(rows, features, 1);
    const CsrMatrix sparse = sparse_copy(x);
    const Matrix w = random_matrix(features, 19, 2), d_z = random_matrix(rows, 19, 3);
    const LinearInput csr = masked(sparse.view(), {0.4, 1, nullptr});
    const Naive naive(x, csr, w, d_z);
    at_every_level([&](SimdLevel level) {
      CHECK(relative_difference(forward(csr, w, {1, level}), naive.z) < kBound);
      CHECK(relative_difference(weight_gradient(csr, d_z, {1, level}), naive.d_w) < kBound);
      CHECK(same_bits(weight_gradient(csr, d_z, {3, level}), weight_gradient(csr, d_z, {1, level})));
    });
  }
}

TEST_CASE("linear maps have the same bits for 1, 2, 3 and 8 threads", "[kernels][linear][determinism]") {
  const Matrix x = random_half_empty(1100, 50, 4);
  const CsrMatrix sparse = sparse_copy(x);
  const Matrix w = with_padding(random_matrix(50, kThreeHeads.width(), 5), &kThreeHeads);
  const Matrix d_z = with_padding(random_matrix(1100, kThreeHeads.width(), 6), &kThreeHeads);
  at_every_level([&](SimdLevel level) {
    for (const FeatureView& rows : {FeatureView(x), FeatureView(sparse.view())}) {
      const LinearInput input = masked(rows, {0.4, 3, &kThreeHeads});
      for (const int threads : {2, 3, 8}) {
        const Execution serial(1, level), several(threads, level);
        CHECK(same_bits(forward(input, w, several), forward(input, w, serial)));
        CHECK(same_bits(weight_gradient(input, d_z, several), weight_gradient(input, d_z, serial)));
        if (!rows.is_sparse())
          CHECK(same_bits(input_gradient(input, w, d_z, several), input_gradient(input, w, d_z, serial)));
      }
    }
  });
}

TEST_CASE("dense and sparse rows drop the same elements", "[kernels][linear][dropout]") {
  const Matrix x = random_half_empty(20, 8, 1);
  const CsrMatrix sparse = sparse_copy(x);
  Matrix identity(8, 8);
  for (Index k = 0; k < 8; ++k) identity(k, k) = 1;
  const Masking masking{0.6, 1, nullptr};
  const DropoutMask dropout = masked(x, masking).dropout;
  at_every_level([&](SimdLevel level) {
    const Matrix dense = forward(masked(x, masking), identity, {1, level});
    CHECK(same_bits(forward(masked(sparse.view(), masking), identity, {1, level}), dense));
    for (Index i = 0; i < 20; ++i) {
      for (Index j = 0; j < 8; ++j)
        CHECK(dense(i, j) == x(i, j) * dropout.factor(static_cast<std::uint64_t>(i * 8 + j)));
    }
  });
}

TEST_CASE("B47: masks of rows beyond 2^31 elements are those of the global element",
          "[kernels][linear][cases]") {
  Matrix x(1, 64);
  x.view().fill(1);
  Matrix identity(64, 64);
  for (Index k = 0; k < 64; ++k) identity(k, k) = 1;
  const std::vector<NodeId> last{39999999};
  const LinearInput input = masked(x, {0.5, 1, nullptr}, last);
  at_every_level([&](SimdLevel level) {
    const Matrix z = forward(input, identity, {1, level});
    for (std::uint64_t k = 0; k < 64; ++k) {
      CHECK(z(0, static_cast<Index>(k)) == input.dropout.factor(2559999999ULL - 63 + k));
    }
  });
}

TEST_CASE("products write their own columns of a wider matrix alone", "[kernels][linear][unit]") {
  const Index width = GENERATE(1, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 65);
  constexpr Index kRows = 29, kBefore = 3, kAfter = 2;
  constexpr Real kOther = 7;
  at_every_level([&](SimdLevel level) {
    const Execution execution(1, level);
    Workspace workspace;
    const auto check = [&](Matrix alone, const auto& write) {
      Matrix wider(alone.rows(), kBefore + width + kAfter);
      for (Index r = 0; r < wider.rows(); ++r) std::fill_n(wider.row(r), wider.cols(), kOther);
      write(MatrixView(wider).columns(kBefore, width));
      for (Index r = 0; r < wider.rows(); ++r) {
        for (Index c = 0; c < wider.cols(); ++c) {
          const Index own = c - kBefore;
          const Real expected = own >= 0 && own < width ? alone(r, own) : kOther;
          INFO("row " << r << ", column " << c);
          REQUIRE(wider(r, c) == expected);
        }
      }
    };
    const Matrix x = random_matrix(kRows, 21, 1), weight = random_matrix(21, width, 2);
    const LinearInput input = masked(x, kMaskings[0]);
    check(forward(input, weight, execution),
          [&](MatrixView out) { linear_forward(input, weight, out, execution, workspace); });
    const Matrix wide_x = random_matrix(kRows, width, 3), back = random_matrix(width, 21, 4);
    const LinearInput wide_input = masked(wide_x, kMaskings[0]);
    const Matrix d_out = random_matrix(kRows, 21, 5);
    check(input_gradient(wide_input, back, d_out, execution), [&](MatrixView d_rows) {
      linear_backward_input(wide_input, back, d_out, d_rows, execution, workspace, false);
    });
  });
}

TEST_CASE("gradients of linear maps are added, results are overwritten", "[kernels][linear][unit]") {
  const Matrix x = test::matrix_of({{1, 2}});
  const Matrix w = test::matrix_of({{3}, {4}});
  const Matrix d_z = test::matrix_of({{10}});
  Workspace workspace;
  Matrix z = test::matrix_of({{99}});
  linear_forward(masked(x, kMaskings[0]), w, z, 1, workspace);
  CHECK(z(0, 0) == 11);
  Matrix d_w = test::matrix_of({{1}, {1}});
  linear_backward_weight(masked(x, kMaskings[0]), d_z, d_w, 1, workspace);
  CHECK(same_bits(d_w, test::matrix_of({{11}, {21}})));
  Matrix d_x = test::matrix_of({{1, 1}});
  linear_backward_input(masked(x, kMaskings[0]), w, d_z, d_x, 1, workspace);
  CHECK(same_bits(d_x, test::matrix_of({{31, 41}})));
  linear_backward(masked(x, kMaskings[0]), w, d_z, d_w, d_x, 1, workspace);
  CHECK(same_bits(d_w, test::matrix_of({{21}, {41}})));
  CHECK(same_bits(d_x, test::matrix_of({{61, 81}})));
}

TEST_CASE("column sums are added with the same bits for any number of threads",
          "[kernels][linear][determinism]") {
  for (const Index cols : {1, 3, 8, 10, 17}) {
    const Matrix matrix = random_matrix(5001, cols, 8);
    at_every_level([&](SimdLevel level) {
      Workspace workspace;
      Matrix serial(1, cols);
      add_column_sums(matrix, serial, {1, level}, workspace);
      for (Index c = 0; c < cols; ++c) {
        double sum = 0;
        for (Index r = 0; r < matrix.rows(); ++r) sum += static_cast<double>(matrix(r, c));
        CHECK(static_cast<double>(serial(0, c)) == Approx(sum).margin(1e-3));
      }
      for (const int threads : {2, 3, 8}) {
        Matrix sums(1, cols);
        add_column_sums(matrix, sums, {threads, level}, workspace);
        CHECK(same_bits(sums, serial));
      }
    });
  }
}
