#include "gat/nn/layers/layer_norm.hpp"

#include <cmath>
#include <string>

#include "core/named_values.hpp"
#include "gat/graph/segments.hpp"
#include "gat/kernels/layer_norm.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<LayerNormMode, 2> kModes{
    {{LayerNormMode::node, "node"}, {LayerNormMode::graph, "graph"}}};
constexpr NamedValues<NormEpsilon, 2> kEpsilons{
    {{NormEpsilon::to_variance, "to-variance"}, {NormEpsilon::to_deviation, "to-deviation"}}};

// Moments: mean and 1/deviation of each row. Slopes: how much faster than the deviation the divisor grows.
enum Slot { kMoments, kSlopes };

NormalizedRows normalized(const Context& c, ConstMatrixView x, ConstMatrixView moments, bool affine) {
  NormalizedRows rows{x, moments};
  if (affine) {
    rows.gain = c.weights[0].data;
    rows.shift = c.weights[1].data;
  }
  return rows;
}

// Means over the rows of each segment, given to each of its rows. \param value of a row
template <class Value, class Give>
void share_means(const SegmentRows& segments, const Value& value, const Give& give) {
  for (Index s = 0; s < segments.num_segments(); ++s) {
    double sum = 0;
    for (Index k = segments.begin(s); k < segments.end(s); ++k) sum += value(segments.row(k));
    const double mean = sum / static_cast<double>(segments.count(s));
    for (Index k = segments.begin(s); k < segments.end(s); ++k) give(segments.row(k), mean);
  }
}

// From the moments of rows to mean and 1/deviation of their segments:
// variance = mean of the rows' variances + variance of the rows' means.
void join_moments(const SegmentRows& segments, const LayerNormOptions& o, MatrixView moments,
                  MatrixView slopes) {
  for (Index s = 0; s < segments.num_segments(); ++s) {
    double mean = 0, variance = 0;
    const auto count = static_cast<double>(segments.count(s));
    for (Index k = segments.begin(s); k < segments.end(s); ++k)
      mean += static_cast<double>(moments(segments.row(k), 0)) / count;
    for (Index k = segments.begin(s); k < segments.end(s); ++k) {
      const double left = static_cast<double>(moments(segments.row(k), 0)) - mean;
      variance += (static_cast<double>(moments(segments.row(k), 1)) + left * left) / count;
    }
    const double deviation = std::sqrt(variance);
    const bool in_variance = o.epsilon_is_added == NormEpsilon::to_variance;
    const double divisor = in_variance ? std::sqrt(variance + o.epsilon) : deviation + o.epsilon;
    // d divisor = x̂ · slope · mean of d x: 1 where epsilon is under the root.
    const double slope = in_variance ? 1 : deviation > 0 ? divisor / deviation : 0;
    for (Index k = segments.begin(s); k < segments.end(s); ++k) {
      moments(segments.row(k), 0) = static_cast<Real>(mean);
      moments(segments.row(k), 1) = static_cast<Real>(divisor > 0 ? 1 / divisor : 0);
      slopes(segments.row(k), 0) = static_cast<Real>(slope);
    }
  }
}

}  // namespace

std::string_view name_of(LayerNormMode value) { return name_in(kModes, value); }
std::string_view name_of(NormEpsilon value) { return name_in(kEpsilons, value); }
LayerNormMode layer_norm_mode_named(std::string_view name) {
  return value_in(kModes, name, "mode of layer_norm");
}
NormEpsilon norm_epsilon_named(std::string_view name) {
  return value_in(kEpsilons, name, "place of epsilon");
}

void LayerNormOptions::validate() const {
  if (in_features < 1) throw UsageError("layer_norm layer: needs at least one column to normalise");
  if (!(epsilon > 0 && std::isfinite(epsilon)))
    throw UsageError("layer_norm layer: epsilon is " + std::to_string(epsilon) + "; it must be positive");
}

