// Counts the matrices that are taken from the system, by standing in for the function that every `Matrix`
// takes its memory from.
#include <atomic>
#include <cstdlib>

#include "catch.hpp"
#include "nn/networks.hpp"

namespace {
std::atomic<int> aligned_allocations{0};
std::atomic<std::size_t> aligned_bytes{0};
}  // namespace

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++aligned_allocations;
  aligned_bytes += size;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

using namespace gat;

TEST_CASE("rounds after the first take no memory for matrices", "[nn][network][workspace]") {
  const CsrGraph graph = test::random_graph(200, 2000, 1);
  const Matrix features = test::random_matrix(200, 20, 2);
  const Matrix d = test::random_matrix(200, 3, 3);
  const Blocks blocks = Blocks::whole(graph.view(), 2);
  const Network network(test::two_layers(20, true));
  const Weights weights = test::random_weights(network);
  Weights gradients = network.make_weights();
  Matrix logits(200, 3);
  Workspace workspace;
  NetworkTape tape;
  const Round round{.workspace = workspace,
                    .mode = Mode::training,
                    .random = RandomStream(1),
                    .execution = 3,
                    .tape = &tape};
  const NetworkInput input{blocks, features};
  for (int k = 0; k < 3; ++k) {
    const int before = aligned_allocations;
    network.forward(round, weights, input, logits);
    network.backward(round, weights, input, d, gradients);
    CHECK((aligned_allocations > before) == (k == 0));
  }
}

TEST_CASE("gradients of a chain of layers take the memory of two layers", "[nn][network][workspace]") {
  constexpr int kLayers = 8;
  constexpr Index kNodes = 3000;
  NetworkDescription description;
  description.num_features = 64;
  for (int k = 0; k < kLayers; ++k)
    description.steps.push_back(
        test::gat_step({{"num_heads", std::int64_t(8)}, {"head_dim", std::int64_t(8)}}));
  const Network network(description);
  const CsrGraph graph = test::random_graph(kNodes, 2 * kNodes, 1);
  const Matrix features = test::random_matrix(kNodes, 64, 2);
  const Blocks blocks = Blocks::whole(graph.view(), kLayers);
  const Weights weights = test::random_weights(network);
  Weights gradients = network.make_weights();
  Matrix logits(kNodes, 64);
  Workspace workspace;
  NetworkTape tape;
  const Round round{.workspace = workspace, .mode = Mode::training, .random = RandomStream(1), .tape = &tape};
  const std::size_t before = aligned_bytes;
  network.forward(round, weights, {blocks, features}, logits);
  network.backward(round, weights, {blocks, features}, features, gradients);
  // Kept per layer: projection, heads, result, and four numbers per head. On top one gradient of a result,
  // one of a projection, what is small, and one to spare; one more per layer would be seen.
  const std::size_t wide = kNodes * 64 * sizeof(Real);
  CHECK(aligned_bytes - before < wide * (3 * kLayers + kLayers / 2 + 4));
}
