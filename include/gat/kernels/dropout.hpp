/// Dropout of rows of dense numbers.
#pragma once

#include <span>

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/random.hpp"

namespace gat::inline GAT_PRECISION {

/// to = m ⊙ from, or to += m ⊙ from. The mask's element is global row · columns + column.
struct DropRows {
  DropoutMask mask;
  std::span<const NodeId> global_rows;  ///< number of each row in the whole graph; empty = itself
  ConstMatrixView from;                 ///< N × F
  MatrixView to;                        ///< N × F; may be `from` unless it is added to
  bool add = false;
};
void drop_rows(const DropRows& drop, const Execution& execution);

}  // namespace gat::inline GAT_PRECISION
