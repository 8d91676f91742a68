/// Gradients of a dense map with few columns, such as a class layer. Included by linear.cpp only.
///
///     d_W[f, c] += Σ_r m_rf x_rf d_out[r, c]        d_x[r, f] (+)= m_rf Σ_c d_out[r, c] W[f, c]
/// Features lie in lanes and columns are broadcast, so no lane is padding, the sums of d_Wᵀ stay in registers
/// for a block of rows, and the mask of a block is drawn once for both gradients.
#pragma once

#include "core/parallel.hpp"
#include "kernels/simd/masked_rows.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

class NarrowLinear {
 public:
  NarrowLinear(const LinearInput& input, Index columns, const Execution& execution, Workspace& workspace)
      : input_(input),
        columns_(columns),
        depth_(input.rows.cols()),
        padded_((depth_ + kLanes - 1) / kLanes * kLanes),
        threads_(execution.num_threads),
        workspace_(workspace) {}

  static bool serves(const LinearInput& input, Index columns) {
    return columns <= kMostColumns && input.head_masks == nullptr && input.num_masks == 1 &&
           !input.rows.is_sparse();
  }

  /// \param d_rows  empty when not wanted
  void backward(ConstMatrixView weight, ConstMatrixView d_out, MatrixView d_weight, MatrixView d_rows,
                bool add, const RowCallback& wanted) const {
    const Workspace::Scope scope(workspace_);
    const MatrixView transposed = transpose(weight);
    const MatrixView partial = workspace_.zeros(kSumBlocks * columns_, padded_);
    const MatrixView factors = workspace_.matrix(threads_ * (kRows + 1), padded_);
    const MatrixView masked = workspace_.zeros(threads_ * kRows, padded_);
    const Index block = sum_block_rows(d_out.rows);
    parallel_for(threads_, kSumBlocks, block * depth_ * columns_ / 8,
                 [&](Index begin, Index end, int member) {
                   const Block own{MatrixView(factors.row(member * (kRows + 1)), kRows, padded_),
                                   MatrixView(masked.row(member * kRows), kRows, padded_)};
                   for (Index b = begin; b < end; ++b) {
                     const Index last = std::min((b + 1) * block, d_out.rows);
                     for (Index first = b * block; first < last; first += kRows) {
                       const Index stop = std::min(first + kRows, last);
                       wanted(first, stop);
                       mask_rows(first, stop, own);
                       with_columns([&](auto columns) {
                         add_products<columns>(own, d_out, first, stop, partial.row(b * columns_));
                         if (!d_rows.empty())
                           row_gradients<columns>(own, transposed, d_out, first, stop, d_rows, add);
                       });
                     }
                   }
                 });
    for (Index b = 1; b < kSumBlocks; ++b)
      add_scaled(1, partial.row(b * columns_), partial.data, columns_ * padded_);
    for (Index f = 0; f < depth_; ++f) {
      for (Index c = 0; c < columns_; ++c) d_weight(f, c) += partial(c, f);
    }
  }

 private:
  static constexpr Index kMostColumns = 8;
  static constexpr Index kRows = 32;

  // Rows under the mask, and the factors of the mask where there is one.
  struct Block {
    MatrixView factors, masked;
  };

  MatrixView transpose(ConstMatrixView weight) const {
    const MatrixView result = workspace_.zeros(columns_, padded_);
    for (Index f = 0; f < depth_; ++f) {
      for (Index c = 0; c < columns_; ++c) result(c, f) = weight(f, c);
    }
    return result;
  }

  void mask_rows(Index first, Index last, const Block& own) const {
    const bool dropping = input_.dropout.active();
    const bool at_once = padded_ == depth_ && input_.global_rows.empty();
    if (dropping && at_once)
      element_factors(input_.dropout, first_element(input_, first), (last - first) * depth_,
                      own.factors.data);
    for (Index r = first; r < last; ++r) {
      const Real* from = input_.rows.dense.row(input_.rows.stored_row(r));
      Real* to = own.masked.row(r - first);
      const Real* factor = own.factors.row(r - first);
      if (dropping && !at_once)
        element_factors(input_.dropout, first_element(input_, r), depth_, own.factors.row(r - first));
      for (Index f = 0; f < depth_; f += kLanes) {
        const Lanes x = load_first(from + f, depth_ - f);
        store(to + f, dropping ? x * load(factor + f) : x);
      }
    }
  }

  // Calls visit(std::integral_constant<int, number of columns>).
  template <class Visit>
  void with_columns(const Visit& visit) const {
    switch (columns_) {
#define GAT_COLUMNS(n) \
  case n:              \
    return visit(std::integral_constant<int, n>());
      GAT_COLUMNS(1)
      GAT_COLUMNS(2)
      GAT_COLUMNS(3)
      GAT_COLUMNS(4)
      GAT_COLUMNS(5)
      GAT_COLUMNS(6)
      GAT_COLUMNS(7)
      GAT_COLUMNS(8)
#undef GAT_COLUMNS
    }
  }

  // sum (C × padded) += Σ_r d_out[r, c] · masked row r, as many vectors of each column at once as leave
  // registers for one row's.
  template <int C>
  void add_products(const Block& own, ConstMatrixView d_out, Index first, Index last, Real* sum) const {
    constexpr int most = (kRegisters - 4) / (C * kParts);
    constexpr int kAtOnce = most < 1 ? 1 : most > 4 ? 4 : most;
    Index f = 0;
    for (; f + kAtOnce * kLanes <= padded_; f += kAtOnce * kLanes)
      add_vectors<C, kAtOnce>(own, d_out, first, last, f, sum);
    for (; f < padded_; f += kLanes) add_vectors<C, 1>(own, d_out, first, last, f, sum);
  }
  template <int C, int V>
  void add_vectors(const Block& own, ConstMatrixView d_out, Index first, Index last, Index f,
                   Real* sum) const {
    Lanes total[C][V];
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) total[c][v] = load(sum + c * padded_ + f + v * kLanes);
    }
    for (Index r = first; r < last; ++r) {
      Lanes x[V];
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) x[v] = load(own.masked.row(r - first) + f + v * kLanes);
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) {
        const Lanes d = all_lanes(d_out(r, c));
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) total[c][v] = multiply_add(d, x[v], total[c][v]);
      }
    }
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) store(sum + c * padded_ + f + v * kLanes, total[c][v]);
    }
  }

  template <int C>
  void row_gradients(const Block& own, ConstMatrixView transposed, ConstMatrixView d_out, Index first,
                     Index last, MatrixView d_rows, bool add) const {
    const bool dropping = input_.dropout.active();
    for (Index r = first; r < last; ++r) {
      Lanes d[C];
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) d[c] = all_lanes(d_out(r, c));
      Real* to = d_rows.row(r);
      for (Index f = 0; f < depth_; f += kLanes) {
        Lanes sum{};
#pragma GCC unroll 8
        for (int c = 0; c < C; ++c) sum = multiply_add(d[c], load(transposed.row(c) + f), sum);
        if (dropping) sum = sum * load(own.factors.row(r - first) + f);
        if (add) sum = sum + load_first(to + f, depth_ - f);
        store_first(to + f, sum, depth_ - f);
      }
    }
  }

  const LinearInput& input_;
  Index columns_, depth_, padded_;
  int threads_;
  Workspace& workspace_;
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
