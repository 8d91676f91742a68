#include "graph/smallest_eigenvectors.hpp"

#include <Spectra/SymEigsSolver.h>
#include <Eigen/Eigenvalues>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "core/parallel.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr Index kDenseNodes = 400;
// Up to this many entries per row an order of elimination is looked for, and up to this many entries of the
// factor per row it is used: one solve then costs some ten products.
constexpr Index kSparseRow = 12;
constexpr Index kSparseFactorRow = 64;
// L + shift is positive definite; far below any eigenvalue that a chain of 10⁴ nodes has.
constexpr double kShift = 1e-9;
// Of the residual, relative to the eigenvalue iterated on.
constexpr double kTolerance = 1e-10;
constexpr double kLargestResidual = 1e-8;
constexpr Index kMostRestarts = 2000;
// Products follow each other so closely that a team pays for large ones alone.
constexpr Index kTeamEntries = 1000000;

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Vector = Eigen::Map<VectorXd>;
using ConstVector = Eigen::Map<const VectorXd>;

// y = adjacency · x; each row has one writer.
void multiply(const LaplacianPart& part, const double* x, double* y, int num_threads) {
  const SymmetricMatrix& a = part.adjacency;
  const EdgeId* const offsets = a.outerIndexPtr();
  const auto work_before = [&](Index i) { return offsets[i] + i; };
  const int team = a.nonZeros() < kTeamEntries ? 1 : num_threads;
  parallel_ranges(team, a.cols(), work_before, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i) {
      double sum = 0;
      for (EdgeId e = offsets[i]; e < offsets[i + 1]; ++e) sum += a.valuePtr()[e] * x[a.innerIndexPtr()[e]];
      y[i] = sum;
    }
  });
}

VectorXd laplacian_times(const LaplacianPart& part, const VectorXd& x, int num_threads) {
  VectorXd product(x.size());
  multiply(part, x.data(), product.data(), num_threads);
  return x - product;
}

// (L + shift)⁻¹, where its factor stays sparse.
class SparseInverse {
 public:
  // Nothing when the factor would have too many entries.
  static std::optional<SparseInverse> of(const LaplacianPart& part, bool whatever_the_fill) {
    const Index size = part.adjacency.cols();
    if (!whatever_the_fill && part.adjacency.nonZeros() > kSparseRow * size) return std::nullopt;
    SparseInverse inverse;
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, EdgeId> order;
    Eigen::AMDOrdering<EdgeId>()(part.adjacency, order);
    inverse.to_elimination_ = order.inverse();
    SymmetricMatrix ordered;
    ordered = part.adjacency.twistedBy(inverse.to_elimination_);
    const Index limit = kSparseFactorRow * size;
    if (!whatever_the_fill && factor_entries(ordered, limit) > limit) return std::nullopt;
    SymmetricMatrix matrix(size, size);
    matrix.setIdentity();
    matrix = matrix * (1 + kShift) - ordered;
    inverse.factor_->compute(matrix);
    if (inverse.factor_->info() != Eigen::Success) return std::nullopt;
    return inverse;
  }

  VectorXd operator()(const VectorXd& x) const {
    return to_elimination_.inverse() * factor_->solve(to_elimination_ * x);
  }

 private:
  using Factor = Eigen::SimplicialLDLT<SymmetricMatrix, Eigen::Lower, Eigen::NaturalOrdering<EdgeId>>;

  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, EdgeId> to_elimination_;
  std::unique_ptr<Factor> factor_ = std::make_unique<Factor>();
};

// What Lanczos iterates on: a matrix with the eigenvectors of L whose largest eigenvalues belong to the
// smallest of L, zero on the null vector and on the vectors that are known.
class Deflated {
 public:
  using Scalar = double;  // Spectra asks for the name

  Deflated(const LaplacianPart& part, const SparseInverse* inverse, const MatrixXd& known, int num_threads)
      : part_(part), inverse_(inverse), known_(known), num_threads_(num_threads) {}

  Index rows() const { return part_.adjacency.rows(); }
  Index cols() const { return rows(); }
  void perform_op(const double* in, double* out) const {
    VectorXd x = ConstVector(in, rows());
    deflate(x);
    VectorXd y(rows());
    if (inverse_ != nullptr) {
      y = (*inverse_)(x);
    } else {
      multiply(part_, x.data(), y.data(), num_threads_);
      y += x;
    }
    deflate(y);
    Vector(out, rows()) = y;
  }

 private:
  void deflate(VectorXd& x) const {
    x -= part_.null_vector.dot(x) * part_.null_vector;
    if (known_.cols() > 0) x -= known_ * (known_.transpose() * x);
  }

  const LaplacianPart& part_;
  const SparseInverse* inverse_;
  const MatrixXd& known_;
  int num_threads_;
};

