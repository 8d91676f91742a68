/// Scratch memory that grows in the first round and is reused without allocation afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// Matrices from a pool of buffers. Memory taken inside a `Scope` is given back when the scope ends; nothing
/// is freed before the workspace itself. One workspace serves one thread of calls at a time.
class Workspace {
 public:
  /// What the kernels did since the workspace was made; tests assert on it.
  struct Statistics {
    int largest_team = 1;      ///< threads of the largest parallel region
    Index split_in_rows = 0;   ///< destinations whose in-edges were cut into chunks, over all calls
    Index split_out_rows = 0;  ///< sources whose out-edges were cut into chunks, over all calls
  };

  class Scope {
   public:
    explicit Scope(Workspace& workspace) : workspace_(workspace), used_(workspace.used_.size()) {}
    ~Scope() { workspace_.give_back(used_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace& workspace_;
    std::size_t used_;
  };

  /// A matrix with unspecified contents, valid until the enclosing scope ends.
  MatrixView matrix(Index rows, Index cols) {
    // The smallest free buffer that is large enough, else the largest, which grows: what a wide layer gave
    // back serves the next one, whatever each of them takes in between.
    const Index wanted = rows * cols;
    const auto is_better = [wanted](const Matrix& a, const Matrix& b) {
      const bool fits = a.capacity() >= wanted;
      if (fits != (b.capacity() >= wanted)) return fits;
      return fits ? a.capacity() < b.capacity() : a.capacity() > b.capacity();
    };
    used_.emplace_back();
    free_.reserve(free_.size() + used_.size());  // giving back cannot fail
    const auto best = std::min_element(free_.begin(), free_.end(), is_better);
    if (best != free_.end()) {
      used_.back().swap(*best);
      best->swap(free_.back());
      free_.pop_back();
    }
    used_.back().reshape(rows, cols);
    return used_.back().view();
  }

  /// The same, filled with zeros.
  MatrixView zeros(Index rows, Index cols) {
    const MatrixView view = matrix(rows, cols);
    view.fill(0);
    return view;
  }

  Statistics statistics;

 private:
  void give_back(std::size_t keep) {
    while (used_.size() > keep) {
      free_.push_back(std::move(used_.back()));
      used_.pop_back();
    }
  }

  std::vector<Matrix> used_, free_;
};

}  // namespace gat::inline GAT_PRECISION
