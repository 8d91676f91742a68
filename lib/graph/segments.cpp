#include "gat/graph/segments.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

void check_pointer(std::span<const Index> pointer) {
  if (pointer.empty() || pointer.front() != 0) {
    throw ShapeError("segment pointer: begins with " +
                     (pointer.empty() ? "nothing" : std::to_string(pointer.front())) +
                     ", expected 0, the first row of the first graph");
  }
  for (std::size_t s = 1; s < pointer.size(); ++s) {
    if (pointer[s] >= pointer[s - 1]) continue;
    throw ShapeError("segment pointer: falls from " + std::to_string(pointer[s - 1]) + " to " +
                     std::to_string(pointer[s]) + " behind graph " + std::to_string(s - 1) +
                     "; give the first row of each graph and the number of rows");
  }
}

// Where the rows of each segment begin once they are in order. \pre check_segments(graph)
std::vector<Index> segment_offsets(const GraphView& graph) {
  const auto segments = graph.arrays().segments;
  const auto begins = graph.arrays().segment_begins;
  if (!begins.empty()) {
    std::vector<Index> offsets;
    for (const SegmentBegin& begin : begins) offsets.push_back(begin.source);
    return offsets;
  }
  if (segments.empty()) return {0, graph.num_sources()};
  std::vector<Index> offsets(static_cast<std::size_t>(graph.num_segments()) + 1, 0);
  for (const std::int32_t segment : segments) ++offsets[static_cast<std::size_t>(segment) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

// The rows segment by segment, those of one in the order that they have.
std::vector<NodeId> grouped(std::span<const std::int32_t> segments, std::vector<Index> next) {
  std::vector<NodeId> rows(segments.size());
  for (std::size_t r = 0; r < segments.size(); ++r)
    rows[static_cast<std::size_t>(next[static_cast<std::size_t>(segments[r])]++)] = static_cast<NodeId>(r);
  return rows;
}

}  // namespace

SegmentPointer::SegmentPointer(std::span<const Index> pointer) : SegmentPointer(pointer, pointer) {
  bipartite_ = false;
}

SegmentPointer::SegmentPointer(std::span<const Index> sources, std::span<const Index> destinations)
    : bipartite_(true), begins_(sources.size()) {
  check_pointer(sources);
  check_pointer(destinations);
  if (sources.size() != destinations.size()) {
    throw ShapeError("segment pointer: sources of " + std::to_string(sources.size() - 1) +
                     " graphs, destinations of " + std::to_string(destinations.size() - 1) +
                     "; both need one number per graph and one more");
  }
  for (std::size_t s = 0; s < sources.size(); ++s) {
    begins_[s].source = sources[s];
    begins_[s].destination = destinations[s];
    if (s == 0) continue;
    const Index num_sources = sources[s] - sources[s - 1];
    begins_[s].pair = begins_[s - 1].pair + num_sources * (destinations[s] - destinations[s - 1]);
    segments_.insert(segments_.end(), static_cast<std::size_t>(num_sources),
                     static_cast<std::int32_t>(s - 1));
  }
}

GraphView SegmentPointer::attach(const GraphView& edges) const {
  if (bipartite_ != edges.bipartite()) {
    throw ShapeError(bipartite_
                         ? "segment pointer: has sources and destinations, but the destinations of the "
                           "graph are its sources; make it from one row of numbers"
                         : "segment pointer: has one row of numbers, but the graph is bipartite; make "
                           "it from those of sources and those of destinations");
  }
  const SegmentBegin& end = begins_.back();
  if (end.source != edges.num_sources() || end.destination != edges.num_destinations()) {
    throw ShapeError("segment pointer: ends at " + std::to_string(end.source) + " sources and " +
                     std::to_string(end.destination) + " destinations, the graph has " +
                     std::to_string(edges.num_sources()) + " and " +
                     std::to_string(edges.num_destinations()));
  }
  return edges.with_segments(segments_, begins_);
}

GraphView SegmentPointer::complete() const {
  return attach(GraphView::complete_segments(begins_, bipartite_));
}

void check_segments(const GraphView& graph) {
  const auto begins = graph.arrays().segment_begins;
  const auto segments = graph.arrays().segments;
  const std::string graphs = "the view counts " + std::to_string(graph.num_segments()) + " graphs";
  if (!begins.empty()) {
    const SegmentBegin& end = begins.back();
    if (static_cast<Index>(begins.size()) == graph.num_segments() + 1 && end.source == graph.num_sources() &&
        end.destination == graph.num_destinations())
      return;
    throw ShapeError(graphs + " and has " + std::to_string(graph.num_sources()) + " sources and " +
                     std::to_string(graph.num_destinations()) + " destinations, its segment_begins are of " +
                     std::to_string(begins.size() - 1) + " graphs and end at " + std::to_string(end.source) +
                     " and " + std::to_string(end.destination) + "; make it with SegmentPointer::attach");
  }
  if (segments.empty()) {
    if (graph.num_segments() == 1) return;
    throw ShapeError(graphs + ", but does not say which rows are whose; make it with SegmentPointer::attach");
  }
  if (static_cast<Index>(segments.size()) != graph.num_sources()) {
    throw ShapeError(std::to_string(segments.size()) + " segment numbers for " +
                     std::to_string(graph.num_sources()) + " rows");
  }
  for (const std::int32_t segment : segments) {
    if (segment < 0 || segment >= graph.num_segments()) {
      throw ShapeError("segment " + std::to_string(segment) + " is outside 0.." +
                       std::to_string(graph.num_segments() - 1));
    }
  }
}

SegmentRows segment_rows(const GraphView& graph) {
  check_segments(graph);
  const auto segments = graph.arrays().segments;
  const auto begins = graph.arrays().segment_begins;
  const auto numbers = graph.arrays().node_ids;
  SegmentRows result;
  result.offsets = segment_offsets(graph);
  const bool in_order = std::is_sorted(numbers.begin(), numbers.end());
  const bool side_by_side = !begins.empty() || std::is_sorted(segments.begin(), segments.end());
  if (in_order && side_by_side) return result;
  if (side_by_side) {
    result.rows.resize(static_cast<std::size_t>(graph.num_sources()));
    std::iota(result.rows.begin(), result.rows.end(), NodeId(0));
  } else {
    result.rows = grouped(segments, result.offsets);
  }
  for (std::size_t s = 0; !in_order && s + 1 < result.offsets.size(); ++s) {
    std::stable_sort(result.rows.begin() + result.offsets[s], result.rows.begin() + result.offsets[s + 1],
                     [&](NodeId a, NodeId b) {
                       return numbers[static_cast<std::size_t>(a)] < numbers[static_cast<std::size_t>(b)];
                     });
  }
  return result;
}

SegmentRows single_rows(Index count) {
  SegmentRows result;
  result.offsets.resize(static_cast<std::size_t>(count) + 1);
  std::iota(result.offsets.begin(), result.offsets.end(), Index(0));
  return result;
}

}  // namespace gat::inline GAT_PRECISION
