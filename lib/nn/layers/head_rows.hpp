/// Rows of heads made from features: by a linear map with a bias, or as they are.
#pragma once

#include "gat/kernels/linear.hpp"
#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// Where one gradient of an input is added by several writers. The first one that writes every row
/// overwrites where nothing is there yet.
class AddedRows {
 public:
  AddedRows() = default;
  AddedRows(MatrixView rows, bool is_new) : rows_(rows), is_new_(is_new) {}

  bool wanted() const { return !rows_.empty(); }
  /// The first `count` rows. \param add  set to whether the writer must add
  MatrixView take(Index count, bool& add) {
    if (is_new_ && count != rows_.rows) finish();
    add = !is_new_;
    is_new_ = false;
    MatrixView part = rows_;
    part.rows = count;
    return part;
  }
  /// To add to.
  MatrixView take(Index count) {
    finish();
    bool add = true;
    return take(count, add);
  }
  /// Zeros where nobody has written.
  void finish() {
    if (is_new_ && wanted()) rows_.fill(0);
    is_new_ = false;
  }

 private:
  MatrixView rows_;
  bool is_new_ = false;
};

/// How rows come about.
struct HeadRows {
  LinearInput input;
  HeadLayout layout;       ///< of the rows made; a plain row of F numbers is HeadLayout(1, F) without padding
  ConstMatrixView weight;  ///< F × columns; empty = the features as they are
  ConstMatrixView bias;    ///< 1 × columns, or empty

  /// \param out  N × columns, overwritten, padding zero
  void forward(MatrixView out, const Execution& execution, Workspace& workspace) const;
  /// \param d_weight, d_bias  added to; empty = not wanted
  /// \param d_input           gets the first rows; none where it is not wanted or the features are sparse
  void backward(ConstMatrixView d_out, MatrixView d_weight, MatrixView d_bias, AddedRows& d_input,
                const Execution& execution, Workspace& workspace) const;
};

/// The first rows of `to` += from.
void add_first_rows(ConstMatrixView from, MatrixView to, const Execution& execution);

}  // namespace gat::inline GAT_PRECISION
