#include "gat/nn/layers/batch_norm.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "gat/core/error.hpp"
#include "gat/kernels/batch_norm.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Used: mean and biased variance that forward divided by. Learned: mean and unbiased variance of the batch,
// without rows where there is nothing to learn.
enum Slot { kUsed, kLearned };

bool is_batch(const Context& c) { return c.mode == Mode::training && c.graph.num_sources() > 1; }

Real inverse_deviation(Real variance, double epsilon) {
  return static_cast<Real>(1 / std::sqrt(static_cast<double>(variance) + epsilon));
}

}  // namespace

void BatchNormOptions::validate() const {
  if (in_features < 1) throw UsageError("batch_norm layer: needs at least one column to normalise");
  if (!(epsilon > 0 && std::isfinite(epsilon)))
    throw UsageError("batch_norm layer: epsilon is " + std::to_string(epsilon) + "; it must be positive");
  if (!(momentum >= 0 && momentum <= 1))
    throw UsageError("batch_norm layer: momentum is " + std::to_string(momentum) + "; it lies in [0, 1]");
}

BatchNormLayer::BatchNormLayer(const BatchNormOptions& options) : options_(options) {
  options_.validate();
  const Index width = options.in_features;
  if (options.affine) {
    parameters_.push_back(vector_spec("gain", width, DecayGroup::norm, Initializer::ones));
    parameters_.push_back(vector_spec("shift", width, DecayGroup::norm, Initializer::zeros));
    running_mean_ = 2;
    running_variance_ = 3;
  }
  parameters_.push_back(vector_spec("running_mean", width, DecayGroup::norm, Initializer::zeros));
  parameters_.push_back(vector_spec("running_variance", width, DecayGroup::norm, Initializer::ones));
  for (std::size_t k = parameters_.size() - 2; k < parameters_.size(); ++k) parameters_[k].trained = false;
}

Index BatchNormLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("batch_norm", graph, input, {&options_.in_features, 1});
  return output_width();
}

// Rows that the layer reads.
Index BatchNormLayer::count(const Context& c) const {
  return is_batch(c) ? c.graph.num_sources() : c.graph.num_destinations();
}

void BatchNormLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  const Index width = output.cols;
  const ConstMatrixView x = dense_rows(input.source, count(c), c.workspace);
  const MatrixView used = keep(c, kUsed, 2, width);
  if (is_batch(c)) {
    column_moments(x, used, c.execution, c.workspace);
  } else {
    std::copy_n(c.weights[running_mean_].data, width, used.row(0));
    std::copy_n(c.weights[running_variance_].data, width, used.row(1));
  }
  if (c.tape != nullptr) {
    const MatrixView learned = c.tape->matrix(kLearned, is_batch(c) ? 2 : 0, width);
    const double unbiased = static_cast<double>(x.rows) / static_cast<double>(std::max<Index>(x.rows - 1, 1));
    for (Index k = 0; k < width && learned.rows > 0; ++k) {
      learned(0, k) = used(0, k);
      learned(1, k) = static_cast<Real>(unbiased * static_cast<double>(used(1, k)));
    }
  }
  const MatrixView columns = c.workspace.matrix(3, width);
  for (Index k = 0; k < width; ++k) {
    columns(0, k) = used(0, k);
    columns(1, k) =
        inverse_deviation(used(1, k), options_.epsilon) * (options_.affine ? c.weights[0](0, k) : Real(1));
    columns(2, k) = options_.affine ? c.weights[1](0, k) : Real(0);
  }
  scale_columns(x, columns, output, c.execution);
}

void BatchNormLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView /*output*/,
                              ConstMatrixView d_output, const InputGradient& d_input,
                              const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const Index width = d_output.cols;
  const ConstMatrixView x = dense_rows(input.source, count(c), c.workspace);
  const ConstMatrixView used = (*c.tape)[kUsed];
  const MatrixView sums = c.workspace.matrix(2, width);
  centred_column_sums(x, used.row(0), d_output, sums, c.execution, c.workspace);
  // x̂ = (x − mean) · inverse;  d_x = gain · inverse · (d − mean of d − x̂ · mean of d x̂)
  const MatrixView columns = c.workspace.matrix(4, width);
  const Real share = is_batch(c) ? 1 / static_cast<Real>(x.rows) : Real(0);
  for (Index k = 0; k < width; ++k) {
    const Real inverse = inverse_deviation(used(1, k), options_.epsilon);
    const Real scale = inverse * (options_.affine ? c.weights[0](0, k) : Real(1));
    columns(0, k) = used(0, k);
    columns(1, k) = scale;
    columns(2, k) = scale * share * sums(0, k);
    columns(3, k) = scale * share * inverse * inverse * sums(1, k);
    if (!options_.affine) continue;
    gradients[0](0, k) += inverse * sums(1, k);
    gradients[1](0, k) += sums(0, k);
  }
  const RowGradient d_x = first_rows(d_input.input(0), x.rows);
  if (!d_x.rows.empty()) scale_columns_backward(x, columns, d_output, d_x.rows, !d_x.is_new, c.execution);
}

void BatchNormLayer::commit(Tape& tape, const WeightsSlice& weights) const {
  if (!tape.has(kLearned)) return;
  const MatrixView learned = tape[kLearned];
  const auto move = [&](Index parameter, const Real* towards) {
    for (Index k = 0; k < learned.cols; ++k) {
      const double old = static_cast<double>(weights[parameter](0, k));
      const double share = options_.momentum;
      weights[parameter](0, k) =
          static_cast<Real>((1 - share) * old + share * static_cast<double>(towards[k]));
    }
  };
  if (learned.rows == 2) {
    move(running_mean_, learned.row(0));
    move(running_variance_, learned.row(1));
  }
  tape.matrix(kLearned, 0, learned.cols);  // a batch counts once
}

std::unique_ptr<Layer> BatchNormLayer::from_description(const LayerDescription& description,
                                                        Index in_features, Index /*edge_features*/) {
  BatchNormOptions o;
  o.in_features = in_features;
  OptionReader options(description);
  options.read("epsilon", o.epsilon);
  options.read("momentum", o.momentum);
  options.read("affine", o.affine);
  options.finish();
  return std::make_unique<BatchNormLayer>(o);
}

LayerDescription BatchNormLayer::describe() const {
  return {"batch_norm",
          {{"epsilon", options_.epsilon}, {"momentum", options_.momentum}, {"affine", options_.affine}}};
}

}  // namespace gat::inline GAT_PRECISION
