/// The layers of the original code (PetarV-/GAT) with all its dropouts, for tests of whole trainings.
#pragma once

#include <string>

#include "gat/data/dataset.hpp"
#include "gat/nn/network.hpp"

namespace gat::test {

inline LayerDescription original_layer(int num_heads, Index head_dim, const char* merge,
                                       const char* activation) {
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
}

/// `heads` × `dim` with ELU, then `output_heads` averaged.
inline NetworkDescription original_network(const Dataset& data, int heads, Index dim, int output_heads) {
  NetworkDescription network;
  network.num_features = data.graph_data.num_features();
  network.steps = {{original_layer(heads, dim, "concat", "elu"), "", ""},
                   {original_layer(output_heads, data.num_classes, "mean", "identity"), "", ""}};
  return network;
}

}  // namespace gat::test
