#include "gat/nn/layers/lstm_attention.hpp"

#include <algorithm>
#include <string>

#include "core/parallel.hpp"
#include "gat/core/error.hpp"
#include "gat/kernels/combine.hpp"
#include "gat/kernels/linear.hpp"
#include "gat/kernels/loss.hpp"
#include "nn/layers/lstm.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Rows whose states are held at once.
constexpr Index kChunkRows = 1024;

enum Parameter { kForwardWeight, kForwardBias, kReverseWeight, kReverseBias, kAttention };

template <class View>
View rows_from(View matrix, Index first, Index count) {
  return {matrix.row(first), count, matrix.cols, matrix.stride};
}

Index checked_hidden(std::span<const Index> widths, Index hidden) {
  const std::string layer = "lstm_attention layer: ";
  for (const Index width : widths) {
    if (width == widths.front()) continue;
    throw UsageError(layer + "inputs of widths " + std::to_string(widths.front()) + " and " +
                     std::to_string(width) + " cannot be mixed; give them one width");
  }
  if (hidden < 0)
    throw UsageError(layer + "hidden_features is " + std::to_string(hidden) + "; it is at least 1, or 0");
  if (hidden > 0) return hidden;
  return std::max<Index>(1, static_cast<Index>(widths.size()) * widths.front() / 2);
}

// Some rows of all inputs, and the shares that they get.
class Chunk {
 public:
  Chunk(const Context& c, std::vector<ConstMatrixView> inputs)
      : c_(c),
        inputs_(std::move(inputs)),
        steps_(static_cast<Index>(inputs_.size())),
        rows_(inputs_.front().rows),
        ahead_(c.weights[kForwardWeight], c.weights[kForwardBias], steps_, rows_, c.execution, c.workspace),
        back_(c.weights[kReverseWeight], c.weights[kReverseBias], steps_, rows_, c.execution, c.workspace),
        shares_(c.workspace.matrix(rows_, steps_)) {}

  void forward() {
    for (Index k = 0; k < steps_; ++k) {
      copy_rows(input(k), ahead_.input(k), false, c_.execution);
      copy_rows(input(k), back_.input(steps_ - 1 - k), false, c_.execution);
    }
    ahead_.forward();
    back_.forward();
    const Workspace::Scope scope(c_.workspace);
    const MatrixView scores = c_.workspace.matrix(rows_, steps_), more = c_.workspace.matrix(rows_, 1);
    for (Index k = 0; k < steps_; ++k) {
      const MatrixView score = scores.columns(k, 1);
      linear_forward({FeatureView(ahead_.state(k)), {}, {}}, attention(false), score, c_.execution,
                     c_.workspace);
      linear_forward({FeatureView(back_.state(steps_ - 1 - k)), {}, {}}, attention(true), more, c_.execution,
                     c_.workspace);
      copy_rows(more, score, true, c_.execution);
    }
    softmax_rows(scores, shares_, c_.execution);
  }

  void write_output(MatrixView output) const {
    parallel_for(c_.execution.num_threads, rows_, steps_ * output.cols, [&](Index first, Index last, int) {
      for (Index r = first; r < last; ++r) {
        std::fill_n(output.row(r), output.cols, Real(0));
        for (Index k = 0; k < steps_; ++k) {
          const Real* x = input(k).row(r);
          for (Index j = 0; j < output.cols; ++j) output(r, j) += shares_(r, k) * x[j];
        }
      }
    });
  }

  // After `forward`. \param d_inputs  empty views where no gradient is wanted
  void backward(ConstMatrixView d_output, std::span<const RowGradient> d_inputs, const Gradients& gradients) {
    ahead_.prepare_backward();
    back_.prepare_backward();
    const MatrixView d_scores = c_.workspace.matrix(rows_, steps_);
    write_score_gradients(d_output, d_scores);
    const MatrixView d_attention = gradients[kAttention];
    const Index hidden = d_attention.rows / 2;
    const auto to_states = [&](const Lstm& lstm, Index step, Index k, bool reverse) {
      linear_backward({FeatureView(lstm.state(step)), {}, {}}, attention(reverse), d_scores.columns(k, 1),
                      rows_from(d_attention, reverse ? hidden : 0, hidden), lstm.d_state(step), c_.execution,
                      c_.workspace, false);
    };
    for (Index k = 0; k < steps_; ++k) {
      to_states(ahead_, k, k, false);
      to_states(back_, steps_ - 1 - k, k, true);
    }
    ahead_.backward(gradients[kForwardWeight], gradients[kForwardBias]);
    back_.backward(gradients[kReverseWeight], gradients[kReverseBias]);
    for (Index k = 0; k < steps_; ++k)
      write_input_gradient(d_output, k, d_inputs[static_cast<std::size_t>(k)]);
  }

 private:
  ConstMatrixView input(Index k) const { return inputs_[static_cast<std::size_t>(k)]; }
  // The part of a that meets the states of one direction.
  ConstMatrixView attention(bool reverse) const {
    const ConstMatrixView both = c_.weights[kAttention];
    return rows_from(both, reverse ? both.rows / 2 : 0, both.rows / 2);
  }

