// Gradients of every kind of layer against central differences, in double: parameters and inputs.
#include <algorithm>
#include <memory>
#include <optional>

#include "catch.hpp"
#include "gat/nn/layers/table.hpp"
#include "nn/gradient_case.hpp"
#include "nn/layer_cases.hpp"

using namespace gat;
using gat::test::layer_cases;
using gat::test::LayerCase;

namespace {

constexpr double kStep = 6e-6;
constexpr double kBound = 1e-7;

// One use of a layer on inputs drawn from a seed; the rows of nodes have a few sources that are no
// destinations.
class LayerRun {
 public:
  LayerRun(const LayerCase& c, std::uint64_t seed, Index num_nodes, Index num_destinations)
      : case_(c), layer_(make_layer(c.layer, {c.widths, 0})) {
    Block block;
    for (NodeId k = 0; k < num_nodes; ++k) block.node_ids.push_back(3 * k + 1);
    block.num_destinations = num_destinations;
    for (Index i = 0; i < num_destinations; ++i) {
      for (const Index offset : {0, 2, 5}) {
        block.column_indices.push_back(static_cast<NodeId>((i + offset) % num_nodes));
        block.edge_ids.push_back(static_cast<EdgeId>(block.edge_ids.size()));
      }
      block.row_offsets.push_back(static_cast<EdgeId>(block.edge_ids.size()));
    }
    block.edge_id_bound = static_cast<EdgeId>(block.edge_ids.size());
    blocks_.emplace(std::vector<Block>{block});
    view_ = blocks_->layer(0);
    if (c.segments) {
      for (Index k = 0; k < num_nodes; ++k)
        segments_.push_back(static_cast<std::int32_t>(k % 3 == 2 ? 3 : k % 2));
      GraphView::Arrays arrays = view_.arrays();
      arrays.segments = segments_;
      arrays.num_segments = 4;
      view_ = GraphView(num_nodes, num_destinations, false, view_.edge_id_bound(), arrays);
    }
    for (std::size_t k = 0; k < c.widths.size(); ++k)
      inputs_.push_back(test::random_matrix(num_nodes, c.widths[k], 100 * seed + k));
    sparse_ = test::sparse_copy(inputs_.front());
    weights_ = layer_->make_weights();
    test::randomize(weights_, RandomStream(seed).derive(1));
    upstream_ = test::random_matrix(layer_->per_graph() ? view_.num_segments() : num_destinations,
                                    layer_->output_width(), 100 * seed + 99);
  }

  double loss() {
    Matrix out(upstream_.rows(), upstream_.cols());
    forward(nullptr, out);
    double sum = 0;
    for (Index k = 0; k < out.size(); ++k) sum += out.data()[k] * upstream_.data()[k];
    return sum;
  }

  struct Named {
    std::string name;
    std::vector<Real*> values;
    Matrix gradient;
  };
  /// \param add  gradients of inputs are added to random numbers, which are taken off again
  std::vector<Named> gradients(bool add) {
    Tape tape;
    Matrix out(upstream_.rows(), upstream_.cols());
    forward(&tape, out);
    Weights d_weights = layer_->make_weights();
    std::vector<Matrix> before, d_inputs;
    for (const Matrix& input : inputs_) before.push_back(test::random_matrix(input.rows(), input.cols(), 7));
    d_inputs = before;
    std::vector<RowGradient> rows;
    for (Matrix& d : d_inputs) rows.push_back({d, !add});
    InputGradient d_input;
    if (!case_.sparse) d_input.source = rows[0].rows;
    d_input.source_is_new = rows[0].is_new;
    d_input.others = std::span(rows).subspan(1);
    layer_->backward(context(&tape), input(), out, upstream_, d_input, d_weights);
    std::vector<Named> result;
    for (Index i = 0; i < weights_.count(); ++i) {
      if (!weights_.spec(i).trained) continue;
      Named named{weights_.spec(i).name, {}, Matrix(ConstMatrixView(d_weights[i]))};
      for (Index k = 0; k < named.gradient.size(); ++k) named.values.push_back(weights_[i].data + k);
      result.push_back(std::move(named));
    }
    for (std::size_t k = 0; k < inputs_.size() && !case_.sparse; ++k) {
      Named named{"input " + std::to_string(k), {}, d_inputs[k]};
      for (Index e = 0; e < inputs_[k].size(); ++e) {
        if (add) named.gradient.data()[e] -= before[k].data()[e];
        named.values.push_back(inputs_[k].data() + e);
      }
      result.push_back(std::move(named));
    }
    return result;
  }