LayerNormLayer::LayerNormLayer(const LayerNormOptions& options) : options_(options) {
  options_.validate();
  if (!options.affine) return;
  parameters_.push_back(vector_spec("gain", options.in_features, DecayGroup::norm, Initializer::ones));
  parameters_.push_back(vector_spec("shift", options.in_features, DecayGroup::norm, Initializer::zeros));
}

Index LayerNormLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("layer_norm", graph, input, {&options_.in_features, 1});
  if (options_.mode == LayerNormMode::graph) segment_rows(graph);
  return output_width();
}

// Rows that are normalised one by one in a single pass.
bool LayerNormLayer::by_row() const {
  return options_.mode == LayerNormMode::node && options_.epsilon_is_added == NormEpsilon::to_variance;
}

void LayerNormLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  const bool by_graph = options_.mode == LayerNormMode::graph;
  const Index count = by_graph ? c.graph.num_sources() : output.rows;
  const ConstMatrixView x = dense_rows(input.source, count, c.workspace);
  const MatrixView moments = keep(c, kMoments, count, 2);
  const NormalizedRows rows = normalized(c, x, moments, options_.affine);
  if (by_row()) return layer_norm_rows(rows, options_.epsilon, moments, output, c.execution);
  row_moments(x, moments, c.execution);
  const MatrixView slopes = keep(c, kSlopes, count, 1);
  join_moments(by_graph ? segment_rows(c.graph) : single_rows(count), options_, moments, slopes);
  normalize_rows(rows, output, c.execution);
}

void LayerNormLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView /*output*/,
                              ConstMatrixView d_output, const InputGradient& d_input,
                              const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const bool by_graph = options_.mode == LayerNormMode::graph;
  const Index count = by_graph ? c.graph.num_sources() : d_output.rows;
  const ConstMatrixView x = dense_rows(input.source, count, c.workspace);
  const NormalizedRows rows = normalized(c, x, (*c.tape)[kMoments], options_.affine);
  const RowGradient d_x = first_rows(d_input.input(0), count);
  NormalizedRowsGradient gradient;
  gradient.d_out = d_output;
  gradient.d_x = d_x.rows;
  gradient.add = !d_x.is_new;
  if (options_.affine) {
    gradient.d_gain = gradients[0];
    gradient.d_shift = gradients[1];
  }
  if (!by_row() && !d_x.rows.empty()) {
    const MatrixView means = c.workspace.zeros(count, 2);
    const ConstMatrixView slopes = (*c.tape)[kSlopes];
    normalized_row_sums(rows, d_output, means, c.execution);
    const SegmentRows segments = by_graph ? segment_rows(c.graph) : single_rows(count);
    const auto width = static_cast<double>(x.cols);
    for (const Index k : {0, 1}) {
      share_means(
          segments, [&](Index r) { return static_cast<double>(means(r, k)); },
          [&](Index r, double mean) {
            const double slope = k == 0 ? 1 : static_cast<double>(slopes(r, 0));
            means(r, k) = static_cast<Real>(slope * mean / width);
          });
    }
    gradient.means = means;
  }
  normalize_rows_backward(rows, gradient, c.execution, c.workspace);
}

std::unique_ptr<Layer> LayerNormLayer::from_description(const LayerDescription& description,
                                                        Index in_features, Index /*edge_features*/) {
  LayerNormOptions o;
  o.in_features = in_features;
  OptionReader options(description);
  std::string mode(name_of(o.mode)), epsilon_is_added(name_of(o.epsilon_is_added));
  options.read("mode", mode);
  options.read("epsilon", o.epsilon);
  options.read("epsilon_is_added", epsilon_is_added);
  options.read("affine", o.affine);
  options.finish();
  o.mode = layer_norm_mode_named(mode);
  o.epsilon_is_added = norm_epsilon_named(epsilon_is_added);
  return std::make_unique<LayerNormLayer>(o);
}

LayerDescription LayerNormLayer::describe() const {
  return {"layer_norm",
          {{"mode", std::string(name_of(options_.mode))},
           {"epsilon", options_.epsilon},
           {"epsilon_is_added", std::string(name_of(options_.epsilon_is_added))},
           {"affine", options_.affine}}};
}

}  // namespace gat::inline GAT_PRECISION