  // out = Σ α_k x_k, so d_α_k = d_out · x_k and d_score_k = α_k (d_α_k − Σ α d_α).
  void write_score_gradients(ConstMatrixView d_output, MatrixView d_scores) const {
    parallel_for(c_.execution.num_threads, rows_, steps_ * d_output.cols, [&](Index first, Index last, int) {
      for (Index r = first; r < last; ++r) {
        Real mean = 0;
        for (Index k = 0; k < steps_; ++k) {
          Real d_share = 0;
          const Real *x = input(k).row(r), *d = d_output.row(r);
          for (Index j = 0; j < d_output.cols; ++j) d_share += d[j] * x[j];
          d_scores(r, k) = d_share;
          mean += shares_(r, k) * d_share;
        }
        for (Index k = 0; k < steps_; ++k) d_scores(r, k) = shares_(r, k) * (d_scores(r, k) - mean);
      }
    });
  }

  void write_input_gradient(ConstMatrixView d_output, Index k, const RowGradient& d_x) const {
    if (d_x.rows.empty()) return;
    const ConstMatrixView ahead = ahead_.d_input(k), back = back_.d_input(steps_ - 1 - k);
    parallel_for(c_.execution.num_threads, rows_, 3 * d_output.cols, [&](Index first, Index last, int) {
      for (Index r = first; r < last; ++r) {
        Real* to = d_x.rows.row(r);
        for (Index j = 0; j < d_output.cols; ++j) {
          const Real d = shares_(r, k) * d_output(r, j) + ahead(r, j) + back(r, j);
          to[j] = d_x.is_new ? d : to[j] + d;
        }
      }
    });
  }

  const Context& c_;
  std::vector<ConstMatrixView> inputs_;
  Index steps_, rows_;
  Lstm ahead_, back_;
  MatrixView shares_;
};

// Calls visit(chunk, first row, rows) for all rows in order.
template <class Visit>
void for_each_chunk(const Context& c, const LayerInput& input, Index rows, const Visit& visit) {
  const Workspace::Scope scope(c.workspace);
  std::vector<ConstMatrixView> whole;
  for (Index k = 0; k < input.num_inputs(); ++k)
    whole.push_back(dense_rows(input.input(k), rows, c.workspace));
  for (Index first = 0; first < rows; first += kChunkRows) {
    const Workspace::Scope of_chunk(c.workspace);
    const Index count = std::min(kChunkRows, rows - first);
    std::vector<ConstMatrixView> inputs;
    for (const ConstMatrixView& x : whole) inputs.push_back(rows_from(x, first, count));
    Chunk chunk(c, std::move(inputs));
    chunk.forward();
    visit(chunk, first, count);
  }
}

}  // namespace

LstmAttentionLayer::LstmAttentionLayer(std::span<const Index> in_features, Index hidden_features)
    : widths_(in_features.begin(), in_features.end()), hidden_(checked_hidden(widths_, hidden_features)) {
  for (const char* direction : {"forward", "reverse"}) {
    const std::string name = std::string(direction) + ".";
    parameters_.push_back(
        matrix_spec(name + "weight", 4 * hidden_, widths_.front() + hidden_, Initializer::uniform_fan_in));
    parameters_.back().in_width = hidden_;
    parameters_.push_back(
        vector_spec(name + "bias", 4 * hidden_, DecayGroup::bias, Initializer::uniform_fan_in, hidden_));
  }
  parameters_.push_back(matrix_spec("attention.weight", 1, 2 * hidden_, Initializer::uniform_fan_in));
  parameters_.back().group = DecayGroup::attention;
}

Index LstmAttentionLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("lstm_attention", graph, input, widths_);
  return output_width();
}

void LstmAttentionLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  for_each_chunk(c, input, output.rows, [&](const Chunk& chunk, Index first, Index count) {
    chunk.write_output(rows_from(output, first, count));
  });
}

void LstmAttentionLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView /*output*/,
                                  ConstMatrixView d_output, const InputGradient& d_input,
                                  const Gradients& gradients) const {
  std::vector<RowGradient> whole;
  for (Index k = 0; k < input.num_inputs(); ++k) whole.push_back(first_rows(d_input.input(k), d_output.rows));
  for_each_chunk(c, input, d_output.rows, [&](Chunk& chunk, Index first, Index count) {
    std::vector<RowGradient> d_inputs = whole;
    for (RowGradient& d : d_inputs) {
      if (!d.rows.empty()) d.rows = rows_from(d.rows, first, count);
    }
    chunk.backward(rows_from(d_output, first, count), d_inputs, gradients);
  });
}

std::unique_ptr<Layer> LstmAttentionLayer::from_description(const LayerDescription& description,
                                                            std::span<const Index> in_features) {
  Index hidden = 0;
  OptionReader options(description);
  options.read("hidden_features", hidden);
  options.finish();
  return std::make_unique<LstmAttentionLayer>(in_features, hidden);
}

}  // namespace gat::inline GAT_PRECISION