 private:
  Context context(Tape* tape) {
    return {.graph = view_,
            .weights = weights_,
            .workspace = workspace_,
            .mode = Mode::training,
            .random = RandomStream(9),
            .layer = 2,
            .call = 1,
            .tape = tape};
  }
  LayerInput input() {
    views_.assign(inputs_.begin(), inputs_.end());
    LayerInput in;
    in.source = case_.sparse ? FeatureView(sparse_.view()) : views_.front();
    in.others = std::span(views_).subspan(1);
    return in;
  }
  void forward(Tape* tape, Matrix& out) {
    const LayerInput in = input();
    layer_->check_input(view_, in);
    layer_->forward(context(tape), in, out);
  }

  LayerCase case_;
  std::unique_ptr<Layer> layer_;
  std::optional<Blocks> blocks_;
  std::vector<std::int32_t> segments_;
  GraphView view_;
  std::vector<Matrix> inputs_;
  std::vector<FeatureView> views_;
  CsrMatrix sparse_;
  Weights weights_;
  Matrix upstream_;
  Workspace workspace_;
};

struct Differences {
  Matrix slopes;
  bool has_kink = false;  // slopes from the left and from the right differ
};

Differences differences(LayerRun& run, const LayerRun::Named& named) {
  Differences result{Matrix(named.gradient.rows(), named.gradient.cols()), false};
  const double here = run.loss();
  for (std::size_t k = 0; k < named.values.size(); ++k) {
    const Real value = *named.values[k];
    *named.values[k] = value + kStep;
    const double above = run.loss();
    *named.values[k] = value - kStep;
    const double below = run.loss();
    *named.values[k] = value;
    result.slopes.data()[k] = (above - below) / (2 * kStep);
    result.has_kink = result.has_kink || std::abs(above - 2 * here + below) / kStep > 1e-2;
  }
  return result;
}

// Whether the sample could be used: none of its numbers is near a kink.
bool check(const LayerCase& c, std::uint64_t seed, Index num_nodes, Index num_destinations) {
  LayerRun run(c, seed, num_nodes, num_destinations);
  const auto fresh = run.gradients(false), added = run.gradients(true);
  std::vector<Differences> numeric;
  for (const auto& named : fresh) numeric.push_back(differences(run, named));
  if (std::any_of(numeric.begin(), numeric.end(), [](const Differences& d) { return d.has_kink; }))
    return false;
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    INFO(fresh[k].name);
    const Matrix& slopes = numeric[k].slopes;
    CHECK(test::normwise_error(fresh[k].gradient, slopes) < kBound);
    CHECK(test::normwise_error(added[k].gradient, slopes) < kBound);
    // The gradient of a key's bias vanishes under a softmax and is a rounding error in both.
    const auto vanishes = [](Real x) { return std::abs(x) < 1e-9; };
    if (std::all_of(slopes.data(), slopes.data() + slopes.size(), vanishes)) continue;
    Matrix wrong = fresh[k].gradient;
    for (Index e = 0; e < wrong.size(); ++e) wrong.data()[e] *= 1.001;
    CHECK(test::normwise_error(wrong, slopes) > kBound);
  }
  return true;
}

void check_away_from_kinks(const LayerCase& c, Index num_nodes, Index num_destinations) {
  INFO(c.name << ", " << num_nodes << " nodes");
  std::uint64_t seed = 1;
  while (!check(c, seed, num_nodes, num_destinations)) REQUIRE(++seed < 50);
}

}  // namespace

TEST_CASE("gradients of every layer agree with differences", "[nn][layer][gradient]") {
  for (const LayerCase& c : layer_cases()) check_away_from_kinks(c, 11, 11);
}

TEST_CASE("gradients of every layer agree with differences where some sources are no destinations",
          "[nn][layer][gradient]") {
  for (const LayerCase& c : layer_cases()) check_away_from_kinks(c, 11, 7);
}

TEST_CASE("gradients of norms agree with differences for a single row", "[nn][layer][gradient]") {
  for (const LayerCase& c : layer_cases()) {
    if (c.layer.kind == "layer_norm" || c.layer.kind == "batch_norm") check_away_from_kinks(c, 1, 1);
  }
}
