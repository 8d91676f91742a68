#include "gat/graph/segments.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

SegmentRows segment_rows(const GraphView& graph) {
  const auto segments = graph.arrays().segments;
  SegmentRows result;
  if (segments.empty()) {
    result.offsets = {0, graph.num_sources()};
    return result;
  }
  if (static_cast<Index>(segments.size()) != graph.num_sources()) {
    throw ShapeError(std::to_string(segments.size()) + " segment numbers for " +
                     std::to_string(graph.num_sources()) + " rows");
  }
  result.offsets.assign(static_cast<std::size_t>(graph.num_segments()) + 1, 0);
  for (const std::int32_t segment : segments) {
    if (segment < 0 || segment >= graph.num_segments()) {
      throw ShapeError("segment " + std::to_string(segment) + " is outside 0.." +
                       std::to_string(graph.num_segments() - 1));
    }
    ++result.offsets[static_cast<std::size_t>(segment) + 1];
  }
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  if (std::is_sorted(segments.begin(), segments.end())) return result;
  result.rows.resize(segments.size());
  std::vector<Index> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t r = 0; r < segments.size(); ++r)
    result.rows[static_cast<std::size_t>(next[static_cast<std::size_t>(segments[r])]++)] =
        static_cast<NodeId>(r);
  return result;
}

SegmentRows single_rows(Index count) {
  SegmentRows result;
  result.offsets.resize(static_cast<std::size_t>(count) + 1);
  std::iota(result.offsets.begin(), result.offsets.end(), Index(0));
  return result;
}

}  // namespace gat::inline GAT_PRECISION
