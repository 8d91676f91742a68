// Kind 12: layer normalisation of rows (mode 0), of one graph (mode 1) and of a batch of graphs (mode 2).
#include <algorithm>

#include "gat/nn/layers/layer_norm.hpp"
#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {"eps", "mode", "batch", "x", "gamma", "beta", "upstream"};

std::string unsupported(const VectorFile& file) {
  constexpr double kKnown[] = {0, 1, 2};
  return unless_among(file, "mode", kKnown);
}

gat::LayerNormOptions options_of(GoldenCase& c, gat::Index width) {
  gat::LayerNormOptions options;
  options.in_features = width;
  options.epsilon = c.number("eps");
  options.affine = c.has("gamma");
  const std::int64_t mode = c.integer("mode");
  if (mode != 0) options.mode = gat::LayerNormMode::graph;
  if (mode == 1) options.epsilon_is_added = gat::NormEpsilon::to_deviation;
  return options;
}

// The rows of some graphs, without edges.
gat::GraphView rows_view(gat::Index rows, const std::vector<std::int32_t>& segments) {
  gat::GraphView::Arrays arrays;
  arrays.segments = segments;
  if (!segments.empty()) arrays.num_segments = 1 + *std::max_element(segments.begin(), segments.end());
  return {rows, rows, false, 0, arrays};
}

void run(GoldenCase& c) {
  const gat::Matrix x = c.matrix("x"), upstream = c.matrix("upstream");
  const gat::LayerNormLayer layer(options_of(c, x.cols()));
  std::vector<std::int32_t> segments;
  if (c.has("batch")) {
    for (const std::int64_t graph : c.integers("batch")) segments.push_back(static_cast<std::int32_t>(graph));
  }
  const gat::GraphView view = rows_view(x.rows(), segments);
  gat::Weights weights = layer.make_weights();
  gat::Weights gradients = layer.make_weights();
  if (c.has("gamma")) {
    weights.import_values(0, c.reals("gamma"));
    weights.import_values(1, c.reals("beta"));
  }
  gat::Workspace workspace;
  gat::Tape tape;
  const gat::Context context{
      .graph = view, .weights = weights, .workspace = workspace, .mode = gat::Mode::training, .tape = &tape};
  gat::LayerInput input;
  input.source = x;
  gat::Matrix out(x.rows(), layer.check_input(view, input)), d_x(x.rows(), x.cols());
  layer.forward(context, input, out);
  gat::InputGradient d_input;
  d_input.source = d_x;
  layer.backward(context, input, out, upstream, d_input, gradients);
  c.compare("out", out);
  c.compare("grad_x", d_x);
  if (!c.has("gamma")) return;
  c.compare("grad_gamma", widened(gradients.export_values(0)), c.shape("gamma"));
  c.compare("grad_beta", widened(gradients.export_values(1)), c.shape("beta"));
}

}  // namespace

const Family kLayerNormFamily{12, "layer normalisation", kGiven, unsupported, run};

}  // namespace golden
