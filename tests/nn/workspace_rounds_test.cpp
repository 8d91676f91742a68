// Counts the matrices that are taken from the system, by standing in for the function that every `Matrix`
// takes its memory from.
#include <atomic>
#include <cstdlib>

#include "catch.hpp"
#include "nn/networks.hpp"

namespace {
std::atomic<int> aligned_allocations{0};
}  // namespace

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++aligned_allocations;
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
  const Round round{Mode::training, RandomStream(1), 3, workspace, &tape, {}, {}};
  const NetworkInput input{blocks, features, {}, {}};
  for (int k = 0; k < 3; ++k) {
    const int before = aligned_allocations;
    network.forward(round, weights, input, logits);
    network.backward(round, weights, input, d, gradients);
    CHECK((aligned_allocations > before) == (k == 0));
  }
}
