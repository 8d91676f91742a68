/// Dense products of other libraries, to be timed beside ours in the same rounds.
///
/// Eigen is compiled in, once per instruction level. oneDNN and OpenBLAS are loaded on request from where the
/// build found them (GAT_BENCH_PEERS): nothing links to them, so they cost no verb its start.
#pragma once

#include <string>
#include <vector>

#include "bench/peers/product_call.hpp"

namespace gat::app {

struct ProductPeer {
  std::string name;             ///< "oneDNN"
  Multiply multiply = nullptr;  ///< null: not to be had
  std::string missing;          ///< why: "not found when this program was built"
};

/// Eigen, oneDNN and OpenBLAS, each with its product or the reason why it has none.
std::vector<ProductPeer> product_peers();

}  // namespace gat::app
