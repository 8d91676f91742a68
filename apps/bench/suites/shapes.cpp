// The edge passes over numbers of heads and widths: none may be much slower than the next wider power of
// two.
#include <bit>
#include <map>
#include <utility>

#include "bench/edge_passes.hpp"
#include "bench/generated.hpp"
#include "bench/suites.hpp"

namespace gat::app {

namespace {

constexpr Index kNodes = 20000;
constexpr Index kEdges = 280000;
constexpr int kHeads[] = {1, 2, 3, 4, 5, 6, 8, 12, 16};
constexpr Index kWidths[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33, 48, 64};

using Shape = std::pair<int, Index>;

// The shape that this one is measured by: heads and width rounded up to powers of two, or, of powers of two,
// the next width.
Shape next_wider(const Shape& shape) {
  const Shape rounded{static_cast<int>(std::bit_ceil(static_cast<unsigned>(shape.first))),
                      static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(shape.second)))};
  return rounded == shape ? Shape{shape.first, 2 * shape.second} : rounded;
}

std::string text(const Shape& shape) {
  return std::to_string(shape.first) + " x " + std::to_string(shape.second);
}

}  // namespace

void build_shapes(Suite& suite, const SuiteOptions& options) {
  PowerLawOptions graph;
  graph.num_nodes = kNodes;
  graph.num_edges = kEdges;
  graph.self_loops = true;
  const GeneratedData& data = suite.make<GeneratedData>("shapes", graph, Index{1}, Index{2}, 0.5);
  EdgePasses& passes = suite.make<EdgePasses>(data.named, HeadLayout(16, 64));
  std::map<Shape, std::size_t> forward;
  for (const int heads : kHeads) {
    for (const Index width : kWidths)
      forward[{heads, width}] =
          add_edge_passes(suite, passes, HeadLayout(heads, width), options.executions.back(), false);
  }
  for (const auto& [shape, number] : forward) {
    const auto wider = forward.find(next_wider(shape));
    if (wider == forward.end()) continue;
    const std::string names = text(shape) + " / " + text(wider->first);
    suite.compare("edge forward " + names, number, wider->second);
    suite.compare("edge backward " + names, number + 1, wider->second + 1);
  }
}

}  // namespace gat::app
