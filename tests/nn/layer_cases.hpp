/// Every kind of layer with its options: what the generic tests of layers loop over. A new kind needs cases
/// here, in the order of its options.
#pragma once

#include <string>
#include <vector>

#include "nn/networks.hpp"

namespace gat::test {

struct LayerCase {
  std::string name;
  LayerDescription layer;
  std::vector<Index> widths{4};  ///< of the inputs
  bool sparse = false;           ///< the input is CSR
  bool segments = false;         ///< the rows belong to several graphs
};

inline void add_maps(std::vector<LayerCase>& cases) {
  cases.push_back({"linear", {"linear", {{"out_features", std::int64_t(5)}}}});
  cases.push_back(
      {"linear of sparse rows",
       {"linear", {{"out_features", std::int64_t(5)}, {"dropout", 0.4}, {"activation", std::string("elu")}}},
       {4},
       true});
  cases.push_back({"linear with everything",
                   {"linear",
                    {{"out_features", std::int64_t(17)},
                     {"activation", std::string("gelu")},
                     {"dropout", 0.3},
                     {"argument_dropout", 0.4},
                     {"initial", std::string("glorot")}}}});
  cases.push_back({"linear without bias, relu",
                   {"linear",
                    {{"out_features", std::int64_t(3)},
                     {"bias", false},
                     {"activation", std::string("relu")},
                     {"argument_dropout", 0.4}}}});
  const auto feed_forward = [](const char* activation, bool before) {
    return LayerDescription{"feed_forward",
                            {{"hidden_features", std::int64_t(7)},
                             {"out_features", std::int64_t(4)},
                             {"activation", std::string(activation)},
                             {"dropout", 0.3},
                             {"dropout_before_activation", before},
                             {"output_dropout", 0.2}}};
  };
  cases.push_back({"feed_forward", feed_forward("gelu", false)});
  cases.push_back({"feed_forward, dropout first", feed_forward("relu", true)});
  for (const char* activation : {"elu", "gelu", "identity"})
    cases.push_back(
        {std::string("activation ") + activation, {"activation", {{"activation", std::string(activation)}}}});
  cases.push_back({"dropout", {"dropout", {{"dropout", 0.4}}}});
}

inline void add_joins(std::vector<LayerCase>& cases) {
  cases.push_back({"add", {"add", {}}, {4, 4}});
  cases.push_back({"add, one input through a map", {"add", {}}, {4, 6, 4}});
  cases.push_back({"add, learned", {"add", {{"map", std::string("learned")}}}, {4, 4}});
  cases.push_back({"add, identity", {"add", {{"map", std::string("identity")}}}, {4, 4, 4}});
  cases.push_back({"concat", {"concat", {}}, {4, 2, 5}});
  cases.push_back({"concat of one", {"concat", {}}});
  cases.push_back({"max", {"max", {}}, {4, 4, 4}});
  cases.push_back({"lstm_attention", {"lstm_attention", {}}, {4, 4, 4}});
  cases.push_back({"lstm_attention of one", {"lstm_attention", {}}});
  cases.push_back(
      {"lstm_attention, narrow", {"lstm_attention", {{"hidden_features", std::int64_t(1)}}}, {3, 3}});
}

inline void add_norms(std::vector<LayerCase>& cases) {
  cases.push_back({"layer_norm", {"layer_norm", {}}, {6}});
  cases.push_back({"layer_norm without gain", {"layer_norm", {{"affine", false}, {"epsilon", 1e-2}}}});
  for (const char* mode : {"node", "graph"}) {
    for (const char* epsilon : {"to-variance", "to-deviation"}) {
      const LayerDescription layer{
          "layer_norm",
          {{"mode", std::string(mode)}, {"epsilon_is_added", std::string(epsilon)}, {"epsilon", 1e-2}}};
      cases.push_back({std::string("layer_norm by ") + mode + ", epsilon " + epsilon, layer});
      if (std::string(mode) == "graph")
        cases.push_back({"layer_norm of several graphs", layer, {4}, false, true});
    }
  }
  cases.push_back({"batch_norm", {"batch_norm", {}}});
  cases.push_back({"batch_norm without gain", {"batch_norm", {{"affine", false}, {"momentum", 0.5}}}, {17}});
}

inline void add_positions(std::vector<LayerCase>& cases) {
  const auto positions = [](const char* join) {
    return LayerDescription{
        "learned_positions",
        {{"num_positions", std::int64_t(7000)}, {"join", std::string(join)}, {"width", std::int64_t(3)}}};
  };
  cases.push_back({"learned_positions, added", positions("add")});
  cases.push_back({"learned_positions side by side", positions("concat")});
  cases.push_back({"learned_positions, added to sparse rows", positions("add"), {4}, true});
  cases.push_back({"learned_positions beside sparse rows", positions("concat"), {4}, true});
}

inline const std::vector<LayerCase>& layer_cases() {
  static const std::vector<LayerCase> cases = [] {
    std::vector<LayerCase> all;
    all.push_back(
        {"gat",
         {"gat",
          {{"num_heads", std::int64_t(2)}, {"head_dim", std::int64_t(3)}, {"attention_dropout", 0.3}}}});
    for (const char* score : {"gatv2", "scaled_dot"}) {
      all.push_back({std::string("attention by ") + score,
                     {"attention",
                      {{"score", std::string(score)},
                       {"num_heads", std::int64_t(2)},
                       {"head_dim", std::int64_t(3)},
                       {"output_dim", std::int64_t(5)},
                       {"feature_dropout", 0.2},
                       {"attention_dropout", 0.3}}}});
    }
    add_maps(all);
    add_joins(all);
    add_norms(all);
    add_positions(all);
    for (const char* pooling : {"sum", "mean", "max", "attention"}) {
      const LayerDescription layer{"readout", {{"pooling", std::string(pooling)}}};
      all.push_back({std::string("readout by ") + pooling, layer});
      all.push_back({std::string("readout of several graphs by ") + pooling, layer, {4}, false, true});
    }
    return all;
  }();
  return cases;
}

/// Linear maps from four features to the inputs of the layer, then the layer; of sparse features the layer
/// alone.
inline NetworkDescription network_of(const LayerCase& layer_case) {
  if (layer_case.sparse) return {4, 0, {{layer_case.layer, "out", ""}}};
  NetworkDescription network{4, 0, {}};
  std::vector<std::string> inputs;
  for (const Index width : layer_case.widths) {
    inputs.push_back("in" + std::to_string(inputs.size()));
    network.steps.push_back({{"linear", {{"out_features", width}}}, inputs.back(), "features"});
  }
  network.steps.push_back({layer_case.layer, "out", inputs});
  return network;
}

}  // namespace gat::test
