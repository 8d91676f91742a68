/// Attention with any score written plainly, by the score's formula: dense loops, double precision.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/attention_reference.hpp"

namespace gat::test {

/// Everything that goes in; rows in public order.
struct PairNumbers {
  std::string score;
  GraphView graph;
  int heads = 1;
  Index query_dim = 1, key_dim = 1, value_dim = 1;
  Matrix queries, keys, values;
  Matrix source, destination;      ///< × H, where the score reads numbers of nodes
  std::vector<Matrix> parameters;  ///< per_head 1 × H, per_feature 1 × H·D_k, matrix D_q × H·D_k
  Matrix edge_features, edge_weight, value_edge_weight;  ///< E × D_e, D_e × H·D; empty = none
  std::vector<std::uint8_t> mask;
  DropoutMask dropout;
  double slope = 0.2;
  Matrix d_out;
};

/// Everything that comes out, by name.
using PairResults = std::map<std::string, Matrix>;

/// Forward and backward. Results: out, d_queries, d_keys, d_values, d_source, d_destination,
/// d_parameter0 …, d_edge_features, d_edge_weight, d_value_edge_weight, logits.
PairResults naive_pair_attention(const PairNumbers& numbers);
/// The same by the library. The score "custom" is ½ q·k of rows that the caller holds.
PairResults run_pair_attention(const PairNumbers& numbers, const Execution& execution);

}  // namespace gat::test
