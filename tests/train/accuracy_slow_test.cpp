// The published accuracy, over thirty seeds; minutes long, so it runs only when asked for:
//   train_tests "[slow]"
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "gat/data/load.hpp"
#include "gat/data/split.hpp"
#include "gat/train/trainer.hpp"
#include "test_data.hpp"

using namespace gat;

namespace {

// The layers of the original code (PetarV-/GAT) for Cora.
NetworkDescription original_network(const Dataset& data) {
  const auto layer = [](int num_heads, Index head_dim, const char* merge, const char* activation) {
    LayerDescription description;
    description.options = {{"num_heads", std::int64_t(num_heads)},
                           {"head_dim", std::int64_t(head_dim)},
                           {"merge", std::string(merge)},
                           {"activation", std::string(activation)},
                           {"feature_dropout", 0.6},
                           {"value_dropout", 0.6},
                           {"attention_dropout", 0.6},
                           {"dropout_per_head", true},
                           {"score_bias", true},
                           {"initial", std::string("original")}};
    return description;
  };
  NetworkDescription network;
  network.num_features = data.graph_data.num_features();
  network.steps = {{layer(8, 8, "concat", "elu"), "", ""},
                   {layer(1, data.num_classes, "mean", "identity"), "", ""}};
  return network;
}

}  // namespace

TEST_CASE("B23 the original protocol reaches the published accuracy on Cora", "[.][train][slow][cases]") {
  const auto path = find_test_data("planetoid/cora");
  if (!path) return;
  const Dataset cora = load_dataset(path->string());
  const Network network(original_network(cora));
  GraphPolicy policy;
  policy.direction = cora.suggested_direction;
  const PreparedGraph graph(cora.graph_data, policy, InputTransform::row_normalize);
  const Split split = make_split(cora, {}, 0);
  std::vector<double> accuracies;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    TrainOptions options;
    options.epochs = 100000;
    options.adam.l2 = 5e-4;
    options.adam.epsilon_variant = EpsilonVariant::uncorrected;
    options.seed = seed;
    options.num_threads = 2;
    const TrainResult result = train(network, graph, cora.labels, split, options);
    const Model model({network.description(), policy, InputTransform::row_normalize, false, {}, {}},
                      result.weights);
    Workspace workspace;
    accuracies.push_back(
        evaluate(model.class_logits(graph, workspace, 2), cora.labels, split.test).metrics.accuracy);
  }
  const double mean = std::accumulate(accuracies.begin(), accuracies.end(), 0.0) / 30;
  double squares = 0;
  for (const double accuracy : accuracies) squares += (accuracy - mean) * (accuracy - mean);
  WARN("test accuracy " << mean << ", standard deviation " << std::sqrt(squares / 29));
  CHECK(mean >= 0.829);
}
