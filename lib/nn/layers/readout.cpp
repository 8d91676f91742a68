#include "gat/nn/layers/readout.hpp"

#include <string>

#include "core/named_values.hpp"
#include "gat/graph/segments.hpp"
#include "gat/kernels/linear.hpp"
#include "gat/kernels/readout.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<Pooling, 4> kPoolings{{{Pooling::sum, "sum"},
                                             {Pooling::mean, "mean"},
                                             {Pooling::max, "max"},
                                             {Pooling::attention, "attention"}}};

enum Slot { kAttention };

// 1 / (number of rows) for every row.
MatrixView equal_weights(const SegmentRows& segments, Index rows, Workspace& workspace) {
  const MatrixView weights = workspace.matrix(rows, 1);
  for (Index s = 0; s < segments.num_segments(); ++s) {
    for (Index k = segments.begin(s); k < segments.end(s); ++k)
      weights(segments.row(k), 0) = 1 / static_cast<Real>(segments.count(s));
  }
  return weights;
}

}  // namespace

std::string_view name_of(Pooling value) { return name_in(kPoolings, value); }
Pooling pooling_named(std::string_view name) { return value_in(kPoolings, name, "pooling"); }

ReadoutLayer::ReadoutLayer(Index in_features, Pooling pooling)
    : in_features_(in_features), pooling_(pooling) {
  if (pooling != Pooling::attention) return;
  parameters_.push_back(matrix_spec("weight", 1, in_features, Initializer::uniform_fan_in));
  parameters_.back().group = DecayGroup::attention;
}

Index ReadoutLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("readout", graph, input, {&in_features_, 1});
  segment_rows(graph);
  return in_features_;
}

void ReadoutLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  const SegmentRows segments = segment_rows(c.graph);
  const ConstMatrixView x = dense_rows(input.source, c.graph.num_sources(), c.workspace);
  if (pooling_ == Pooling::max) return segment_max(x, segments, output, c.execution, c.workspace);
  ConstMatrixView weights;
  if (pooling_ == Pooling::mean) weights = equal_weights(segments, x.rows, c.workspace);
  if (pooling_ == Pooling::attention) {
    const MatrixView attention = keep(c, kAttention, x.rows, 1);
    linear_forward({FeatureView(x), {}, {}}, c.weights[0], attention, c.execution, c.workspace);
    segment_softmax(attention, segments);
    weights = attention;
  }
  segment_sums(x, weights, segments, output, c.execution, c.workspace);
}

void ReadoutLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView output,
                            ConstMatrixView d_output, const InputGradient& d_input,
                            const Gradients& gradients) const {
  const Workspace::Scope scope(c.workspace);
  const SegmentRows segments = segment_rows(c.graph);
  const ConstMatrixView x = dense_rows(input.source, c.graph.num_sources(), c.workspace);
  const RowGradient d_x = d_input.input(0);
  if (pooling_ == Pooling::max) {
    if (!d_x.rows.empty())
      segment_max_backward(x, output, d_output, segments, d_x.rows, !d_x.is_new, c.execution);
    return;
  }
  ConstMatrixView weights;
  if (pooling_ == Pooling::mean) weights = equal_weights(segments, x.rows, c.workspace);
  if (pooling_ == Pooling::attention) weights = (*c.tape)[kAttention];
  if (!d_x.rows.empty())
    segment_sums_backward(d_output, weights, segments, d_x.rows, !d_x.is_new, c.execution);
  if (pooling_ != Pooling::attention) return;
  const LinearInput rows{FeatureView(x), {}, {}};
  const MatrixView d_scores = c.workspace.matrix(x.rows, 1);
  segment_products(x, d_output, segments, d_scores, c.execution);
  segment_softmax_backward(weights, d_scores, segments);
  linear_backward_weight(rows, d_scores, gradients[0], c.execution, c.workspace);
  if (!d_x.rows.empty())
    linear_backward_input(rows, c.weights[0], d_scores, d_x.rows, c.execution, c.workspace);
}

std::unique_ptr<Layer> ReadoutLayer::from_description(const LayerDescription& description, Index in_features,
                                                      Index /*edge_features*/) {
  std::string pooling(name_of(Pooling::mean));
  OptionReader options(description);
  options.read("pooling", pooling);
  options.finish();
  return std::make_unique<ReadoutLayer>(in_features, pooling_named(pooling));
}

LayerDescription ReadoutLayer::describe() const {
  return {"readout", {{"pooling", std::string(name_of(pooling_))}}};
}

}  // namespace gat::inline GAT_PRECISION
