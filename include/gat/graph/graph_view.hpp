/// What kernels read of a graph: rows of in-edges and out-edges, stored or computed.
///
/// The edges of one layer lead from sources to destinations. The destinations are either the first
/// `num_destinations` of the sources or, in a bipartite graph, nodes of their own. Complete, causal
/// and banded graphs are never stored: each of their rows, in both directions, is a range of
/// consecutive ids, and their edge ids are computed as destination · num_sources + source. Nor are complete
/// graphs side by side; theirs number the pairs of one graph after those of another, in the same order.
#pragma once

#include <algorithm>
#include <span>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// The in-edges of one destination or the out-edges of one source.
struct EdgeRow {
  const NodeId* nodes = nullptr;  ///< other ends; null = `first_node`, `first_node` + 1, …
  const EdgeId* edges = nullptr;  ///< edge ids; null = `first_edge` + k · `edge_step`
  NodeId first_node = 0;
  EdgeId first_edge = 0;
  EdgeId edge_step = 1;
  Index count = 0;

  NodeId node(Index k) const { return nodes ? nodes[k] : first_node + static_cast<NodeId>(k); }
  EdgeId edge(Index k) const { return edges ? edges[k] : first_edge + k * edge_step; }
};

/// Where numbers of an edge lie that go over the edges in one direction leave for those in the other.
using EdgeSlot = std::uint32_t;

/// Which edges an implicit graph has (source j → destination i).
enum class Pattern {
  stored,            ///< the arrays say
  complete,          ///< all pairs, loops included
  causal,            ///< j ≤ i
  banded,            ///< |i − j| ≤ width
  complete_segments  ///< all pairs of the same graph of a batch, loops included
};

/// Where one graph of a batch begins whose rows lie in the order of their graphs.
struct SegmentBegin {
  Index source = 0, destination = 0;  ///< its first rows
  EdgeId pair = 0;                    ///< pairs of a source and a destination in the graphs before
};

/// A borrowed graph of one layer. Copying it is cheap; it is valid while its owner lives.
class GraphView {
 public:
  /// The arrays behind a stored view. Spans without content mean: `in_edge_ids` the position is the
  /// id; `node_ids` row r is node r of the whole graph.
  struct Arrays {
    std::span<const EdgeId> in_offsets;        ///< num_destinations + 1
    std::span<const NodeId> in_sources;        ///< one per edge, row by row
    std::span<const EdgeId> in_edge_ids;       ///< ids in the whole graph
    std::span<const EdgeId> out_offsets;       ///< num_sources + 1
    std::span<const NodeId> out_destinations;  ///< one per edge, row by row
    std::span<const EdgeId> out_edge_ids;      ///< ids in the whole graph
    std::span<const NodeId> node_ids;          ///< global id of each source row
    std::span<const NodeId> destination_ids;   ///< global ids of bipartite destinations
    std::span<const std::int32_t> segments;    ///< graph of each source row in a batch of graphs; empty:
                                               ///< they are one graph
    std::span<const EdgeId> out_places;  ///< where each out-edge stands among the in-edges; optional, for
                                         ///< speed, where ids are not places
    /// Optional, for speed, both or none (who replaces the edges clears them): the slot of each in-edge and
    /// of the same edge among the out-edges, a number of its own below the number of edges, chosen so that
    /// neither direction meets a cache line per edge.
    std::span<const EdgeSlot> in_slots, out_slots;
    bool is_local = false;   ///< optional, for speed: rows stand near those that gather the same rows. Who
                             ///< replaces the edges clears it, too
    Index num_segments = 1;  ///< graphs in the batch; `segments` are below this number
    /// Optional, num_segments + 1: where each graph begins, and the end of the last (gat/graph/segments.hpp).
    std::span<const SegmentBegin> segment_begins;
  };

  GraphView() = default;

  /// A view on stored arrays. \param bipartite  destinations are not the first sources
  /// \param edge_id_bound  edge ids are below this number (the size of edge arrays)
  GraphView(Index num_sources, Index num_destinations, bool bipartite, EdgeId edge_id_bound,
            const Arrays& arrays)
      : num_sources_(num_sources),
        num_destinations_(num_destinations),
        edge_id_bound_(edge_id_bound),
        bipartite_(bipartite),
        arrays_(arrays) {}

