#include "train/part.hpp"

#include <numeric>

namespace gat::inline GAT_PRECISION {

namespace {

// The receptive field of some nodes, or the whole graph where the field is most of it: a copy of nearly all
// edges would cost more memory than its few missing rows save time.
Blocks blocks_for(WholeGraph& whole, std::span<const NodeId> nodes, Mode mode, bool prune,
                  ComputedRows& computed) {
  const Network& network = whole.network();
  if (prune && !(mode == Mode::training && network.trains_on_whole_graph())) {
    const CsrGraph& graph = whole.prepared().graph();
    Blocks field = Blocks::receptive_field(graph, nodes, network.reach(mode));
    Index edges = 0;
    for (int l = 0; l < field.num_layers(); ++l) edges += field.layer(l).num_edges();
    if (edges <= graph.num_edges() * network.num_edge_steps() / 2) {
      computed = ComputedRows::pruned;
      return field;
    }
  }
  Blocks blocks = Blocks::whole(whole.every_row(), network.num_steps());
  computed = blocks.input_rows().empty() ? ComputedRows::whole : ComputedRows::reordered;
  return blocks;
}

}  // namespace

GraphView WholeGraph::every_row() {
  if (reorder_ == Reorder::off) return graph_.graph().view();
  if (graph_.reordered()) return graph_.layout();
  const Index row_bytes = network_.gathered_row_bytes();
  if (!decided_ && row_bytes > 0 && !graph_.graph().bipartite()) {
    const std::vector<NodeId> order = order_that_pays(graph_.graph(), row_bytes);
    if (!order.empty()) laid_out_ = Blocks::reordered(graph_.graph(), order, 1);
  }
  decided_ = true;
  return laid_out_ ? laid_out_->layer(0) : graph_.graph().view();
}

Part::Part(WholeGraph& whole, std::span<const NodeId> part_nodes, Mode mode, bool prune)
    : nodes(part_nodes),
      blocks(blocks_for(whole, nodes, mode, prune, computed)),
      logit_rows(nodes.begin(), nodes.end()),
      logits(blocks.num_outputs(), whole.network().output_width()) {
  const FeatureView features = whole.prepared().features();
  if (mode == Mode::training && features.is_sparse()) {
    FeatureView rows = features;
    rows.row_ids = blocks.input_rows();
    feature_columns = columns_of(rows);
  }
  // Of a field, output row k belongs to nodes[k].
  if (computed == ComputedRows::pruned) std::iota(logit_rows.begin(), logit_rows.end(), NodeId(0));
  if (computed == ComputedRows::reordered) {
    const std::vector<NodeId> position = inverse_order(blocks.input_rows());
    for (NodeId& row : logit_rows) row = position[static_cast<std::size_t>(row)];
  }
}

}  // namespace gat::inline GAT_PRECISION
