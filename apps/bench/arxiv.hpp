/// The arxiv-shaped graph and the network that is trained on it.
#pragma once

#include "bench/generated.hpp"

namespace gat::app {

/// `arxiv_shaped` with 128 features and 40 classes; 54 % of the nodes train.
struct ArxivData : GeneratedData {
  ArxivData() : GeneratedData("arxiv", arxiv_shaped(), 128, 40, 0.537) {}
};

/// 128 → 8×32 → 8×32 → 1×40
inline NetworkDescription arxiv_network(double dropout) {
  const LayerShape layers[] = {{8, 32}, {8, 32}, {1, 40, HeadMerge::mean}};
  return gat_network(128, layers, dropout);
}

}  // namespace gat::app
