// A recurrent cell, h' = tanh(W [x, h] + b), over several steps, with its backward.
#pragma once

#include <cmath>
#include <vector>

#include "examples/trained_layer.hpp"
#include "gat/nn/layers/linear.hpp"

namespace example {

/// Steps over a batch of sequences. Rows are time-major: row t · batch + b is step t of sequence b. The state
/// before the first step is 0.
class TanhCell {
 public:
  TanhCell(gat::Index steps, gat::Index batch, gat::Index in_width, gat::Index hidden,
           const gat::AdamOptions& adam, gat::RandomStream seed)
      : batch_(batch),
        in_width_(in_width),
        hidden_(hidden),
        map_(map_options(in_width + hidden, hidden), adam, seed),
        inputs_(steps * batch, in_width + hidden),
        states_(steps * batch, hidden),
        d_states_(steps * batch, hidden),
        d_input_(batch, in_width + hidden),
        tapes_(static_cast<std::size_t>(steps)) {}

  /// x of a step, batch × in_width, to be written before `forward`.
  gat::MatrixView input(gat::Index step) { return rows(inputs_, step).columns(0, in_width_); }
  /// x of all steps.
  gat::MatrixView inputs() { return inputs_.view().columns(0, in_width_); }
  gat::MatrixView states() { return states_; }
  gat::MatrixView state(gat::Index step) { return rows(states_, step); }
  /// Where the gradients of states are added, between `clear_gradients` and `backward`.
  gat::MatrixView d_states() { return d_states_; }
  gat::MatrixView d_state(gat::Index step) { return rows(d_states_, step); }
  void clear_gradients() { d_states_.view().fill(0); }

  void forward(gat::Index step) {
    copy_previous_state(step);
    const gat::MatrixView h = state(step);
    map_.layer.forward(context(step), source(step), h);
    for (gat::Index k = 0; k < h.rows * h.cols; ++k) h.data[k] = std::tanh(h.data[k]);
  }

  /// After `backward` of the step that follows. Adds to the weights' gradients and to d_state(step − 1).
  void backward(gat::Index step) {
    const gat::MatrixView h = state(step), d_h = d_state(step);
    // h = tanh(a), so d_a = (1 − h²) d_h.
    for (gat::Index k = 0; k < h.rows * h.cols; ++k) d_h.data[k] *= 1 - h.data[k] * h.data[k];
    d_input_.view().fill(0);
    gat::InputGradient d_input;
    d_input.source = d_input_;
    map_.layer.backward(context(step), source(step), h, d_h, d_input, map_.gradients);
    if (step == 0) return;
    const gat::MatrixView d_previous = d_state(step - 1);
    for (gat::Index b = 0; b < batch_; ++b) {
      for (gat::Index c = 0; c < hidden_; ++c) d_previous(b, c) += d_input_(b, in_width_ + c);
    }
  }

  /// W and b, their gradients, and the step that joins them.
  TrainedLayer<gat::LinearLayer>& map() { return map_; }

 private:
  static gat::LinearLayerOptions map_options(gat::Index in, gat::Index out) {
    gat::LinearLayerOptions options;
    options.in_features = in;
    options.out_features = out;
    return options;
  }
  gat::MatrixView rows(gat::Matrix& all, gat::Index step) const {
    return {all.row(step * batch_), batch_, all.cols()};
  }
  gat::Context context(gat::Index step) {
    return map_.context(rows_of_batch_, &tapes_[static_cast<std::size_t>(step)]);
  }
  gat::LayerInput source(gat::Index step) {
    gat::LayerInput input;
    input.source = rows(inputs_, step);
    return input;
  }
  void copy_previous_state(gat::Index step) {
    if (step == 0) return;
    const gat::MatrixView from = state(step - 1), to = rows(inputs_, step).columns(in_width_, hidden_);
    for (gat::Index b = 0; b < batch_; ++b) {
      for (gat::Index c = 0; c < hidden_; ++c) to(b, c) = from(b, c);
    }
  }

  gat::Index batch_, in_width_, hidden_;
  TrainedLayer<gat::LinearLayer> map_;
  gat::GraphView rows_of_batch_ = gat::GraphView::rows(batch_);
  gat::Matrix inputs_, states_, d_states_, d_input_;
  std::vector<gat::Tape> tapes_;
};

}  // namespace example
