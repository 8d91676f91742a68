#include "train/part.hpp"

#include <numeric>

namespace gat::inline GAT_PRECISION {

namespace {

// The receptive field of some nodes, or the whole graph where the field is most of it: a copy of nearly all
// edges would cost more memory than its few missing rows save time.
Blocks blocks_for(const Network& network, const PreparedGraph& graph, std::span<const NodeId> nodes,
                  Mode mode, bool prune, ComputedRows& computed) {
  const GraphView view = graph.graph().view();
  if (prune) {
    Blocks field = Blocks::receptive_field(graph.graph(), nodes, network.reach(mode));
    Index edges = 0;
    for (int l = 0; l < field.num_layers(); ++l) edges += field.layer(l).num_edges();
    if (edges <= view.num_edges() * network.num_steps() / 2) {
      computed = ComputedRows::pruned;
      return field;
    }
  }
  computed = ComputedRows::whole;
  return Blocks::whole(view, network.num_steps());
}

}  // namespace

Part::Part(const Network& network, const PreparedGraph& graph, std::span<const NodeId> part_nodes, Mode mode,
           bool prune)
    : nodes(part_nodes),
      blocks(blocks_for(network, graph, nodes, mode, prune, computed)),
      logit_rows(nodes.begin(), nodes.end()),
      logits(blocks.num_outputs(), network.output_width()) {
  if (mode == Mode::training && graph.features().is_sparse()) {
    FeatureView rows = graph.features();
    rows.row_ids = blocks.input_rows();
    feature_columns = columns_of(rows);
  }
  // Of a field, output row k belongs to nodes[k].
  if (computed == ComputedRows::pruned) std::iota(logit_rows.begin(), logit_rows.end(), NodeId(0));
}

}  // namespace gat::inline GAT_PRECISION