void sort_and_cut(Eigenpairs& pairs, Index most) {
  std::vector<Index> order(static_cast<std::size_t>(pairs.values.size()));
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return pairs.values[a] < pairs.values[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
  pairs = {VectorXd(pairs.values(order)), MatrixXd(pairs.vectors(Eigen::all, order))};
}

[[noreturn]] void fail(const LaplacianPart& part, const std::string& why) {
  throw NumericError("the Laplacian of a component of " + std::to_string(part.nodes.size()) +
                     " nodes: " + why + "; ask for fewer eigenvectors, or use a random-walk encoding");
}

Eigenpairs lanczos(const LaplacianPart& part, const SparseInverse* inverse, const MatrixXd& known,
                   Index count, int num_threads) {
  Deflated matrix(part, inverse, known, num_threads);
  const Index size = matrix.rows();
  Eigenpairs pairs;
  try {
    Spectra::SymEigsSolver<Deflated> solver(matrix, count, std::min(size, 2 * count + 32));
    solver.init();
    solver.compute(Spectra::SortRule::LargestAlge, kMostRestarts, kTolerance);
    if (solver.info() != Spectra::CompInfo::Successful) fail(part, "Lanczos iteration does not converge");
    pairs.vectors = solver.eigenvectors();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail(part, std::string("Lanczos iteration fails: ") + error.what());
  }
  pairs.values.resize(count);
  for (Index k = 0; k < count; ++k) {
    pairs.vectors.col(k).normalize();
    const VectorXd v = pairs.vectors.col(k);
    const VectorXd product = laplacian_times(part, v, num_threads);
    pairs.values[k] = v.dot(product);
    const double residual = (product - pairs.values[k] * v).norm();
    if (!(residual <= kLargestResidual)) fail(part, "a residual of " + std::to_string(residual) + " is left");
  }
  sort_and_cut(pairs, count);
  return pairs;
}

void join(Eigenpairs& pairs, const Eigenpairs& more) {
  const Index have = pairs.values.size();
  pairs.values.conservativeResize(have + more.values.size());
  pairs.values.tail(more.values.size()) = more.values;
  pairs.vectors.conservativeResize(more.vectors.rows(), pairs.values.size());
  pairs.vectors.rightCols(more.vectors.cols()) = more.vectors;
}

// One start vector shows one vector of each eigenvalue, however many there are; so what is known is taken out
// and the rest searched until it holds nothing smaller.
Eigenpairs iterate(const LaplacianPart& part, const SparseInverse* inverse, Index count, int num_threads) {
  Eigenpairs pairs = lanczos(part, inverse, MatrixXd(part.adjacency.rows(), 0), count, num_threads);
  for (Index ask = 1;; ask = std::min(2 * ask, count)) {
    const Eigenpairs more = lanczos(part, inverse, pairs.vectors, ask, num_threads);
    if (more.values[0] > pairs.values[count - 1] - kLargestResidual) break;
    join(pairs, more);
    sort_and_cut(pairs, count);
  }
  return pairs;
}

Eigenpairs solve_densely(const LaplacianPart& part, Index count) {
  const Index size = part.adjacency.rows();
  // Eigenvalues of L are at most 2: the null vector becomes the last.
  MatrixXd matrix = MatrixXd::Identity(size, size) - MatrixXd(part.adjacency);
  matrix += 3 * part.null_vector * part.null_vector.transpose();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) fail(part, "the dense eigenvalue solver does not converge");
  return {solver.eigenvalues().head(count), solver.eigenvectors().leftCols(count)};
}

}  // namespace

Index factor_entries(const SymmetricMatrix& matrix, Index limit) {
  const Index size = matrix.cols();
  std::vector<Index> parent(static_cast<std::size_t>(size), -1);
  std::vector<Index> last_row(static_cast<std::size_t>(size), -1);
  Index entries = 0;
  for (Index row = 0; row < size && entries <= limit; ++row) {
    last_row[static_cast<std::size_t>(row)] = row;
    for (SymmetricMatrix::InnerIterator entry(matrix, row); entry; ++entry) {
      // Every column on the way up to the row has an entry in it.
      for (Index column = entry.index(); column < row; column = parent[static_cast<std::size_t>(column)]) {
        const auto at = static_cast<std::size_t>(column);
        if (last_row[at] == row) break;
        if (parent[at] < 0) parent[at] = row;
        last_row[at] = row;
        ++entries;
      }
    }
  }
  return entries;
}

Eigenpairs smallest_eigenvectors(const LaplacianPart& part, Index count, int num_threads,
                                 EigenMethod method) {
  const Index size = part.adjacency.rows();
  // Lanczos needs room beside the wanted vectors, and its vectors are dense too.
  const bool is_small = size <= kDenseNodes || 4 * (count + 8) > size;
  if (method == EigenMethod::dense || (method == EigenMethod::automatic && is_small))
    return solve_densely(part, count);
  std::optional<SparseInverse> inverse;
  if (method != EigenMethod::direct) inverse = SparseInverse::of(part, method == EigenMethod::inverse);
  return iterate(part, inverse ? &*inverse : nullptr, count, num_threads);
}

}  // namespace gat::inline GAT_PRECISION
