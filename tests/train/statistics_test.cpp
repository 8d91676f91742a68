// What a training run learns without gradients.
#include "catch.hpp"
#include "data/expectations.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::TinyTask;

namespace {

// Batch norm of the features, momentum 1, then a linear map.
Network normalising_network() {
  return Network({4,
                  0,
                  {{{"batch_norm", {{"momentum", 1.0}}}, "norm", "features"},
                   {{"linear", {{"out_features", std::int64_t(2)}}}, "out", ""}}});
}

TrainOptions two_epochs() {
  TrainOptions options;
  options.epochs = 2;
  options.stop = StopRule::none;
  options.adam.l2 = options.adam.decoupled_decay = 0.1;
  options.adam.decay_norms = true;
  return options;
}

}  // namespace

TEST_CASE("training commits the running statistics of every node", "[train][batch_norm][unit]") {
  const TinyTask task;
  const Network network = normalising_network();
  for (const bool prune : {false, true}) {
    TrainOptions options = two_epochs();
    options.prune = prune;
    const TrainResult result = train(network, task.prepared(), task.labels, task.split, options);
    const ConstMatrixView mean = result.weights[result.weights.find("norm.running_mean")];
    for (Index c = 0; c < 4; ++c) {
      double expected = 0;
      for (Index i = 0; i < 12; ++i) expected += static_cast<double>(task.data.features.dense(i, c)) / 12;
      CHECK(mean(0, c) == Approx(expected).epsilon(1e-5));
    }
  }
}

TEST_CASE("a training run with norms and residuals has the same bits for any number of threads",
          "[train][batch_norm][determinism]") {
  const test::RandomTask task(400);
  const Network network({10,
                         0,
                         {{{"linear", {{"out_features", std::int64_t(8)}}}, "in", ""},
                          {{"batch_norm", {}}, "norm", ""},
                          test::gat_step({{"num_heads", 2}, {"head_dim", 4}}, "attention"),
                          {{"add", {}}, "sum", {"attention", "in"}},
                          {{"linear", {{"out_features", std::int64_t(3)}}}, "out", ""}}});
  const auto trained = [&](int threads) {
    TrainOptions options = two_epochs();
    options.execution.num_threads = threads;
    return train(network, task.prepared(), task.labels, task.split, options).weights;
  };
  const Weights serial = trained(1);
  for (const int threads : {2, 3, 8})
    CHECK(test::same_bits(test::all_values(trained(threads)), test::all_values(serial)));
}

TEST_CASE("training refuses a network that ends in one row per graph", "[train][readout][unit]") {
  const TinyTask task;
  const Network network({4, 0, {{{"readout", {}}, "graph", "features"}, {{"linear", {}}, "out", ""}}});
  CHECK(lacking(message_of([&] { train(network, task.prepared(), task.labels, task.split, two_epochs()); }),
                {"one row per graph"}) == "");
}
