// Training of networks made of general attention layers, drawn edges included.
#include <string>

#include "catch.hpp"
#include "gat/kernels/score.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::Options;
using gat::test::TinyTask;

namespace {

Network attention_network(const Options& options) {
  Options hidden = options, output = options;
  hidden["num_heads"] = std::int64_t(2);
  hidden["head_dim"] = std::int64_t(4);
  hidden["activation"] = std::string("elu");
  output["num_heads"] = std::int64_t(1);
  output["head_dim"] = std::int64_t(2);
  return Network({4, 0, {{{"attention", hidden}, "", ""}, {{"attention", output}, "", ""}}});
}

double accuracy_after_training(const Options& options, int threads = 1) {
  const TinyTask task;
  TrainOptions training = test::short_run(60);
  training.stop = StopRule::none;
  training.execution = threads;
  const Network network = attention_network(options);
  const PreparedGraph graph = task.prepared();
  const TrainResult result = train(network, graph, task.labels, task.split, training);
  Matrix logits(12, 2);
  Workspace workspace;
  const Blocks blocks = Blocks::whole(graph.graph().view(), 2);
  const Round round{.workspace = workspace};
  network.forward(round, result.weights, {blocks, graph.features()}, logits);
  return evaluate(logits, task.labels, task.split.test).metrics.accuracy;
}

}  // namespace

TEST_CASE("networks with every score of the table learn", "[train][attention]") {
  for (const ScoreDescription* const score : score_table()) {
    if (score->name == "custom") continue;
    INFO(score->name);
    CHECK(accuracy_after_training({{"score", std::string(score->name)}}) == 1);
  }
}

TEST_CASE("networks with an edge loss train on every row and learn", "[train][attention][edge-loss]") {
  const test::RandomTask task(300);
  const auto trained = [&](double weight, int threads) {
    const Network network({10,
                           0,
                           {{{"attention",
                              {{"score", std::string("supergat_mx")},
                               {"head_dim", std::int64_t(3)},
                               {"merge", std::string("mean")},
                               {"edge_loss", weight}}},
                             "",
                             ""}}});
    TrainOptions options = test::short_run(4);
    options.execution = threads;
    return train(network, task.prepared(), task.labels, task.split, options);
  };
  const TrainResult with = trained(4, 1), without = trained(0, 1);
  CHECK(without.training_rows == ComputedRows::pruned);
  CHECK(with.training_rows == ComputedRows::whole);
  CHECK(with.validation_rows == ComputedRows::pruned);
  CHECK_FALSE(test::same_bits(test::all_values(with.weights), test::all_values(without.weights)));
  for (const int threads : {2, 3, 8})
    CHECK(test::same_bits(test::all_values(trained(4, threads).weights), test::all_values(with.weights)));
  // A small weight: a large one parts the two groups as well, but drowns the two labels that name them.
  for (const char* const score : {"supergat_mx", "supergat_sd"})
    CHECK(accuracy_after_training({{"score", std::string(score)}, {"edge_loss", 0.2}}) == 1);
}

TEST_CASE("networks that draw one edge per head learn by both estimators", "[train][attention][sampling]") {
  for (const char* const gradient : {"straight-through", "score-function"}) {
    INFO(gradient);
    CHECK(accuracy_after_training({{"score", std::string("scaled_dot")},
                                   {"selection", std::string("sampled")},
                                   {"sample_gradient", std::string(gradient)}}) >= 5.0 / 6);
  }
}

TEST_CASE("training with score-function gradients gives the same weights on any number of threads",
          "[train][attention][determinism]") {
  const test::RandomTask task(300);
  const Network network({10,
                         0,
                         {{{"attention",
                            {{"score", std::string("gatv2")},
                             {"selection", std::string("sampled")},
                             {"sample_gradient", std::string("score-function")},
                             {"head_dim", std::int64_t(3)},
                             {"merge", std::string("mean")}}},
                           "",
                           ""}}});
  const auto trained = [&](int threads) {
    TrainOptions options = test::short_run(4);
    options.execution = threads;
    return train(network, task.prepared(), task.labels, task.split, options).weights;
  };
  const Weights one = trained(1);
  for (const int threads : {2, 3, 8}) {
    const Weights other = trained(threads);
    CHECK(test::same_bits(test::all_values(other), test::all_values(one)));
  }
}
