/// Scratch memory that grows in the first round and is reused without allocation afterwards.
#pragma once

#include <deque>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// A stack of matrices. Memory taken inside a `Scope` is given back when the scope ends; nothing is
/// freed before the workspace itself. One workspace serves one thread of calls at a time.
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
    explicit Scope(Workspace& workspace) : workspace_(workspace), used_(workspace.used_) {}
    ~Scope() { workspace_.used_ = used_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace& workspace_;
    std::size_t used_;
  };

  /// A matrix with unspecified contents, valid until the enclosing scope ends.
  MatrixView matrix(Index rows, Index cols) {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    Matrix& buffer = buffers_[used_++];
    buffer.reshape(rows, cols);
    return buffer.view();
  }

  /// The same, filled with zeros.
  MatrixView zeros(Index rows, Index cols) {
    const MatrixView view = matrix(rows, cols);
    view.fill(0);
    return view;
  }

  Statistics statistics;

 private:
  std::deque<Matrix> buffers_;
  std::size_t used_ = 0;
};

}  // namespace gat::inline GAT_PRECISION
