#include "nn/layers/position_window.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gat/core/error.hpp"
#include "gat/graph/segments.hpp"

namespace gat::inline GAT_PRECISION {

GraphLines::GraphLines(const GraphView& graph) {
  check_segments(graph);
  if (graph.num_segments() == 1) {
    lines_.push_back({0, 0, graph.num_sources()});
    return;
  }
  const auto begins = graph.arrays().segment_begins;
  if (begins.empty() && graph.bipartite()) {
    throw UsageError(
        "attention layer: a window on a batch of two-sided graphs needs to know where each begins; make its "
        "view with SegmentPointer::attach or SegmentPointer::complete");
  }
  lines_.resize(static_cast<std::size_t>(graph.num_segments()));
  if (begins.empty()) {
    const auto segments = graph.arrays().segments;
    for (Index j = 0; j < graph.num_sources(); ++j)
      add_source(graph, j, segments[static_cast<std::size_t>(j)]);
    line_of_.assign(segments.begin(), segments.begin() + graph.num_destinations());
    return;
  }
  for (std::size_t s = 1; s < begins.size(); ++s) {
    const auto segment = static_cast<std::int32_t>(s - 1);
    for (Index j = begins[s - 1].source; j < begins[s].source; ++j) add_source(graph, j, segment);
    line_of_.resize(static_cast<std::size_t>(begins[s].destination), segment);
    NodeId& first = lines_[s - 1].first_destination;
    for (Index i = begins[s - 1].destination; i < begins[s].destination; ++i) {
      const auto global = static_cast<NodeId>(graph.global_destination(i));
      first = i == begins[s - 1].destination ? global : std::min(first, global);
    }
  }
}

void GraphLines::add_source(const GraphView& graph, Index row, std::int32_t segment) {
  const auto global = static_cast<NodeId>(graph.global_source(row));
  Line& line = lines_[static_cast<std::size_t>(segment)];
  line.first = line.length == 0 ? global : std::min(line.first, global);
  ++line.length;
}

PositionWindow::PositionWindow(const GraphView& graph, Index width, bool logarithm, ConstMatrixView positions,
                               MatrixView d_positions)
    : graph_(graph),
      inverse_variance_(static_cast<Real>(4.0 / (static_cast<double>(width) * static_cast<double>(width)))),
      logarithm_(logarithm),
      positions_(positions),
      d_positions_(d_positions),
      lines_(graph) {
  const auto& arrays = graph.arrays();
  const bool same = graph.bipartite() ? arrays.destination_ids.empty() : arrays.node_ids.empty();
  if (same || (positions.empty() && !graph.bipartite())) return;
  for (Index i = 0; i < graph.num_destinations(); ++i) {
    const auto global = static_cast<std::size_t>(graph.global_destination(i));
    if (global >= rows_.size()) rows_.resize(global + 1, 0);
    rows_[global] = static_cast<NodeId>(i);
  }
}

// Destinations that are sources share their numbers; others count from the start of their own side.
Real PositionWindow::distance(NodeId destination, NodeId source) const {
  if (positions_.empty() && !graph_.bipartite()) return static_cast<Real>(source - destination);
  const auto row = static_cast<Index>(row_of(destination));
  const NodeId from_start = source - lines_.first(row);
  if (!positions_.empty()) return static_cast<Real>(from_start) - positions_(row, 0);
  return static_cast<Real>(from_start - (destination - lines_.first_destination(row)));
}

double PositionWindow::center(Index row) const {
  const auto first = static_cast<double>(lines_.first(row));
  if (!positions_.empty()) return first + static_cast<double>(positions_(row, 0));
  const auto own = static_cast<double>(graph_.global_destination(row));
  return graph_.bipartite() ? first + own - static_cast<double>(lines_.first_destination(row)) : own;
}

Real PositionWindow::value(NodeId destination, NodeId source, int) const {
  const Real u = distance(destination, source);
  const Real exponent = Real(-0.5) * u * u * inverse_variance_;
  return logarithm_ ? exponent : std::exp(exponent);
}

// ∂(−u²/(2σ²))/∂p = u/σ²
void PositionWindow::add_gradient(NodeId destination, NodeId source, int head, Real d_value) const {
  if (d_positions_.empty()) return;
  const Real outer = logarithm_ ? Real(1) : value(destination, source, head);
  d_positions_(static_cast<Index>(row_of(destination)), 0) +=
      d_value * outer * distance(destination, source) * inverse_variance_;
}

WindowEdges::WindowEdges(const GraphView& graph, const PositionWindow& window, Index width) {
  for (Index i = 0; i < graph.num_destinations(); ++i) add_row(graph, window, width, i);
  transpose(graph.num_sources(), graph.num_destinations());
  GraphView::Arrays arrays = graph.arrays();
  arrays.in_offsets = in_offsets_;
  arrays.in_sources = in_nodes_;
  arrays.in_edge_ids = in_ids_;
  arrays.out_offsets = out_offsets_;
  arrays.out_destinations = out_nodes_;
  arrays.out_edge_ids = out_ids_;
  arrays.out_places = out_places_;
  arrays.in_slots = arrays.out_slots = {};
  arrays.is_local = false;
  view_ = GraphView(graph.num_sources(), graph.num_destinations(), graph.bipartite(), graph.edge_id_bound(),
                    arrays);
}

void WindowEdges::add_row(const GraphView& graph, const PositionWindow& window, Index width, Index row) {
  const EdgeRow edges = graph.in_edges(row);
  const auto destination = static_cast<NodeId>(graph.global_destination(row));
  Index first = 0, last = edges.count;
  // Sources whose row is their number stand in order; one more on either side leaves the decision to
  // `distance`.
  if (edges.nodes == nullptr && graph.arrays().node_ids.empty()) {
    const auto reach = static_cast<double>(width + 1);
    const double from = window.center(row) - reach - static_cast<double>(edges.first_node);
    const double to = window.center(row) + reach - static_cast<double>(edges.first_node);
    first = static_cast<Index>(std::clamp(std::floor(from), 0.0, static_cast<double>(edges.count)));
    last = static_cast<Index>(std::clamp(std::ceil(to) + 1, 0.0, static_cast<double>(edges.count)));
  }
  for (Index k = first; k < last; ++k) {
    const auto source = static_cast<NodeId>(graph.global_source(edges.node(k)));
    if (std::abs(window.distance(destination, source)) > static_cast<Real>(width)) continue;
    in_nodes_.push_back(edges.node(k));
    in_ids_.push_back(edges.edge(k));
  }
  in_offsets_.push_back(static_cast<EdgeId>(in_nodes_.size()));
}

void WindowEdges::transpose(Index num_sources, Index num_destinations) {
  out_offsets_.assign(static_cast<std::size_t>(num_sources) + 1, 0);
  for (const NodeId source : in_nodes_) ++out_offsets_[static_cast<std::size_t>(source) + 1];
  std::partial_sum(out_offsets_.begin(), out_offsets_.end(), out_offsets_.begin());
  std::vector<EdgeId> next(out_offsets_.begin(), out_offsets_.end() - 1);
  out_nodes_.resize(in_nodes_.size());
  out_ids_.resize(in_nodes_.size());
  out_places_.resize(in_nodes_.size());
  for (Index i = 0; i < num_destinations; ++i) {
    for (EdgeId e = in_offsets_[static_cast<std::size_t>(i)];
         e < in_offsets_[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(in_nodes_[at])]++);
      out_nodes_[place] = static_cast<NodeId>(i);
      out_ids_[place] = in_ids_[at];
      out_places_[place] = e;
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
