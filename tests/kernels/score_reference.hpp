/// Every score written plainly: its formula and its derivatives, one head of one edge, double precision.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/scores/table.hpp"

namespace gat::test::naive {

using Numbers = std::vector<double>;

/// What one score is made from.
struct PairInput {
  Numbers query, key;
  std::vector<Numbers> parameters;  ///< of the head, row by row
  double number = 0;                ///< the sum of the numbers of both nodes
  double slope = 0.2;
};

/// The score and its derivatives.
struct PairScore {
  double e = 0;
  Numbers d_query, d_key;
  std::vector<Numbers> d_parameters;
  double d_number = 0;
};

/// Sets what is not 0: everything comes in as zeros, the derivatives in the widths of the input.
using Formula = void (*)(const PairInput& in, PairScore& s);

/// `<name>_formula` for every score of the table. Those of the first scores stand in score_reference.cpp; a
/// new score's stands beside its own tests, in <name>_score_test.cpp.
#define GAT_FORMULA(name) void name##_formula(const PairInput& in, PairScore& s);
GAT_SCORES(GAT_FORMULA)
#undef GAT_FORMULA

/// The formula of the score with this name.
Formula formula_of(std::string_view name);
/// Its value and derivatives.
PairScore pair_score(Formula formula, const PairInput& in);

inline double leaky(double x, double slope) { return x > 0 ? x : slope * x; }
inline double leak(double x, double slope) { return x > 0 ? 1 : slope; }

}  // namespace gat::test::naive
