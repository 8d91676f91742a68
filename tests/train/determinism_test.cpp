// The same bits for any number of threads: training with every dropout on, on real data and on a
// graph with hubs whose rows are cut into chunks.
#include <cstring>

#include "catch.hpp"
#include "gat/data/generate.hpp"
#include "gat/data/load.hpp"
#include "gat/data/split.hpp"
#include "gat/kernels/loss.hpp"
#include "gat/train/trainer.hpp"
#include "test_data.hpp"
#include "train/original_network.hpp"

using namespace gat;

namespace {

GraphPolicy policy_of(const Dataset& data) {
  GraphPolicy policy;
  policy.direction = data.suggested_direction;
  return policy;
}

bool same_bits(std::span<const Real> a, std::span<const Real> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TrainResult trained(const Dataset& data, const Execution& execution, std::uint64_t seed, bool prune,
                    int epochs) {
  const Network network(test::original_network(data, 8, 8, 2));
  const PreparedGraph graph(data.graph_data, policy_of(data), InputTransform::row_normalize);
  TrainOptions options;
  options.epochs = epochs;
  options.adam.l2 = 5e-4;
  options.execution = execution;
  options.seed = seed;
  options.prune = prune;
  return train(network, graph, data.labels, make_split(data, {}, 0), options);
}

// Three steps on a whole graph by hand, so that the workspace's statistics can be read.
struct Steps {
  Weights weights;
  Matrix logits;
  Workspace::Statistics statistics;
};

Steps three_steps(const Dataset& data, int num_threads) {
  const Network network(test::original_network(data, 3, 5, 2));
  // As listed: node 0 is a hub of in-edges alone, node 1 of out-edges alone.
  const PreparedGraph graph(data.graph_data, GraphPolicy(), InputTransform::none);
  REQUIRE(graph.graph().in_degree(0) > 10000);
  REQUIRE(graph.graph().out_degree(1) > 10000);
  const Blocks blocks = Blocks::whole(graph.graph().view(), 2);
  const NetworkInput input{blocks, graph.features()};
  const auto& nodes = data.splits.front().train;
  Workspace workspace;
  NetworkTape tape;
  Adam adam({.learning_rate = 0.01});
  Weights gradients = network.make_weights();
  Steps steps{initial_weights(network, 7), Matrix(data.num_nodes(), data.num_classes), {}};
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    const Round round{.workspace = workspace,
                      .mode = Mode::training,
                      .random = RandomStream(epoch),
                      .execution = num_threads,
                      .tape = &tape};
    network.forward(round, steps.weights, input, steps.logits);
    Matrix d_logits(steps.logits.rows(), steps.logits.cols());
    softmax_cross_entropy(steps.logits, {nodes, nodes}, data.labels.classes, {}, d_logits, num_threads);
    gradients.fill(0);
    network.backward(round, steps.weights, input, d_logits, gradients);
    adam.step(steps.weights, gradients, num_threads);
  }
  steps.statistics = workspace.statistics;
  return steps;
}

}  // namespace

TEST_CASE("training on Cora gives the same bits for 1, 2, 3 and 8 threads", "[train][determinism]") {
  const auto path = find_test_data("planetoid/cora");
  if (!path) return;
  const Dataset cora = load_dataset(path->string());
  for (const bool prune : {true, false}) {
    const TrainResult one = trained(cora, 1, 1, prune, 4);
    for (const int threads : {2, 3, 8}) {
      INFO(threads << " threads, prune " << prune);
      const TrainResult several = trained(cora, threads, 1, prune, 4);
      CHECK(several.best_epoch == one.best_epoch);
      CHECK(same_bits(several.weights.values(), one.weights.values()));
    }
  }
}

TEST_CASE("training on rows of bf16 gives the same bits for 1, 2, 3 and 8 threads, others than on floats",
          "[train][determinism][bf16]") {
  const Dataset data = synthetic_cora(0);
  const auto bf16 = [](int threads) { return Execution(threads, best_simd_level(), RowPrecision::bf16); };
  for (const bool prune : {true, false}) {
    const TrainResult one = trained(data, bf16(1), 1, prune, 4);
    for (const int threads : {2, 3, 8}) {
      INFO(threads << " threads, prune " << prune);
      CHECK(same_bits(trained(data, bf16(threads), 1, prune, 4).weights.values(), one.weights.values()));
    }
    CHECK_FALSE(same_bits(trained(data, 1, 1, prune, 4).weights.values(), one.weights.values()));
  }
}

TEST_CASE("two runs with one seed are equal and another seed differs", "[train][determinism]") {
  const Dataset data = synthetic_cora(0);
  const TrainResult first = trained(data, 2, 1, true, 20);
  CHECK(same_bits(first.weights.values(), trained(data, 2, 1, true, 20).weights.values()));
  CHECK_FALSE(same_bits(first.weights.values(), trained(data, 2, 2, true, 20).weights.values()));
}

TEST_CASE("a graph with hubs gives the same bits for 1, 2, 3 and 8 threads", "[train][determinism]") {
  CitationOptions options;
  options.num_nodes = 20000;
  options.num_words = 200;
  options.num_hub_edges = 10000;
  const Dataset data = generate_citations(options);
  const Steps one = three_steps(data, 1);
  for (const int threads : {2, 3, 8}) {
    INFO(threads << " threads");
    const Steps several = three_steps(data, threads);
    CHECK(several.statistics.largest_team == threads);
    CHECK(several.statistics.split_in_rows > 0);
    CHECK(several.statistics.split_out_rows > 0);
    CHECK(same_bits(several.weights.values(), one.weights.values()));
    CHECK(same_bits({several.logits.data(), static_cast<std::size_t>(several.logits.size())},
                    {one.logits.data(), static_cast<std::size_t>(one.logits.size())}));
  }
}
