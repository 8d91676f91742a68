#include "nn/layers/lstm.hpp"

#include "gat/kernels/activation.hpp"
#include "gat/kernels/linear.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

MatrixView part(MatrixView matrix, Index first, Index last) {
  return {matrix.row(first), last - first, matrix.cols, matrix.stride};
}

std::vector<MatrixView> matrices(Index count, Index rows, Index cols, Workspace& workspace) {
  std::vector<MatrixView> result;
  for (Index k = 0; k < count; ++k) result.push_back(workspace.matrix(rows, cols));
  return result;
}

LinearInput dense_input(ConstMatrixView rows) { return {FeatureView(rows), {}, {}}; }

}  // namespace

Lstm::Lstm(ConstMatrixView weight, ConstMatrixView bias, Index steps, Index rows, const Execution& execution,
           Workspace& workspace)
    : weight_(weight),
      bias_(bias),
      hidden_(weight.cols / 4),
      in_width_(weight.rows - hidden_),
      rows_(rows),
      execution_(execution),
      workspace_(workspace),
      inputs_(matrices(steps + 1, rows, weight.rows, workspace)),
      gates_(matrices(steps, rows, weight.cols, workspace)),
      cells_(matrices(steps, rows, hidden_, workspace)),
      tanh_cells_(matrices(steps, rows, hidden_, workspace)) {
  inputs_.front().columns(in_width_, hidden_).fill(0);
}

void Lstm::forward() {
  for (Index step = 0; step < static_cast<Index>(gates_.size()); ++step)
    linear_forward(dense_input(inputs_[at(step)]), weight_, gates_[at(step)], execution_, workspace_,
                   [&](Index first, Index last) { cell_forward(step, first, last); });
}

void Lstm::cell_forward(Index step, Index first, Index last) const {
  const Execution here(1, execution_.simd);
  const Activation sigmoid{ActivationKind::sigmoid}, tanh{ActivationKind::tanh};
  const MatrixView gates = part(gates_[at(step)], first, last), cell = part(cells_[at(step)], first, last);
  const MatrixView tanh_cell = part(tanh_cells_[at(step)], first, last);
  const MatrixView state = part(inputs_[at(step) + 1], first, last).columns(in_width_, hidden_);
  for (Index r = 0; r < gates.rows; ++r) {
    for (Index k = 0; k < gates.cols; ++k) gates(r, k) += bias_(0, k);
  }
  const auto apply = [&](const Activation& f, Index begin, Index count) {
    activation_forward(f, gates.columns(begin, count), gates.columns(begin, count), here);
  };
  apply(sigmoid, 0, 2 * hidden_);
  apply(tanh, 2 * hidden_, hidden_);
  apply(sigmoid, 3 * hidden_, hidden_);
  for (Index r = 0; r < gates.rows; ++r) {
    const Real *i = gates.row(r), *f = i + hidden_, *g = f + hidden_;
    const Real* before = step > 0 ? cells_[at(step) - 1].row(first + r) : nullptr;
    for (Index k = 0; k < hidden_; ++k) cell(r, k) = (before ? f[k] * before[k] : Real(0)) + i[k] * g[k];
  }
  activation_forward(tanh, cell, tanh_cell, here);
  for (Index r = 0; r < gates.rows; ++r) {
    const Real* o = gates.row(r) + 3 * hidden_;
    for (Index k = 0; k < hidden_; ++k) state(r, k) = o[k] * tanh_cell(r, k);
  }
}

void Lstm::prepare_backward() {
  const auto steps = static_cast<Index>(gates_.size());
  d_states_ = matrices(steps, rows_, hidden_, workspace_);
  d_inputs_ = matrices(steps, rows_, weight_.rows, workspace_);
  d_gates_ = workspace_.matrix(rows_, weight_.cols);
  d_cell_ = workspace_.zeros(rows_, hidden_);
}

void Lstm::backward(MatrixView d_weight, MatrixView d_bias) {
  for (Index step = static_cast<Index>(gates_.size()) - 1; step >= 0; --step) {
    const LinearInput input = dense_input(inputs_[at(step)]);
    linear_backward_weight(input, d_gates_, d_weight, execution_, workspace_,
                           [&](Index first, Index last) { cell_backward(step, first, last); });
    add_column_sums(d_gates_, d_bias, execution_, workspace_);
    linear_backward_input(input, weight_, d_gates_, d_inputs_[at(step)], execution_, workspace_, false);
  }
}

// h = o tanh(c) and c = f c' + i g, so with d_h the sum of both readers' gradients
//     d_o = d_h tanh(c),   d_c += d_h o (1 − tanh²(c)),   d_i = d_c g,   d_f = d_c c',   d_g = d_c i,
//     d_c' = d_c f; through σ a factor y (1 − y), through tanh 1 − y².
void Lstm::cell_backward(Index step, Index first, Index last) const {
  const bool is_last = at(step) + 1 == gates_.size();
  for (Index r = first; r < last; ++r) {
    const Real *i = gates_[at(step)].row(r), *f = i + hidden_, *g = f + hidden_, *o = g + hidden_;
    const Real* tanh_cell = tanh_cells_[at(step)].row(r);
    const Real* before = step > 0 ? cells_[at(step) - 1].row(r) : nullptr;
    const Real* d_later = is_last ? nullptr : d_inputs_[at(step) + 1].row(r) + in_width_;
    Real *d_i = d_gates_.row(r), *d_f = d_i + hidden_, *d_g = d_f + hidden_, *d_o = d_g + hidden_;
    for (Index k = 0; k < hidden_; ++k) {
      const Real d_h = d_states_[at(step)](r, k) + (d_later ? d_later[k] : Real(0));
      const Real d_c = d_cell_(r, k) + d_h * o[k] * (1 - tanh_cell[k] * tanh_cell[k]);
      d_o[k] = d_h * tanh_cell[k] * o[k] * (1 - o[k]);
      d_i[k] = d_c * g[k] * i[k] * (1 - i[k]);
      d_f[k] = (before ? d_c * before[k] : Real(0)) * f[k] * (1 - f[k]);
      d_g[k] = d_c * i[k] * (1 - g[k] * g[k]);
      d_cell_(r, k) = d_c * f[k];
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
