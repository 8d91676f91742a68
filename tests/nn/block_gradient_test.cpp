// Gradients of whole networks of blocks against central differences, in double: results with several readers,
// norms of every kind, rows of graphs.
#include <algorithm>

#include "catch.hpp"
#include "nn/block_networks.hpp"
#include "nn/gradient_case.hpp"

using namespace gat;
using gat::test::block_options;

namespace {

constexpr double kStep = 6e-6;
constexpr double kBound = 1e-7;

struct BlockRun {
  BlockRun(const NetworkDescription& description, std::uint64_t seed)
      : network(description),
        weights(test::random_weights(network, seed)),
        graph(test::random_graph(9, 20, seed)),
        features(test::random_matrix(9, 4, seed + 1)),
        blocks(Blocks::whole(graph.view(), network.num_steps())),
        upstream(test::random_matrix(network.num_outputs(blocks), network.output_width(), seed + 2)) {}

  double forward(NetworkTape* tape) {
    logits.resize(upstream.rows(), upstream.cols());
    network.forward(round(tape), weights, {blocks, features}, logits);
    double sum = 0;
    for (Index k = 0; k < logits.size(); ++k) sum += logits.data()[k] * upstream.data()[k];
    return sum;
  }
  Weights gradients() {
    NetworkTape tape;
    Weights result = network.make_weights();
    forward(&tape);
    network.backward(round(&tape), weights, {blocks, features}, upstream, result);
    return result;
  }
  Round round(NetworkTape* tape) {
    return {.workspace = workspace, .mode = Mode::training, .random = RandomStream(5), .tape = tape};
  }

  Network network;
  Weights weights;
  CsrGraph graph;
  Matrix features;
  Blocks blocks;
  Matrix upstream, logits;
  Workspace workspace;
};

// Whether none of the numbers is near a kink, and if so, that every gradient agrees.
bool check(const NetworkDescription& description, std::uint64_t seed) {
  BlockRun run(description, seed);
  const Weights gradients = run.gradients();
  const double here = run.forward(nullptr);
  Matrix numeric(1, gradients.num_values());
  for (Index i = 0; i < run.weights.count(); ++i) {
    if (!run.weights.spec(i).trained) continue;
    const MatrixView values = run.weights[i];
    for (Index k = 0; k < values.rows * values.cols; ++k) {
      const Real value = values.data[k];
      values.data[k] = value + kStep;
      const double above = run.forward(nullptr);
      values.data[k] = value - kStep;
      const double below = run.forward(nullptr);
      values.data[k] = value;
      numeric(0, values.data + k - run.weights.values().data()) = (above - below) / (2 * kStep);
      if (std::abs(above - 2 * here + below) / kStep > 1e-2) return false;
    }
  }
  CHECK(test::normwise_error(test::all_values(gradients), numeric) < kBound);
  Matrix wrong(test::all_values(gradients));
  for (Index k = 0; k < wrong.size(); ++k) wrong.data()[k] *= 1.001;
  CHECK(test::normwise_error(wrong, numeric) > kBound);
  return true;
}

void check_away_from_kinks(const BlockNetworkOptions& options) {
  std::uint64_t seed = 1;
  while (!check(block_network(options), seed)) REQUIRE(++seed < 50);
}

}  // namespace

TEST_CASE("gradients of networks of blocks agree with differences for every form and norm",
          "[nn][builder][gradient]") {
  for (const BlockForm form : test::kForms) {
    for (const NormKind norm :
         {NormKind::none, NormKind::layer_norm, NormKind::graph_layer_norm, NormKind::batch_norm}) {
      INFO(name_of(form) << ", norm " << name_of(norm));
      BlockNetworkOptions options = block_options(form);
      options.norm = norm;
      options.dropout_before_activation = norm == NormKind::layer_norm;
      check_away_from_kinks(options);
    }
  }
}

TEST_CASE("gradients agree with differences through jumping knowledge and readouts",
          "[nn][builder][gradient]") {
  for (const JumpingKnowledge jumping :
       {JumpingKnowledge::concat, JumpingKnowledge::max, JumpingKnowledge::sum, JumpingKnowledge::lstm}) {
    for (const Pooling pooling : {Pooling::sum, Pooling::mean, Pooling::max, Pooling::attention}) {
      INFO(name_of(jumping) << ", " << name_of(pooling));
      BlockNetworkOptions options = block_options(BlockForm::plain);
      options.jumping = jumping;
      options.readout = pooling;
      check_away_from_kinks(options);
    }
  }
}
