/// Small networks for tests, and one call that runs them.
#pragma once

#include <string>
#include <vector>

#include "gat/nn/network.hpp"
#include "graphs.hpp"
#include "nn/random_weights.hpp"
#include "numbers.hpp"

namespace gat::test {

using Options = std::map<std::string, OptionValue, std::less<>>;

inline Step gat_step(Options options, std::string name = "", std::string input = "") {
  return {{"gat", std::move(options)}, std::move(name), std::move(input)};
}

/// Two layers with every dropout and everything else that the original code has.
inline NetworkDescription two_layers(Index num_features, bool dropout_per_head, Index num_classes = 3) {
  const auto layer = [&](std::int64_t heads, std::int64_t dim, const char* merge, const char* activation) {
    return gat_step({{"num_heads", heads},
                     {"head_dim", dim},
                     {"merge", std::string(merge)},
                     {"activation", std::string(activation)},
                     {"residual", std::string("learned")},
                     {"score_bias", true},
                     {"feature_dropout", 0.5},
                     {"dropout_per_head", dropout_per_head},
                     {"value_dropout", 0.4},
                     {"attention_dropout", 0.3}});
  };
  return {num_features, 0, {layer(3, 5, "concat", "elu"), layer(2, num_classes, "mean", "identity")}};
}

/// All weights, biases too.
inline Weights random_weights(const Network& network, std::uint64_t seed = 5) {
  Weights weights = network.make_weights();
  randomize(weights, RandomStream(seed));
  return weights;
}

/// One forward, and one backward where a gradient of the class logits is given.
struct NetworkRun {
  Matrix class_logits;
  Weights gradients;
};
inline NetworkRun run_network(const Network& network, const Weights& weights, const NetworkInput& input,
                              Mode mode, const Matrix& d_class_logits = {}, const Execution& execution = 1) {
  NetworkRun result{Matrix(input.blocks.num_outputs(), network.output_width()), network.make_weights()};
  Workspace workspace;
  NetworkTape tape;
  const Round round{.workspace = workspace,
                    .mode = mode,
                    .random = RandomStream(11),
                    .execution = execution,
                    .tape = mode == Mode::training ? &tape : nullptr};
  network.forward(round, weights, input, result.class_logits);
  if (!d_class_logits.empty()) network.backward(round, weights, input, d_class_logits, result.gradients);
  return result;
}

inline ConstMatrixView all_values(const Weights& weights) {
  return {weights.values().data(), 1, weights.num_values()};
}

}  // namespace gat::test
