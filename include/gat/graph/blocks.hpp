/// One `GraphView` per layer: the form in which a model reads graphs, whole or in part.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

/// Which input rows an output row of a layer depends on.
enum class Reach {
  row,            ///< only itself
  neighbourhood,  ///< the sources of its in-edges, and itself
  whole_graph     ///< every row; edges are those of a neighbourhood
};

/// The graph of one layer with arrays of its own. Rows are local numbers; the destinations are the
/// first sources; `node_ids` and `edge_ids` say which node and edge of the whole graph each is, so
/// that dropout masks and edge features are those of the whole graph.
struct Block {
  std::vector<NodeId> node_ids;  ///< global id of each source row
  Index num_destinations = 0;
  std::vector<EdgeId> row_offsets{0};  ///< num_destinations + 1
  std::vector<NodeId> column_indices;  ///< source row of each edge
  std::vector<EdgeId> edge_ids;        ///< global id of each edge
  EdgeId edge_id_bound = 0;            ///< number of edges of the whole graph
};

/// The graphs of all layers of a model, first layer first: the destinations of layer l are the sources of
/// layer l + 1. Forward of a row gives the same bits on any blocks that contain it, unless it sums over all
/// nodes (see gat/nn/model.hpp). Can be moved but not copied: views point into what they were made with.
class Blocks {
 public:
  /// Every layer reads the whole graph, which must outlive the blocks.
  static Blocks whole(const GraphView& graph, int num_layers);

  /// Every layer reads the whole graph with its rows in another order (gat/graph/reorder.hpp): row k of
  /// every layer and of the outputs is node order[k]. Each row of in-edges and of out-edges keeps the order
  /// of its edges, so forward gives each node the same bits as on the whole graph, and so do the parts of
  /// backward that belong to one node; sums over all nodes add up in the new order. Copies the graph
  /// once: 32 bytes per edge. Attention by edge id needs no mapping. The views count as local
  /// (`GraphView::is_local`), whatever the order.
  /// \throws UsageError for a bipartite graph or an order that does not name every node once
  static Blocks reordered(const CsrGraph& graph, std::span<const NodeId> order, int num_layers);

  /// Takes hand-made blocks over and builds their transposes.
  /// \throws ShapeError when they do not fit together
  explicit Blocks(std::vector<Block> layers);

  /// The receptive field of some nodes: exactly the rows that their outputs depend on. Output row k
  /// belongs to nodes[k]; a node may be named only once. \param reach  one per layer
  /// \throws UsageError for a node that is outside the graph or named twice
  static Blocks receptive_field(const CsrGraph& graph, std::span<const NodeId> nodes,
                                std::span<const Reach> reach);

  Blocks(Blocks&&) = default;
  Blocks& operator=(Blocks&&) = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  int num_layers() const { return static_cast<int>(views_.size()); }
  const GraphView& layer(int l) const { return views_[static_cast<std::size_t>(l)]; }
  /// Global ids of the rows that the first layer reads; empty = every row in order.
  std::span<const NodeId> input_rows() const {
    return views_.empty() ? std::span<const NodeId>() : views_.front().arrays().node_ids;
  }
  Index num_outputs() const { return views_.empty() ? 0 : views_.back().num_destinations(); }

 private:
  Blocks() = default;
  void add(Block block);

  // The views point into these; a deque never moves its elements.
  struct Stored {
    Block block;
    std::vector<EdgeId> out_offsets;
    std::vector<NodeId> out_destinations;
    std::vector<EdgeId> out_edge_ids;
    std::vector<EdgeId> out_places;
    bool is_local = false;
    GraphView view() const;
  };
  std::deque<Stored> stored_;
  std::vector<GraphView> views_;
};

}  // namespace gat::inline GAT_PRECISION