  /// All pairs of sources and destinations; square unless `bipartite`.
  static GraphView complete(Index num_sources, Index num_destinations, bool bipartite = false) {
    return implicit(Pattern::complete, num_sources, num_destinations, 0, bipartite);
  }
  /// All pairs of the rows of a view that is not bipartite, which keep their global ids and segments.
  static GraphView complete(const GraphView& rows) {
    GraphView view = implicit(Pattern::complete, rows.num_sources(), rows.num_destinations(), 0, false);
    view.arrays_.node_ids = rows.arrays_.node_ids;
    view.arrays_.segments = rows.arrays_.segments;
    view.arrays_.num_segments = rows.arrays_.num_segments;
    return view;
  }
  /// All pairs within each graph of a batch, nothing across. \param begins  borrowed, as in the arrays
  static GraphView complete_segments(std::span<const SegmentBegin> begins, bool bipartite = false) {
    const SegmentBegin& end = begins.back();
    GraphView view = implicit(Pattern::complete_segments, end.source, end.destination, 0, bipartite);
    view.edge_id_bound_ = end.pair;
    view.arrays_.segment_begins = begins;
    view.arrays_.num_segments = static_cast<Index>(begins.size()) - 1;
    return view;
  }
  /// The same of the rows of a view that has `segment_begins`; they keep their global ids and segments.
  static GraphView complete_segments(const GraphView& rows) {
    GraphView view = complete_segments(rows.arrays_.segment_begins, rows.bipartite_);
    view.arrays_.node_ids = rows.arrays_.node_ids;
    view.arrays_.destination_ids = rows.arrays_.destination_ids;
    view.arrays_.segments = rows.arrays_.segments;
    return view;
  }
  /// The same edges, whose rows belong to several graphs. \param segments, begins  as in the arrays
  GraphView with_segments(std::span<const std::int32_t> segments,
                          std::span<const SegmentBegin> begins) const {
    GraphView view = *this;
    view.arrays_.segments = segments;
    view.arrays_.segment_begins = begins;
    view.arrays_.num_segments = static_cast<Index>(begins.size()) - 1;
    return view;
  }
  /// Rows without edges: what a layer reads that has one row per graph.
  static GraphView rows(Index count) { return {count, count, false, 0, {}}; }
  /// Each position receives from itself and all earlier ones.
  static GraphView causal(Index num_nodes) {
    return implicit(Pattern::causal, num_nodes, num_nodes, 0, false);
  }
  /// Each position receives from the positions at a distance of at most `width`.
  static GraphView banded(Index num_nodes, Index width) {
    return implicit(Pattern::banded, num_nodes, num_nodes, width, false);
  }

  Index num_sources() const { return num_sources_; }
  Index num_destinations() const { return num_destinations_; }
  bool bipartite() const { return bipartite_; }
  bool stored() const { return pattern_ == Pattern::stored; }
  /// Whether most of what a row gathers, rows before it have gathered: an order by clusters.
  bool is_local() const { return arrays_.is_local; }
  /// Graphs whose disjoint union the rows are; 1 unless the arrays say more.
  Index num_segments() const { return arrays_.num_segments; }
  Index num_edges() const { return in_edges_before(num_destinations_); }
  /// Edge ids lie in [0, edge_id_bound()): the row count of every edge array.
  EdgeId edge_id_bound() const { return edge_id_bound_; }

  EdgeRow in_edges(Index destination) const {
    EdgeRow row;
    if (stored()) {
      const auto at = static_cast<std::size_t>(destination);
      const EdgeId begin = arrays_.in_offsets[at];
      row.count = arrays_.in_offsets[at + 1] - begin;
      row.nodes = arrays_.in_sources.data() + begin;
      if (arrays_.in_edge_ids.empty()) row.first_edge = begin;
      else row.edges = arrays_.in_edge_ids.data() + begin;
      return row;
    }
    if (pattern_ == Pattern::complete_segments) {
      const SegmentBegin* segment = segment_at(destination, &SegmentBegin::destination);
      row.first_node = static_cast<NodeId>(segment->source);
      row.count = segment[1].source - segment->source;
      row.first_edge = segment->pair + (destination - segment->destination) * row.count;
      return row;
    }
    const Index first = first_source(destination);
    row.first_node = static_cast<NodeId>(first);
    row.count = last_source(destination) - first + 1;
    row.first_edge = destination * num_sources_ + first;
    return row;
  }

  EdgeRow out_edges(Index source) const {
    EdgeRow row;
    if (stored()) {
      const auto at = static_cast<std::size_t>(source);
      const EdgeId begin = arrays_.out_offsets[at];
      row.count = arrays_.out_offsets[at + 1] - begin;
      row.nodes = arrays_.out_destinations.data() + begin;
      row.edges = arrays_.out_edge_ids.data() + begin;
      return row;
    }
    if (pattern_ == Pattern::complete_segments) {
      const SegmentBegin* segment = segment_at(source, &SegmentBegin::source);
      row.first_node = static_cast<NodeId>(segment->destination);
      row.count = segment[1].destination - segment->destination;
      row.first_edge = segment->pair + source - segment->source;
      row.edge_step = segment[1].source - segment->source;
      return row;
    }
    const Index first = first_destination(source);
    row.first_node = static_cast<NodeId>(first);
    row.count = last_destination(source) - first + 1;
    row.first_edge = first * num_sources_ + source;
    row.edge_step = num_sources_;
    return row;
  }

