/// Small attention layers for tests: one per score, and the ways in which they are varied.
#pragma once

#include <string>
#include <vector>

#include "gat/kernels/score.hpp"
#include "gat/nn/layers/attention.hpp"

namespace gat::test {

/// Four features, two heads of width 3, everything else as the score's authors have it.
inline AttentionLayerOptions small_attention(std::string_view score, int heads = 2, Index dim = 3) {
  AttentionLayerOptions o = AttentionLayerOptions::for_score(score);
  o.in_features = 4;
  o.num_heads = heads;
  o.head_dim = dim;
  return o;
}

inline const ScoreDescription& score_called(std::string_view name) {
  return *score_table()[static_cast<std::size_t>(score_named(name))];
}

/// The names of all scores of the table.
inline std::vector<std::string> all_scores() {
  std::vector<std::string> names;
  for (const ScoreDescription* const score : score_table()) names.emplace_back(score->name);
  return names;
}

}  // namespace gat::test
