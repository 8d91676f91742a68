#include "gat/graph/blocks.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "gat/core/error.hpp"
#include "graph/node_list.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

void check(const Block& block) {
  const auto rows = static_cast<Index>(block.node_ids.size());
  if (block.num_destinations > rows ||
      static_cast<Index>(block.row_offsets.size()) != block.num_destinations + 1 ||
      block.column_indices.size() != block.edge_ids.size() || block.row_offsets.front() != 0 ||
      block.row_offsets.back() != static_cast<EdgeId>(block.edge_ids.size()) ||
      !std::is_sorted(block.row_offsets.begin(), block.row_offsets.end())) {
    throw ShapeError(
        "block of " + std::to_string(rows) + " rows, " + std::to_string(block.num_destinations) +
        " destinations and " + std::to_string(block.edge_ids.size()) +
        " edges: its offsets or edge ids do not fit; offsets rise from 0 to the number of edges");
  }
  for (const NodeId source : block.column_indices) {
    if (source < 0 || source >= rows) {
      throw ShapeError("block: source row " + std::to_string(source) + " is outside 0.." +
                       std::to_string(rows - 1));
    }
  }
  for (const EdgeId edge : block.edge_ids) {
    if (edge < 0 || edge >= block.edge_id_bound) {
      throw ShapeError("block: edge id " + std::to_string(edge) + " is outside 0.." +
                       std::to_string(block.edge_id_bound - 1));
    }
  }
}

// The block whose destinations are `destinations`: they come first among its sources, then every
// in-neighbour in the order in which the rows name it.
Block neighbourhood_block(const CsrGraph& graph, const std::vector<NodeId>& destinations) {
  Block block;
  block.num_destinations = static_cast<Index>(destinations.size());
  block.edge_id_bound = graph.num_edges();
  block.node_ids = destinations;
  std::unordered_map<NodeId, NodeId> row_of;
  for (const NodeId node : destinations) row_of.emplace(node, static_cast<NodeId>(row_of.size()));
  for (const NodeId node : destinations) {
    const EdgeRow row = graph.in_edges(node);
    for (Index k = 0; k < row.count; ++k) {
      const auto [known, is_new] = row_of.emplace(row.node(k), static_cast<NodeId>(block.node_ids.size()));
      if (is_new) block.node_ids.push_back(row.node(k));
      block.column_indices.push_back(known->second);
      block.edge_ids.push_back(row.edge(k));
    }
    block.row_offsets.push_back(static_cast<EdgeId>(block.edge_ids.size()));
  }
  return block;
}

// A layer that reads single rows has no edges.
Block row_block(const CsrGraph& graph, const std::vector<NodeId>& rows) {
  Block block;
  block.num_destinations = static_cast<Index>(rows.size());
  block.edge_id_bound = graph.num_edges();
  block.node_ids = rows;
  block.row_offsets.assign(rows.size() + 1, 0);
  return block;
}

// One row at the end of a CSR, its nodes by their new numbers.
void append(const EdgeRow& row, const std::vector<NodeId>& position, std::vector<EdgeId>& offsets,
            std::vector<NodeId>& nodes, std::vector<EdgeId>& edges) {
  for (Index k = 0; k < row.count; ++k) {
    nodes.push_back(position[static_cast<std::size_t>(row.node(k))]);
    edges.push_back(row.edge(k));
  }
  offsets.push_back(static_cast<EdgeId>(nodes.size()));
}

}  // namespace

Blocks Blocks::whole(const GraphView& graph, int num_layers) {
  Blocks blocks;
  blocks.views_.assign(static_cast<std::size_t>(num_layers), graph);
  return blocks;
}