  /// Edges into the destinations below `destination`, in a closed form; splits work by edges.
  Index in_edges_before(Index destination) const {
    switch (pattern_) {
      case Pattern::stored:
        return arrays_.in_offsets.empty() ? 0 : arrays_.in_offsets[static_cast<std::size_t>(destination)];
      case Pattern::complete:
        return destination * num_sources_;
      case Pattern::causal:
        return destination * (destination + 1) / 2;
      case Pattern::banded:
        return banded_before(destination);
      case Pattern::complete_segments:
        return pairs_before(destination, &SegmentBegin::destination, &SegmentBegin::source);
    }
    return 0;
  }

  /// Edges out of the sources below `source`; a causal row is the mirror image of an in-row.
  Index out_edges_before(Index source) const {
    switch (pattern_) {
      case Pattern::stored:
        return arrays_.out_offsets.empty() ? 0 : arrays_.out_offsets[static_cast<std::size_t>(source)];
      case Pattern::complete:
        return source * num_destinations_;
      case Pattern::causal:
        return source * num_sources_ - source * (source - 1) / 2;
      case Pattern::banded:
        return banded_before(source);
      case Pattern::complete_segments:
        return pairs_before(source, &SegmentBegin::source, &SegmentBegin::destination);
    }
    return 0;
  }

  /// The number of a source row, or of a destination row, in the whole graph.
  Index global_source(Index row) const {
    return arrays_.node_ids.empty() ? row : arrays_.node_ids[static_cast<std::size_t>(row)];
  }
  Index global_destination(Index row) const {
    if (!bipartite_) return global_source(row);
    return arrays_.destination_ids.empty() ? row : arrays_.destination_ids[static_cast<std::size_t>(row)];
  }
  /// The graph of a batch that a destination row belongs to.
  Index segment_of_destination(Index row) const {
    if (!arrays_.segment_begins.empty())
      return segment_at(row, &SegmentBegin::destination) - arrays_.segment_begins.data();
    return arrays_.segments.empty() ? 0 : arrays_.segments[static_cast<std::size_t>(row)];
  }
  const Arrays& arrays() const { return arrays_; }

 private:
  static GraphView implicit(Pattern pattern, Index sources, Index destinations, Index width, bool bipartite) {
    GraphView view;
    view.pattern_ = pattern;
    view.num_sources_ = sources;
    view.num_destinations_ = destinations;
    view.width_ = width;
    view.bipartite_ = bipartite;
    view.edge_id_bound_ = sources * destinations;
    return view;
  }

  Index first_source(Index i) const {
    return pattern_ == Pattern::banded ? std::max<Index>(0, i - width_) : 0;
  }
  Index last_source(Index i) const {
    if (pattern_ == Pattern::causal) return i;
    return pattern_ == Pattern::banded ? std::min(num_sources_ - 1, i + width_) : num_sources_ - 1;
  }
  Index first_destination(Index j) const {
    if (pattern_ == Pattern::causal) return j;
    return pattern_ == Pattern::banded ? std::max<Index>(0, j - width_) : 0;
  }
  Index last_destination(Index j) const {
    return pattern_ == Pattern::banded ? std::min(num_destinations_ - 1, j + width_) : num_destinations_ - 1;
  }
  // The last graph that begins at a row or before it: the one that the row belongs to, or the end.
  const SegmentBegin* segment_at(Index row, Index SegmentBegin::*side) const {
    const auto begins = arrays_.segment_begins;
    const auto after =
        std::upper_bound(begins.begin(), begins.end(), row,
                         [side](Index r, const SegmentBegin& begin) { return r < begin.*side; });
    return begins.data() + (after - begins.begin()) - 1;
  }
  Index pairs_before(Index row, Index SegmentBegin::*side, Index SegmentBegin::*other) const {
    const SegmentBegin* segment = segment_at(row, side);
    if (segment == &arrays_.segment_begins.back()) return segment->pair;
    return segment->pair + (row - segment->*side) * (segment[1].*other - segment->*other);
  }
  // Σ_{i < n} (1 + min(i, w) + min(N − 1 − i, w)); the two sums are mirror images.
  Index banded_before(Index n) const {
    const auto ramp = [this](Index m) {
      const Index rising = std::min(m, width_ + 1);
      return rising * (rising - 1) / 2 + (m - rising) * width_;
    };
    return n + ramp(n) + ramp(num_sources_) - ramp(num_sources_ - n);
  }

  Pattern pattern_ = Pattern::stored;
  Index num_sources_ = 0;
  Index num_destinations_ = 0;
  Index width_ = 0;
  EdgeId edge_id_bound_ = 0;
  bool bipartite_ = false;
  Arrays arrays_;
};

}  // namespace gat::inline GAT_PRECISION
