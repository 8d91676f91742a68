#include "gat/graph/csr_graph.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "gat/core/error.hpp"
#include "graph/edge_slots.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

void check(const CsrGraph::Parts& parts) {
  const auto edges = static_cast<EdgeId>(parts.column_indices.size());
  if (static_cast<Index>(parts.row_offsets.size()) != parts.num_destinations + 1) {
    throw ShapeError("CSR graph: " + std::to_string(parts.row_offsets.size()) + " row offsets for " +
                     std::to_string(parts.num_destinations) + " destinations; expected one more");
  }
  if (!parts.bipartite && parts.num_sources != parts.num_destinations) {
    throw ShapeError("CSR graph: " + std::to_string(parts.num_sources) + " sources and " +
                     std::to_string(parts.num_destinations) +
                     " destinations differ; say that the graph is bipartite");
  }
  if (parts.row_offsets.front() != 0 || parts.row_offsets.back() != edges) {
    throw ShapeError("CSR graph: row offsets run from " + std::to_string(parts.row_offsets.front()) + " to " +
                     std::to_string(parts.row_offsets.back()) + ", expected 0 to " + std::to_string(edges) +
                     ", the number of column indices");
  }
  for (std::size_t i = 1; i < parts.row_offsets.size(); ++i) {
    if (parts.row_offsets[i] < parts.row_offsets[i - 1]) {
      throw ShapeError("CSR graph: row offsets fall after row " + std::to_string(i - 1));
    }
  }
  for (std::size_t e = 0; e < parts.column_indices.size(); ++e) {
    const NodeId source = parts.column_indices[e];
    if (source < 0 || source >= parts.num_sources) {
      throw ShapeError("CSR graph: column index " + std::to_string(source) + " at position " +
                       std::to_string(e) + " is outside 0.." + std::to_string(parts.num_sources - 1));
    }
  }
}

}  // namespace

CsrGraph::CsrGraph(Parts parts) : parts_(std::move(parts)) {
  check(parts_);
  build_transpose();
  build_slots();
}

CsrGraph CsrGraph::from_csr(std::span<const EdgeId> row_offsets, std::span<const NodeId> column_indices,
                            Index num_sources, bool bipartite) {
  if (row_offsets.empty())
    throw ShapeError("CSR graph: no row offsets; even an empty graph has the offset 0");
  Parts parts;
  parts.num_sources = num_sources;
  parts.num_destinations = static_cast<Index>(row_offsets.size()) - 1;
  parts.bipartite = bipartite;
  parts.row_offsets.assign(row_offsets.begin(), row_offsets.end());
  parts.column_indices.assign(column_indices.begin(), column_indices.end());
  parts.user_edge_ids.resize(column_indices.size());
  std::iota(parts.user_edge_ids.begin(), parts.user_edge_ids.end(), EdgeId(0));
  parts.reversed.assign(column_indices.size(), 0);
  parts.edge_of_user = parts.user_edge_ids;
  return CsrGraph(std::move(parts));
}

// Counting sort by source; walking the rows in order keeps each out-row ordered by destination.
void CsrGraph::build_transpose() {
  const auto sources = static_cast<std::size_t>(parts_.num_sources);
  const std::size_t edges = parts_.column_indices.size();
  out_offsets_.assign(sources + 1, 0);
  for (const NodeId source : parts_.column_indices) ++out_offsets_[static_cast<std::size_t>(source) + 1];
  std::partial_sum(out_offsets_.begin(), out_offsets_.end(), out_offsets_.begin());
  out_destinations_.resize(edges);
  out_edge_ids_.resize(edges);
  std::vector<EdgeId> next(out_offsets_.begin(), out_offsets_.end() - 1);
  for (Index i = 0; i < parts_.num_destinations; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (EdgeId e = parts_.row_offsets[row]; e < parts_.row_offsets[row + 1]; ++e) {
      const auto source = static_cast<std::size_t>(parts_.column_indices[static_cast<std::size_t>(e)]);
      const auto slot = static_cast<std::size_t>(next[source]++);
      out_destinations_[slot] = static_cast<NodeId>(i);
      out_edge_ids_[slot] = e;
    }
  }
}

// Blocks of consecutive destinations, the edges of each in the order of their sources. Who goes over the
// out-edges writes to as many places at once as there are blocks, few enough for the nearest cache; who goes
// over the in-edges reads one block, which fits a farther one.
void CsrGraph::build_slots() {
  constexpr EdgeId kBlockEdges = EdgeId(1) << 15, kMostBlocks = 64;
  const EdgeId edges = num_edges();
  if (!gets_slots(edges)) return;
  const EdgeId block_edges = std::max(kBlockEdges, (edges + kMostBlocks - 1) / kMostBlocks);
  // Where the block of a destination goes on.
  std::vector<EdgeSlot> next;
  std::vector<std::int32_t> block_of(static_cast<std::size_t>(parts_.num_destinations));
  EdgeId end = 0;
  for (std::size_t i = 0; i < block_of.size(); ++i) {
    if (next.empty() || parts_.row_offsets[i] >= end) {
      next.push_back(static_cast<EdgeSlot>(parts_.row_offsets[i]));
      end = parts_.row_offsets[i] + block_edges;
    }
    block_of[i] = static_cast<std::int32_t>(next.size() - 1);
  }
  in_slots_.resize(static_cast<std::size_t>(edges));
  out_slots_.resize(static_cast<std::size_t>(edges));
  for (std::size_t k = 0; k < out_slots_.size(); ++k) {
    const auto block = block_of[static_cast<std::size_t>(out_destinations_[k])];
    out_slots_[k] = next[static_cast<std::size_t>(block)]++;
    in_slots_[static_cast<std::size_t>(out_edge_ids_[k])] = out_slots_[k];
  }
}

GraphView CsrGraph::view() const {
  GraphView::Arrays arrays;
  arrays.in_offsets = parts_.row_offsets;
  arrays.in_sources = parts_.column_indices;
  arrays.out_offsets = out_offsets_;
  arrays.out_destinations = out_destinations_;
  arrays.out_edge_ids = out_edge_ids_;
  arrays.in_slots = in_slots_;
  arrays.out_slots = out_slots_;
  return {parts_.num_sources, parts_.num_destinations, parts_.bipartite, num_edges(), arrays};
}

}  // namespace gat::inline GAT_PRECISION
