/// What a score brings to the operator: its description, its loops, and what it does to rows of queries
/// and keys before them.
#pragma once

#include "kernels/scores/table.hpp"
#include "kernels/simd/pair_loops.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// A change of rows of queries or keys before the loops: to = f(row, parameters).
struct RowChange {
  /// Rows first … last − 1. Null = the rows serve as they are.
  void (*forward)(const ScoreInput&, ConstMatrixView rows, MatrixView to, Index first, Index last) = nullptr;
  /// d_rows (overwritten) from d_to; `d_parameters` has one matrix per parameter of the score, added to.
  void (*backward)(const ScoreInput&, ConstMatrixView rows, ConstMatrixView d_to, MatrixView d_rows,
                   std::span<const MatrixView> d_parameters, Index first, Index last) = nullptr;
  bool in_place = false;  ///< whether `d_rows` of backward may be `d_to`
};

struct ScoreKernels {
  const ScoreDescription* description;
  PairLoops<1> loops1 = {};
  PairLoops<2> loops2 = {};
  PairLoops<4> loops4 = {};
  PairLoops<8> loops8 = {};
  PairLoops<16> loops16 = {};
  RowChange queries = {}, keys = {};

  template <int L>
  const PairLoops<L>& loops() const {
    if constexpr (L == 1) return loops1;
    else if constexpr (L == 2) return loops2;
    else if constexpr (L == 4) return loops4;
    else if constexpr (L == 8) return loops8;
    else return loops16;
  }
};

/// The kernels of a score with a policy for `PairLoopsOf`.
template <class Policy>
constexpr ScoreKernels pair_kernels(const ScoreDescription& description, RowChange queries = {},
                                    RowChange keys = {}) {
  return {&description,
          PairLoopsOf<1, Policy>::kLoops,
          PairLoopsOf<2, Policy>::kLoops,
          PairLoopsOf<4, Policy>::kLoops,
          PairLoopsOf<8, Policy>::kLoops,
          PairLoopsOf<16, Policy>::kLoops,
          queries,
          keys};
}

#define GAT_SCORE_DECLARATION(name) extern const ScoreKernels name##_score;
GAT_SCORES(GAT_SCORE_DECLARATION)
#undef GAT_SCORE_DECLARATION

#define GAT_SCORE_POINTER(name) &name##_score,
inline constexpr const ScoreKernels* kScores[] = {GAT_SCORES(GAT_SCORE_POINTER)};
#undef GAT_SCORE_POINTER
/// In the order of the table, for `score_table()`.
std::span<const ScoreDescription* const> score_descriptions();

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