Blocks Blocks::reordered(const CsrGraph& graph, std::span<const NodeId> order, int num_layers) {
  if (graph.bipartite())
    throw UsageError("only a graph whose sources and destinations are the same nodes can be reordered");
  const std::vector<NodeId> position = inverse_of(order, graph.num_nodes());
  Blocks blocks;
  Stored& stored = blocks.stored_.emplace_back();
  Block& b = stored.block;
  stored.is_local = true;
  b.node_ids.assign(order.begin(), order.end());
  b.num_destinations = graph.num_nodes();
  b.edge_id_bound = graph.num_edges();
  stored.out_offsets.assign(1, 0);
  const auto edges = static_cast<std::size_t>(graph.num_edges());
  b.column_indices.reserve(edges);
  b.edge_ids.reserve(edges);
  stored.out_destinations.reserve(edges);
  stored.out_edge_ids.reserve(edges);
  stored.out_places.reserve(edges);
  for (const NodeId node : order) {
    append(graph.in_edges(node), position, b.row_offsets, b.column_indices, b.edge_ids);
    append(graph.out_edges(node), position, stored.out_offsets, stored.out_destinations, stored.out_edge_ids);
  }
  std::vector<EdgeId> place_of(edges);
  for (std::size_t e = 0; e < edges; ++e)
    place_of[static_cast<std::size_t>(b.edge_ids[e])] = static_cast<EdgeId>(e);
  for (const EdgeId id : stored.out_edge_ids)
    stored.out_places.push_back(place_of[static_cast<std::size_t>(id)]);
  blocks.views_.assign(static_cast<std::size_t>(num_layers), stored.view());
  return blocks;
}

Blocks::Blocks(std::vector<Block> layers) {
  views_.reserve(layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    check(layers[l]);
    if (l > 0 && layers[l - 1].num_destinations != static_cast<Index>(layers[l].node_ids.size())) {
      throw ShapeError("blocks: layer " + std::to_string(l - 1) + " has " +
                       std::to_string(layers[l - 1].num_destinations) + " destinations, layer " +
                       std::to_string(l) + " has " + std::to_string(layers[l].node_ids.size()) +
                       " sources; they must be the same rows");
    }
    add(std::move(layers[l]));
  }
}

void Blocks::add(Block block) {
  Stored& stored = stored_.emplace_back();
  stored.block = std::move(block);
  const Block& b = stored.block;
  const auto rows = static_cast<Index>(b.node_ids.size());
  stored.out_offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const NodeId source : b.column_indices) ++stored.out_offsets[static_cast<std::size_t>(source) + 1];
  std::partial_sum(stored.out_offsets.begin(), stored.out_offsets.end(), stored.out_offsets.begin());
  stored.out_destinations.resize(b.edge_ids.size());
  stored.out_edge_ids.resize(b.edge_ids.size());
  stored.out_places.resize(b.edge_ids.size());
  std::vector<EdgeId> next(stored.out_offsets.begin(), stored.out_offsets.end() - 1);
  for (Index i = 0; i < b.num_destinations; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (auto e = static_cast<std::size_t>(b.row_offsets[at]);
         e < static_cast<std::size_t>(b.row_offsets[at + 1]); ++e) {
      const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(b.column_indices[e])]++);
      stored.out_destinations[slot] = static_cast<NodeId>(i);
      stored.out_edge_ids[slot] = b.edge_ids[e];
      stored.out_places[slot] = static_cast<EdgeId>(e);
    }
  }
  views_.push_back(stored.view());
}

GraphView Blocks::Stored::view() const {
  GraphView::Arrays arrays;
  arrays.in_offsets = block.row_offsets;
  arrays.in_sources = block.column_indices;
  arrays.in_edge_ids = block.edge_ids;
  arrays.out_offsets = out_offsets;
  arrays.out_destinations = out_destinations;
  arrays.out_edge_ids = out_edge_ids;
  arrays.out_places = out_places;
  arrays.node_ids = block.node_ids;
  arrays.is_local = is_local;
  return {static_cast<Index>(block.node_ids.size()), block.num_destinations, false, block.edge_id_bound,
          arrays};
}

Blocks Blocks::receptive_field(const CsrGraph& graph, std::span<const NodeId> nodes,
                               std::span<const Reach> reach) {
  std::vector<NodeId> wanted(nodes.begin(), nodes.end());
  std::vector<bool> named = named_once(nodes, graph.num_destinations());
  std::vector<Block> layers(reach.size());
  for (std::size_t l = reach.size(); l-- > 0;) {
    layers[l] = reach[l] == Reach::row ? row_block(graph, wanted) : neighbourhood_block(graph, wanted);
    if (reach[l] == Reach::whole_graph) {
      // Every row below is needed, those with edges to the wanted ones first.
      std::vector<NodeId>& rows = layers[l].node_ids;
      named.assign(named.size(), false);
      for (const NodeId node : rows) named[static_cast<std::size_t>(node)] = true;
      for (NodeId node = 0; node < graph.num_destinations(); ++node) {
        if (!named[static_cast<std::size_t>(node)]) rows.push_back(node);
      }
    }
    wanted = layers[l].node_ids;
  }
  return Blocks(std::move(layers));
}

}  // namespace gat::inline GAT_PRECISION
